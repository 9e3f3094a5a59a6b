import * as z from 'zod/mini'
import { type Catalogue, MAX_RATING, type Product, SCALES } from './catalogue.ts'
import { itemsOf } from './items.ts'

/** A path of this site or an https address. */
export const imageAddress = z
  .string()
  .check(z.regex(/^(\/(?!\/)|https:\/\/)\S+$/, 'must be a path of this site or an https address'))
/** Prices above this are mistakes; sums of the fullest cart stay exact below it. In KSH. */
const MAX_PRICE_KSH = 10_000_000
/** A price in KSH, to the cent. */
export const priceSchema = z
  .number()
  .check(
    z.positive('must be above 0'),
    z.maximum(MAX_PRICE_KSH, `must be at most ${MAX_PRICE_KSH}`),
    z.multipleOf(0.01, 'must have at most two decimals'),
  )
const RATING_RANGE = `must be from 0 to ${MAX_RATING}`
const text = z.string().check(z.trim(), z.minLength(1, 'must not be empty'))

/** Characters of a size's label. */
const MAX_LABEL_CHARACTERS = 40
/** Sizes of one product. */
const MAX_SIZES = 40
const idSchema = z.int().check(z.positive())

/** A product's sizes in the file; a size without a price has the product's. */
const sizesSchema = z
  .array(
    z.object({
      id: idSchema,
      label: text.check(
        z.maxLength(MAX_LABEL_CHARACTERS, `must have at most ${MAX_LABEL_CHARACTERS} characters`),
      ),
      price: z.optional(priceSchema),
    }),
  )
  .check(
    z.minLength(1, 'must not be empty'),
    z.maxLength(MAX_SIZES, `must hold at most ${MAX_SIZES}`),
    z.refine(
      (sizes) => new Set(sizes.map(({ label }) => label)).size === sizes.length,
      'must have different labels',
    ),
  )

/** Pictures of one product, and characters of an alternative text. */
export const MAX_IMAGES = 12
export const MAX_ALT_CHARACTERS = 200

/** A product's pictures in the file, with their alternative texts. */
const imagesSchema = z
  .array(
    z.object({
      image: imageAddress,
      alt: text.check(z.maxLength(MAX_ALT_CHARACTERS, `must have at most ${MAX_ALT_CHARACTERS} characters`)),
    }),
  )
  .check(
    z.minLength(1, 'must not be empty'),
    z.maxLength(MAX_IMAGES, `must hold at most ${MAX_IMAGES}`),
    z.refine(
      (images) => new Set(images.map(({ image }) => image)).size === images.length,
      'must be different pictures',
    ),
  )

/** One entry of `Items.json` (§ 3), normalised to a {@link Product}. */
export const productSchema = z.pipe(
  z.object({
    id: idSchema,
    title: z.optional(text),
    name: z.optional(text),
    description: text,
    price: priceSchema,
    image: imageAddress,
    images: z.optional(imagesSchema),
    category: text,
    rating: z.object({
      rate: z.number().check(z.minimum(0, RATING_RANGE), z.maximum(MAX_RATING, RATING_RANGE)),
    }),
    scale: z.optional(z.enum(SCALES, `must be one of ${SCALES.join(', ')}`)),
    sizes: z.optional(sizesSchema),
  }),
  z.transform(({ title, name, rating, scale, sizes, images, ...rest }, { issues, value }): Product => {
    const refuse = (field: string, message: string) => {
      issues.push({ code: 'custom', message, path: [field], input: value })
      return z.NEVER
    }
    const shown = title ?? name
    if (shown === undefined) return refuse('title', 'must have a title or a name')
    if (images && images[0]?.image !== rest.image)
      return refuse('images', 'must begin with the image of the product')
    const product = { ...rest, ...(images && { images }), title: shown, rating: rating.rate }
    if (!scale && !sizes) return product
    if (!scale) return refuse('scale', 'must be given with sizes')
    if (!sizes) return refuse('sizes', 'must be given with a scale')
    if (sizes[0]?.id !== rest.id)
      return refuse('sizes', 'must begin with a size that has the id of the product')
    return {
      ...product,
      sizing: { scale, sizes: sizes.map((size) => ({ ...size, price: size.price ?? rest.price })) },
    }
  }),
)

/** A product as it is in `Items.json`. */
export type CatalogueEntry = z.input<typeof productSchema>

/** The whole of `Items.json`: products whose ids, those of sizes included, are all different (§ 7). */
export const catalogueSchema = z.array(productSchema).check(({ value, issues }) => {
  const seen = new Set<number>()
  value.forEach((product, index) => {
    itemsOf(product).forEach(({ id }, n) => {
      const path = product.sizing && n > 0 ? [index, 'sizes', n, 'id'] : [index, 'id']
      if (seen.has(id)) issues.push({ code: 'custom', message: 'is used twice', path, input: value })
      seen.add(id)
    })
  })
})

/** The catalogue in a file; throws when the file is invalid. */
export function catalogueIn(file: unknown): Catalogue {
  return catalogueSchema.parse(file)
}

/** Something that is wrong with a catalogue file; without an index it is about the whole file. */
export type CatalogueIssue = { index?: number; field: string; problem: string }

/** Everything that is wrong with a catalogue file. */
export function catalogueIssues(file: unknown): CatalogueIssue[] {
  const result = catalogueSchema.safeParse(file)
  return (result.error?.issues ?? []).map((issue) => {
    const [index, ...field] = issue.path
    if (index === undefined) return { field: '', problem: 'The file must be a list of products.' }
    const problem = issue.code === 'invalid_type' ? `must be of type ${issue.expected}` : issue.message
    return { index: Number(index), field: field.join('.') || 'the whole item', problem }
  })
}

/** What is wrong first with a catalogue file, naming the item and the field; `undefined` when nothing is. */
export function catalogueProblem(file: unknown): string | undefined {
  const [issue] = catalogueIssues(file)
  if (issue?.index === undefined) return issue?.problem
  const entry: unknown = Array.isArray(file) ? file[issue.index] : undefined
  const id = entry && typeof entry === 'object' && 'id' in entry ? ` (id ${JSON.stringify(entry.id)})` : ''
  return `Item ${issue.index + 1}${id}, field "${issue.field}": ${issue.problem}`
}
