import { useAtomValue } from 'jotai'
import { categoryFrom } from '#shared/rules/catalogue.ts'
import { failedShopView, shopView } from '#shared/rules/catalogue-views.ts'
import { shopGreeting } from '#shared/rules/greeting.ts'
import type { PageModule, PageProps } from '../../router/page.ts'
import { viewOfCatalogue } from '../../state/catalogue.ts'
import { clockAtom } from '../../state/clock.ts'
import { WithData } from '../../ui/page-data.tsx'
import { CategoryFilter } from './category-filter.tsx'
import { ProductGrid } from './product-grid.tsx'
import { SkeletonGrid } from './skeleton-grid.tsx'

function ShopPage({ place, data }: PageProps<'shop'>) {
  const { hour } = useAtomValue(clockAtom)
  return (
    <div className="shop">
      <p className="eyebrow">{shopGreeting(hour)}</p>
      <h1>Shop our collection</h1>
      <CategoryFilter selected={categoryFrom(place.search.get('category'))} />
      <WithData source={data} fallback={<SkeletonGrid />}>
        {(view) => <ProductGrid view={view} />}
      </WithData>
    </div>
  )
}

export const page: PageModule<'shop'> = {
  Page: ShopPage,
  load({ search }) {
    const category = categoryFrom(search.get('category'))
    return viewOfCatalogue((catalogue) => shopView(catalogue, category), failedShopView(category))
  },
}
