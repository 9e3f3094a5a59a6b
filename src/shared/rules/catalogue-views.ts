import type { DashboardView, ProductView } from '../page-data.ts'
import type { Catalogue } from './catalogue.ts'
import { featured, relatedTo } from './catalogue-parts.ts'
import { cardOf } from './product-card.ts'

/** The product page's data; `id` undefined or unknown gives no product (§ 2). */
export function productView(catalogue: Catalogue, id: number | undefined): ProductView {
  const product = catalogue.find((candidate) => candidate.id === id)
  return product
    ? { product, related: relatedTo(catalogue, product).map(cardOf), failed: false }
    : { product: null, related: [], failed: false }
}

/** The dashboard's data (§ 7). */
export function dashboardView(catalogue: Catalogue): DashboardView {
  return { featured: featured(catalogue), failed: false }
}
