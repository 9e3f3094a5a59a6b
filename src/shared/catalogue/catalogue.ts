import { SHOP_DESCRIPTION_CHARACTERS, takeFirstCharacters } from '#shared/format.ts'
import { getRasterUrl } from './pictures.ts'

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
/** A category is one of {@link CATEGORIES} or one that the owner added. */
export type Category = string

export const SKELETON_CARDS = 6
export const PRODUCTS_PER_PAGE = 60
export const MAX_RATING = 5

/** A size added to the cart is preselected on other products of the same scale that have it. */
export const SIZE_SCALES = ['age', 'child-shoe', 'shoe', 'clothing', 'head', 'mother-and-child'] as const
export type SizeScale = (typeof SIZE_SCALES)[number]

/** Each size is an item with its own id; the first size has the product's id. */
export type Size = {
  id: number
  label: string
  price: number
  compareAtPrice?: number
}

/** Without a start or an end, the sale is unlimited on that side. `endsAtMs` is exclusive. */
export type SalePeriod = { startsAtMs?: number; endsAtMs?: number }

export type Product = {
  id: number
  /** Falls back to the file's `name` (§ 3). */
  title: string
  description: string
  price: number
  /** The regular price, if `price` is a sale price. */
  compareAtPrice?: number
  /** The period in which the sale prices of the product and its sizes apply. Undefined if unlimited. */
  sale?: SalePeriod
  image: string
  /** All images, starting with `image`. Omitted if `image` is the only one and the title describes it. */
  images?: readonly ProductImage[]
  category: string
  rating?: number
  sizing?: { scale: SizeScale; sizes: readonly Size[] }
  left?: UnitsLeft
}

export type ProductImage = { image: string; alt: string }

export type Catalogue = readonly Product[]

/** Returns All for an unknown category (§ 2). */
export function parseCategory(
  label: string | null | undefined,
  categories: readonly Category[] = CATEGORIES,
): Category {
  const name = label?.trim().toLowerCase()
  return categories.find((category) => category.toLowerCase() === name) ?? 'All'
}

/** Whether a product's category, such as `Children's Clothing`, belongs to one of the Shop's, such as `Clothing` (§ 2). */
export function isInCategory(productCategory: string, category: Category): boolean {
  return productCategory.toLowerCase().includes(category.toLowerCase())
}

export function parseProductId(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

export type ProductCard = Pick<
  Product,
  'id' | 'title' | 'description' | 'price' | 'compareAtPrice' | 'image'
> & {
  scale?: SizeScale
  /** For a product without sizes, the age in its description. */
  sizeRange?: string
  left?: number
  /** The size that the button adds, if the filter or the search names one. */
  item?: Pick<Size, 'id' | 'price' | 'compareAtPrice'> & { size: string; isSizeAssumed?: true }
  /** Says that few units are left, or that the product or only the sizes named by the filter or search are sold out. */
  stockLabel?: string
}

/** The units left by item id; 0 means sold out. In the shop, it contains only items that are low in stock. */
export type UnitsLeft = Readonly<Record<number, number>>

/** If `hasFailed` is true, the catalogue couldn't be loaded (§ 8). Otherwise, `product` is null for an unknown id. */
export type ProductView = {
  product: Product | null
  pictures: readonly ProductImage[]
  related: readonly ProductCard[]
  /** The age in the description of a product without sizes, such as `2–7 years`. */
  age?: string
  left?: UnitsLeft
  hasFailed: boolean
}

export type DashboardView = { featured: Catalogue; hasFailed: boolean }

export function listProductImages({ title, image, images }: Product): readonly ProductImage[] {
  return images ?? [{ image, alt: title }]
}

export const failedProductView: ProductView = { product: null, pictures: [], related: [], hasFailed: true }

/** Keeps one character more of the description than the card shows, so that truncation adds the ellipsis. */
export function toProductCard(product: Product): ProductCard {
  const { id, title, description, price, compareAtPrice, image, sizing } = product
  const truncatedDescription = takeFirstCharacters(description, SHOP_DESCRIPTION_CHARACTERS + 1)
  const scale = sizing && sizing.sizes.length > 1 ? { scale: sizing.scale } : {}
  return {
    id,
    title,
    description: truncatedDescription,
    price,
    image: getRasterUrl(image),
    ...(compareAtPrice && { compareAtPrice }),
    ...scale,
  }
}
