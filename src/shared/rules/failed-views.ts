import type { DashboardView, ProductView, ShopView } from '../page-data.ts'
import type { ShopChoice } from './shop-choice.ts'

// What pages show when the catalogue could not be read (§ 8).

export const failedProductView: ProductView = { product: null, related: [], failed: true }

export const failedDashboardView: DashboardView = { featured: [], failed: true }

/** The grid is empty. */
export function failedShopView({ page: _, ...filter }: ShopChoice): ShopView {
  return { ...filter, products: [], count: 0, from: 1, page: 1, pages: 1, failed: true }
}
