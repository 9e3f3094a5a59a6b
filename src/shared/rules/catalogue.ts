import * as z from 'zod/mini'

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

/** A path of this site or an https address. */
export const imageAddress = z
  .string()
  .check(z.regex(/^(\/(?!\/)|https:\/\/)\S+$/, 'must be a path of this site or an https address'))
/** Prices above this are mistakes; sums of the fullest cart stay exact below it. In KSH. */
const MAX_PRICE_KSH = 10_000_000
/** A price in KSH, to the cent. */
export const priceSchema = z.number().check(z.nonnegative(), z.maximum(MAX_PRICE_KSH), z.multipleOf(0.01))
const text = z.string().check(z.trim(), z.minLength(1, 'must not be empty'))

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

/** One entry of `Items.json` (§ 3), normalised to a {@link Product}. */
export const productSchema = z.pipe(
  z.object({
    id: z.int().check(z.positive()),
    title: z.optional(text),
    name: z.optional(text),
    description: text,
    price: priceSchema,
    image: imageAddress,
    category: text,
    rating: z.object({ rate: z.number().check(z.minimum(0), z.maximum(MAX_RATING)) }),
  }),
  z.transform(({ title, name, rating, ...rest }, { issues, value }): Product => {
    const shown = title ?? name
    if (shown === undefined) {
      issues.push({ code: 'custom', message: 'must have a title or a name', path: ['title'], input: value })
      return z.NEVER
    }
    return { ...rest, title: shown, rating: rating.rate }
  }),
)

export type Catalogue = readonly Product[]

/** The whole of `Items.json`: products with distinct ids (§ 7). */
export const catalogueSchema = z.array(productSchema).check(({ value, issues }) => {
  const seen = new Set<number>()
  value.forEach(({ id }, index) => {
    if (seen.has(id))
      issues.push({ code: 'custom', message: 'is used twice', path: [index, 'id'], input: value })
    seen.add(id)
  })
})

/** What is wrong with a catalogue file, naming the item and the field; `undefined` when nothing is. */
export function catalogueProblem(file: unknown): string | undefined {
  const result = catalogueSchema.safeParse(file)
  if (result.success) return undefined
  const [issue] = result.error.issues
  const [index, ...field] = issue?.path ?? []
  if (index === undefined) return `The file must be a list of products: ${issue?.message}`
  const entry: unknown = Array.isArray(file) ? file[Number(index)] : undefined
  const id = entry && typeof entry === 'object' && 'id' in entry ? ` (id ${JSON.stringify(entry.id)})` : ''
  return `Item ${Number(index) + 1}${id}, field "${field.join('.') || 'the whole item'}": ${issue?.message}`
}

/** The category a query names, ignoring case; an unknown or missing one is All (§ 2). */
export function categoryFrom(label: string | null | undefined): Category {
  const wanted = label?.trim().toLowerCase()
  return CATEGORIES.find((category) => category.toLowerCase() === wanted) ?? 'All'
}

/** The products a filter button shows: those whose category equals or contains its label, ignoring case (§ 2). */
export function inCategory(catalogue: Catalogue, category: Category): Catalogue {
  if (category === 'All') return catalogue
  const label = category.toLowerCase()
  return catalogue.filter((product) => product.category.toLowerCase().includes(label))
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
