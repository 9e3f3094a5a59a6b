import { firstCharacters, SHOP_DESCRIPTION_CHARACTERS } from '#shared/format.ts'
import { rasterAddress } from './pictures.ts'

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

/**
 * The scales that sizes are measured on. A scale has a size guide, and the size that a shopper chose on one product is
 * preselected on the others of its scale.
 */
export const SCALES = ['age', 'child-shoe', 'shoe', 'clothing', 'head', 'mother-and-child'] as const
export type Scale = (typeof SCALES)[number]

/** A size of a product: an item of its own, with an id of its own; the first one has the product's id. */
export type Size = {
  id: number
  /** As it is written everywhere: `12–18 months`, `EU 38`. */
  label: string
  /** In KSH. */
  price: number
}

/** A product as the shop uses it: `title` is always set, from `name` where the file has no title (§ 3). */
export type Product = {
  id: number
  title: string
  description: string
  /** In KSH. */
  price: number
  image: string
  /** All its pictures, `image` first; left out where that is the only one and the title says what it shows. */
  images?: readonly ProductImage[]
  category: string
  /** Stars, 0 to 5. */
  rating: number
  /** The sizes it comes in, at least one; left out for a product without sizes. */
  sizing?: { scale: Scale; sizes: readonly Size[] }
  /** What is left of its items, where they are nearly or entirely sold out. */
  left?: UnitsLeft
}

/** A picture of a product, with a text for whoever does not see it. */
export type ProductImage = { image: string; alt: string }

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
export type ProductCard = Pick<Product, 'id' | 'title' | 'description' | 'price' | 'image'> & {
  /** The scale of its sizes, where there is one to choose; the sizes themselves are in the catalogue. */
  scale?: Scale
  /** Units left in all sizes together, where there are few; 0 when it is sold out. */
  left?: number
}

/**
 * Units that are left, by item id, of the items that are nearly or entirely sold out: 0 is sold out. Whatever is not named
 * is in stock or made to order.
 */
export type UnitsLeft = Readonly<Record<number, number>>

/** A product and its neighbours; null when the id names no item, `failed` when the catalogue could not be read (§ 8). */
export type ProductView = {
  product: Product | null
  /** At least one where there is a product. */
  pictures: readonly ProductImage[]
  related: readonly ProductCard[]
  left?: UnitsLeft
  failed: boolean
}

/** The dashboard's featured products (§ 7). */
export type DashboardView = { featured: Catalogue; failed: boolean }

/** A product's pictures in their order, with their alternative texts. */
export function imagesOf({ title, image, images }: Product): readonly ProductImage[] {
  return images ?? [{ image, alt: title }]
}

/** What the product page shows when the catalogue could not be read (§ 8). */
export const failedProductView: ProductView = { product: null, pictures: [], related: [], failed: true }

/** What the dashboard shows when the catalogue could not be read (§ 8). */
export const failedDashboardView: DashboardView = { featured: [], failed: true }

/** A product cut down to what cards show; the description is one character longer than shown, so that the cut is visible. */
export function cardOf({ id, title, description, price, image, sizing }: Product): ProductCard {
  const cut = firstCharacters(description, SHOP_DESCRIPTION_CHARACTERS + 1)
  const scale = sizing && sizing.sizes.length > 1 ? { scale: sizing.scale } : {}
  return { id, title, description: cut, price, image: rasterAddress(image), ...scale }
}
