import type { DashboardView, ProductCard, ProductView } from '../page-data.ts'
import type { CartProduct } from './cart.ts'
import { type Catalogue, featured, type Product, relatedTo } from './catalogue.ts'
import { CART_DESCRIPTION_CHARACTERS } from './previews.ts'

/** A product cut down to what cards and cart show; the description keeps one character more, so that a cut is seen. */
export function cardOf({ id, title, description, price, image }: Product): ProductCard {
  return { id, title, description: description.slice(0, CART_DESCRIPTION_CHARACTERS + 1), price, image }
}

/** A product as the cart keeps it: with all of its fields (§ 3). */
export function cartProductOf(product: Product): CartProduct {
  const { category, rating } = product
  return { ...cardOf(product), category, rating: { rate: rating } }
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
