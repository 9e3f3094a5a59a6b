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

/** A product as the shop uses it: `title` always stands, taken from `name` where the file has no title (§ 3). */
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
