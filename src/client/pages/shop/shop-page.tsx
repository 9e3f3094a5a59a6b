import { useAtom } from 'jotai'
import { useEffect } from 'react'
import { shopGreeting } from '#shared/rules/greeting.ts'
import { failedShopView, shopChoiceFrom, shopTitle, shopView } from '#shared/rules/shop-view.ts'
import type { PageModule, PageProps } from '../../router/page.ts'
import { browserCatalogue, viewOfCatalogue } from '../../state/catalogue.ts'
import { clockAtom } from '../../state/clock.ts'
import { WithData } from '../../ui/page-data.tsx'
import { cardMarkup } from './card-markup.ts'
import { CategoryFilter } from './category-filter.tsx'
import { Products } from './products.tsx'
import { SearchForm } from './search-form.tsx'
import { SkeletonGrid } from './skeleton-grid.tsx'

function ShopPage({ place, data }: PageProps<'shop'>) {
  const [{ hour }, setNow] = useAtom(clockAtom)
  useEffect(() => setNow(Date.now()), [setNow])
  const chosen = shopChoiceFrom(place.search)
  return (
    <div className="page page--wide shop">
      <p className="eyebrow">{shopGreeting(hour)}</p>
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

export const page: PageModule<'shop'> = {
  Page: ShopPage,
  load({ search }) {
    const choice = shopChoiceFrom(search)
    return viewOfCatalogue((catalogue) => shopView(catalogue, choice), failedShopView(choice))
  },
  loadAhead: browserCatalogue,
  title: shopTitle,
  markup: cardMarkup,
}
