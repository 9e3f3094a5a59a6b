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
/** The best rating, in stars. */
export const MAX_RATING = 5
export const FEATURED_PRODUCTS = 4
/** How many related products the carousel holds at most. */
export const RELATED_PRODUCTS = 12

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

const inCategories = new WeakMap<Catalogue, Map<Category, Catalogue>>()

/** The products a filter button shows: those whose category equals or contains its label, ignoring case (§ 2). */
export function inCategory(catalogue: Catalogue, category: Category): Catalogue {
  if (category === 'All') return catalogue
  const known = inCategories.get(catalogue) ?? new Map<Category, Catalogue>()
  inCategories.set(catalogue, known)
  const label = category.toLowerCase()
  const products =
    known.get(category) ?? catalogue.filter((product) => product.category.toLowerCase().includes(label))
  known.set(category, products)
  return products
}

/** A product id from the address: decimal digits only (§ 2); `undefined` for anything else. */
export function productIdFrom(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** The other products of the same category, bounded for the carousel (§ 2). */
export function relatedTo(catalogue: Catalogue, product: Product): Catalogue {
  return catalogue
    .filter(({ id, category }) => category === product.category && id !== product.id)
    .slice(0, RELATED_PRODUCTS)
}

/** The dashboard's choice: the first four whose category contains "children" or "women" (§ 7). */
export function featured(catalogue: Catalogue): Catalogue {
  return catalogue.filter(({ category }) => /children|women/i.test(category)).slice(0, FEATURED_PRODUCTS)
}
