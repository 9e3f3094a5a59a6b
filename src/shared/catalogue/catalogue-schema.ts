import * as z from 'zod/mini'
import { type Catalogue, MAX_RATING, type Product, SCALES } from './catalogue.ts'
import { productItems } from './items.ts'

export const imageUrlSchema = z
  .string()
  .check(z.regex(/^(\/(?!\/)|https:\/\/)\S+$/, 'must be a path starting with / or an https address'))
/** Catches typos and keeps cart sums exact. */
const MAX_PRICE_KSH = 10_000_000
export const priceSchema = z
  .number()
  .check(
    z.positive('must be above 0'),
    z.maximum(MAX_PRICE_KSH, `must be at most ${MAX_PRICE_KSH}`),
    z.multipleOf(0.01, 'must have at most two decimals'),
  )
const RATING_RANGE = `must be from 0 to ${MAX_RATING}`
const text = z.string().check(z.trim(), z.minLength(1, 'is missing'))

const MAX_LABEL_CHARACTERS = 40
const MAX_SIZES = 40
const idSchema = z.int().check(z.positive())

const sizesSchema = z
  .array(
    z.object({
      id: idSchema,
      label: text.check(
        z.maxLength(MAX_LABEL_CHARACTERS, `must be at most ${MAX_LABEL_CHARACTERS} characters`),
      ),
      price: z.optional(priceSchema),
    }),
  )
  .check(
    z.minLength(1, 'must include at least one size'),
    z.maxLength(MAX_SIZES, `are limited to ${MAX_SIZES}`),
    z.refine(
      (sizes) => new Set(sizes.map(({ label }) => label)).size === sizes.length,
      'must have different labels',
    ),
  )

export const MAX_IMAGES = 12
export const MAX_ALT_CHARACTERS = 200

const imagesSchema = z
  .array(
    z.object({
      image: imageUrlSchema,
      alt: text.check(z.maxLength(MAX_ALT_CHARACTERS, `must be at most ${MAX_ALT_CHARACTERS} characters`)),
    }),
  )
  .check(
    z.minLength(1, 'must include at least one photo'),
    z.maxLength(MAX_IMAGES, `are limited to ${MAX_IMAGES}`),
    z.refine(
      (images) => new Set(images.map(({ image }) => image)).size === images.length,
      'must all be different',
    ),
  )

/** One entry of `Items.json` (§ 3), normalised to {@link Product}. */
export const productSchema = z.pipe(
  z.object({
    id: idSchema,
    title: z.optional(text),
    name: z.optional(text),
    description: text,
    price: priceSchema,
    image: imageUrlSchema,
    images: z.optional(imagesSchema),
    category: text,
    rating: z.object({
      rate: z.number().check(z.minimum(0, RATING_RANGE), z.maximum(MAX_RATING, RATING_RANGE)),
    }),
    scale: z.optional(z.enum(SCALES, `must be one of ${SCALES.join(', ')}`)),
    sizes: z.optional(sizesSchema),
  }),
  z.transform(({ title, name, rating, scale, sizes, images, ...rest }, { issues, value }): Product => {
    const reject = (field: string, message: string) => {
      issues.push({ code: 'custom', message, path: [field], input: value })
      return z.NEVER
    }
    const productTitle = title ?? name
    if (productTitle === undefined) return reject('title', 'is missing')
    if (images && images[0]?.image !== rest.image) return reject('images', 'must start with the main photo')
    const product = { ...rest, ...(images && { images }), title: productTitle, rating: rating.rate }
    if (!scale && !sizes) return product
    if (!scale) return reject('scale', 'is required with sizes')
    if (!sizes) return reject('sizes', 'are required with a size scale')
    if (sizes[0]?.id !== rest.id) return reject('sizes', 'must start with the id of the product')
    return {
      ...product,
      sizing: { scale, sizes: sizes.map((size) => ({ ...size, price: size.price ?? rest.price })) },
    }
  }),
)

export type CatalogueEntry = z.input<typeof productSchema>

/** `Items.json` (§ 7): ids are unique across products and sizes. */
export const catalogueSchema = z.array(productSchema).check(({ value, issues }) => {
  const seen = new Set<number>()
  value.forEach((product, index) => {
    productItems(product).forEach(({ id }, n) => {
      const path = product.sizing && n > 0 ? [index, 'sizes', n, 'id'] : [index, 'id']
      if (seen.has(id)) issues.push({ code: 'custom', message: 'is used twice', path, input: value })
      seen.add(id)
    })
  })
})

export function parseCatalogueEntries(file: unknown): Catalogue {
  return catalogueSchema.parse(file)
}

/** What is wrong, as a sentence that names the field by its label. Without an index it applies to the whole file. */
export type CatalogueIssue = { index?: number; problem: string }

export function catalogueIssues(file: unknown): CatalogueIssue[] {
  const result = catalogueSchema.safeParse(file)
  return (result.error?.issues ?? []).map((issue) => {
    const [index, ...path] = issue.path
    if (index === undefined) return { problem: 'The file must be a list of products.' }
    const problem = `${fieldLabel(path)} ${problemText(valueAt(file, issue.path), issue)}`
    return { index: Number(index), problem }
  })
}

const LABELS: Readonly<Record<string, string>> = {
  id: 'Id',
  title: 'Name',
  name: 'Name',
  description: 'Description',
  price: 'Price',
  image: 'Main photo',
  images: 'Photos',
  category: 'Category',
  rating: 'Rating',
  scale: 'Size scale',
  sizes: 'Sizes',
}
const ROW_LABELS: Readonly<Record<string, string>> = { images: 'Photo', sizes: 'Size' }
const ROW_FIELD_LABELS: Readonly<Record<string, string>> = { alt: 'description', image: 'address' }

/** `images.1.alt` as `Photo 2 description`. */
function fieldLabel([field, row, rowField]: readonly PropertyKey[]): string {
  if (field === undefined) return 'Product'
  const rowLabel = ROW_LABELS[String(field)]
  if (!rowLabel || row === undefined) return LABELS[String(field)] ?? String(field)
  const label = `${rowLabel} ${Number(row) + 1}`
  return rowField === undefined ? label : `${label} ${ROW_FIELD_LABELS[String(rowField)] ?? String(rowField)}`
}

const TYPE_PROBLEMS: Readonly<Record<string, string>> = {
  number: 'must be a number',
  int: 'must be a whole number',
  string: 'must be text',
  array: 'must be a list',
}

function problemText(value: unknown, issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom') return issue.message
  if (value === undefined || value === null || value === '') return 'is missing'
  if (issue.code === 'invalid_type') return TYPE_PROBLEMS[issue.expected] ?? 'is invalid'
  return issue.message
}

function valueAt(file: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value && typeof value === 'object' ? Reflect.get(value, key) : undefined),
    file,
  )
}

export function catalogueProblem(file: unknown): string | undefined {
  const [issue] = catalogueIssues(file)
  if (issue?.index === undefined) return issue?.problem
  const id = valueAt(file, [issue.index, 'id'])
  return `Item ${issue.index + 1}${id === undefined ? '' : ` (id ${JSON.stringify(id)})`}: ${issue.problem}`
}
