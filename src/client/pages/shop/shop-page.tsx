import { useAtom } from 'jotai'
import { useEffect } from 'react'
import { shopGreeting } from '#shared/rules/greeting.ts'
import type { ShopView } from '#shared/rules/shop-filter.ts'
import { failedShopView, type ShopChoice, shopChoiceFrom, shopTitle } from '#shared/rules/shop-filter.ts'
import type { PageModule, PageProps } from '../../router/page.ts'
import { browserShelves, viewOfCatalogue } from '../../state/catalogue.ts'
import { clockAtom } from '../../state/clock.ts'
import { WithData } from '../../ui/page-data.tsx'
import { cardMarkup } from './card-markup.ts'
import { CategoryFilter } from './category-filter.tsx'
import { Products } from './products.tsx'
import { SearchForm } from './search-form.tsx'
import { SkeletonGrid } from './skeleton-grid.tsx'

function ShopPage({ place, data }: PageProps<'shop'>) {
  const chosen = shopChoiceFrom(place.search)
  return (
    <div className="page page--wide shop">
      <Greeting />
      <div className="shop__head">
        <h1>Shop our collection</h1>
        <SearchForm chosen={chosen} />
      </div>
      <CategoryFilter chosen={chosen} />
      <WithData source={data} fallback={<SkeletonGrid />}>
        {(view) => <Products view={view} />}
      </WithData>
    </div>
  )
}

/** By itself, because the clock changes as the page wakes: React would give up on products that still stream behind it. */
function Greeting() {
  const [{ hour }, setNow] = useAtom(clockAtom)
  useEffect(() => setNow(Date.now()), [setNow])
  return <p className="eyebrow">{shopGreeting(hour)}</p>
}

async function withMore(choice: ShopChoice, since: string | null): Promise<ShopView> {
  const { catalogue, shopView } = await browserShelves()
  return shopView(catalogue, choice, since)
}

export const page: PageModule<'shop'> = {
  Page: ShopPage,
  load({ search, since }) {
    const choice = shopChoiceFrom(search)
    if (since) return withMore(choice, since.get('page'))
    return viewOfCatalogue(({ catalogue, shopView }) => shopView(catalogue, choice), failedShopView(choice))
  },
  loadAhead: browserShelves,
  title: shopTitle,
  markup: cardMarkup,
}
