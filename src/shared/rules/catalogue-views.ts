import type { DashboardView, ProductCard, ProductView, ShopView } from '../page-data.ts'
import { type Catalogue, type Category, featured, inCategory, type Product, relatedTo } from './catalogue.ts'
import { CART_DESCRIPTION_CHARACTERS } from './previews.ts'

/** A product cut down to what cards and cart show; the description keeps one character more, so that a cut is seen. */
export function cardOf({ id, title, description, price, image }: Product): ProductCard {
  return { id, title, description: description.slice(0, CART_DESCRIPTION_CHARACTERS + 1), price, image }
}

/** The Shop page's data (§ 2). */
export function shopView(catalogue: Catalogue, category: Category): ShopView {
  return { category, products: inCategory(catalogue, category).map(cardOf), failed: false }
}

/** The Shop page's data when the catalogue could not be read: the grid is empty (§ 8). */
export function failedShopView(category: Category): ShopView {
  return { category, products: [], failed: true }
}

/** The product page's data; `id` undefined or unknown gives no product (§ 2). */
export function productView(catalogue: Catalogue, id: number | undefined): ProductView {
  const product = catalogue.find((candidate) => candidate.id === id)
  return product
    ? { product, related: relatedTo(catalogue, product).map(cardOf), failed: false }
    : { product: null, related: [], failed: false }
}

export const failedProductView: ProductView = { product: null, related: [], failed: true }

/** The dashboard's data (§ 7). */
export function dashboardView(catalogue: Catalogue): DashboardView {
  return { featured: featured(catalogue), failed: false }
}

export const failedDashboardView: DashboardView = { featured: [], failed: true }
