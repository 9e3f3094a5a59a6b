import type { CartProduct } from './cart.ts'
import { CART_DESCRIPTION_CHARACTERS } from './format.ts'

/** The filter buttons of the Shop page, in order (§ 2). */
export const CATEGORIES = [
  'All',
  'Clothing',
  'Toys',
  'Nursery',
  'Feeding',
  'Accessories',
  'Mom & Baby',
  'Footwear',
] as const
export type Category = (typeof CATEGORIES)[number]

export const SKELETON_CARDS = 6
/** Products on one page of a longer list, so that a page stays small however large the catalogue grows. */
export const PRODUCTS_PER_PAGE = 60
/** The best rating, in stars. */
export const MAX_RATING = 5

/** A product as the shop uses it: `title` is always set, from `name` where the file has no title (§ 3). */
export type Product = {
  id: number
  title: string
  description: string
  /** In KSH. */
  price: number
  image: string
  category: string
  /** Stars, 0 to 5. */
  rating: number
}

export type Catalogue = readonly Product[]

/** The category a query names, ignoring case; an unknown or missing one is All (§ 2). */
export function categoryFrom(label: string | null | undefined): Category {
  const wanted = label?.trim().toLowerCase()
  return CATEGORIES.find((category) => category.toLowerCase() === wanted) ?? 'All'
}

/** A product id from the address: decimal digits only (§ 2); `undefined` for anything else. */
export function productIdFrom(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** What a card, the carousel and the cart need of a product. */
export type ProductCard = Pick<Product, 'id' | 'title' | 'description' | 'price' | 'image'>

/** A product and its neighbours; null when the id names none, `failed` when the catalogue could not be read (§ 8). */
export type ProductView = { product: Product | null; related: readonly ProductCard[]; failed: boolean }

/** The dashboard's featured products (§ 7). */
export type DashboardView = { featured: Catalogue; failed: boolean }

/** What the product page shows when the catalogue could not be read (§ 8). */
export const failedProductView: ProductView = { product: null, related: [], failed: true }

/** What the dashboard shows when the catalogue could not be read (§ 8). */
export const failedDashboardView: DashboardView = { featured: [], failed: true }

/** A product cut down to what cards and cart show; the description is one character longer than shown, so that the cut is visible. */
export function cardOf({ id, title, description, price, image }: Product): ProductCard {
  return { id, title, description: description.slice(0, CART_DESCRIPTION_CHARACTERS + 1), price, image }
}

/** A product as stored in the cart: with all of its fields (§ 3). */
export function cartProductOf(product: Product): CartProduct {
  const { category, rating } = product
  return { ...cardOf(product), category, rating: { rate: rating } }
}
