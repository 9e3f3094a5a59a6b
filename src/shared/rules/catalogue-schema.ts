import * as z from 'zod/mini'
import { type Catalogue, MAX_RATING, type Product } from './catalogue.ts'
import { dataSaverCatalogue } from './catalogue-views.ts'

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
    rating: z.object({
      rate: z.number().check(z.minimum(0, RATING_RANGE), z.maximum(MAX_RATING, RATING_RANGE)),
    }),
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

/** The whole of `Items.json`: products with distinct ids (§ 7). */
export const catalogueSchema = z.array(productSchema).check(({ value, issues }) => {
  const seen = new Set<number>()
  value.forEach(({ id }, index) => {
    if (seen.has(id))
      issues.push({ code: 'custom', message: 'is used twice', path: [index, 'id'], input: value })
    seen.add(id)
  })
})

/** The catalogue in a file, with data-saver images for visitors who save data; throws when the file is invalid. */
export function catalogueIn(file: unknown, savesData: boolean): Catalogue {
  const catalogue = catalogueSchema.parse(file)
  return savesData ? dataSaverCatalogue(catalogue) : catalogue
}

/** What is wrong with a catalogue file, naming the item and the field; `undefined` when nothing is. */
export function catalogueProblem(file: unknown): string | undefined {
  const result = catalogueSchema.safeParse(file)
  if (result.success) return undefined
  const [issue] = result.error.issues
  const [index, ...field] = issue?.path ?? []
  if (index === undefined) return 'The file must be a list of products.'
  const entry: unknown = Array.isArray(file) ? file[Number(index)] : undefined
  const id = entry && typeof entry === 'object' && 'id' in entry ? ` (id ${JSON.stringify(entry.id)})` : ''
  const problem = issue?.code === 'invalid_type' ? `must be of type ${issue.expected}` : issue?.message
  return `Item ${Number(index) + 1}${id}, field "${field.join('.') || 'the whole item'}": ${problem}`
}
