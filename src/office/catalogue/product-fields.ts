import type { DraftEntry } from '#server/catalogue/draft.ts'
import type { EnteredProduct } from '#server/catalogue/edit-product.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import { CATEGORIES, MAX_RATING, type ProductImage, SCALES } from '#shared/catalogue/catalogue.ts'

/** Empty rows for new sizes. */
export const NEW_ROWS = ['new0', 'new1', 'new2', 'new3']
const MOST_UNITS = 1_000_000

/** The form as it is shown: a product of the draft, or what was entered. */
export type ProductFields = {
  product: EnteredProduct
  isHidden: boolean
  /** The product's revision when the form was opened; 0 for a new one. */
  revision: number
  counts: CountFields
  categories: readonly string[]
}

/** The counts of stock by the suffix of their fields: as they are in the form, and as they were when it was opened. */
export type CountFields = ReadonlyMap<string, { entered: string; seen: string }>

/** The shop's own categories: those in use, and those of the filter buttons. */
export function categoriesOf(entries: readonly DraftEntry[]): string[] {
  const used = entries.map(({ product }) => product.category).filter(Boolean)
  return [...new Set([...used, ...CATEGORIES.filter((name) => name !== 'All')])].toSorted()
}

/** The names of the rows for new sizes that were filled in. */
function newRows(field: FormFields): string[] {
  return NEW_ROWS.filter((suffix) => field(`label-${suffix}`).trim())
}

/** A price as it was entered; NaN where it is none. */
function priceIn(text: string): number | null {
  const digits = text.replaceAll(/[\s,]/g, '')
  return digits === '' ? null : Number(digits)
}

/** The product that a posted form has; a size that was added to the draft meanwhile stays as it is. */
export function enteredProduct(before: EnteredProduct, field: FormFields): EnteredProduct {
  const scale = SCALES.find((name) => name === field('scale')) ?? null
  const known = before.sizes.map((size, index) => {
    if (!field.names.includes(`label-${size.id}`)) return size
    return {
      ...size,
      label: field(`label-${size.id}`).trim(),
      price: priceIn(field(`price-${size.id}`)),
      // The first size has the product's own id: it goes with the product.
      isHidden: index > 0 && field(`shown-${size.id}`) !== 'yes',
    }
  })
  const added = newRows(field).map((suffix) => ({
    label: field(`label-${suffix}`).trim(),
    price: priceIn(field(`price-${suffix}`)),
    isHidden: false,
  }))
  return {
    ...(before.id === undefined ? {} : { id: before.id }),
    title: field('title').trim(),
    description: field('description').trim().replaceAll('\r\n', '\n'),
    price: priceIn(field('price')),
    images: filledIn(imageRows(field)),
    category: field('category'),
    rate: Number(field('rate').replace(',', '.')),
    scale,
    sizes: [...known, ...added],
  }
}

type ImageRow = ProductImage & { suffix: string }

/** The rows for pictures, in the form's order. */
function imageRows(field: FormFields): ImageRow[] {
  const suffixes = field.names.flatMap((name) => /^image-(\w+)$/.exec(name)?.[1] ?? [])
  return suffixes.map((suffix) => ({
    suffix,
    image: field(`image-${suffix}`).trim(),
    alt: field(`alt-${suffix}`).trim(),
  }))
}

function filledIn(rows: readonly ImageRow[]): ProductImage[] {
  return rows.map(({ image, alt }) => ({ image, alt })).filter(({ image, alt }) => image || alt)
}

/** Where the buttons of a picture's row move it. */
export const PICTURE_MOVES = [
  ['first', 'First'],
  ['up', 'Up'],
  ['down', 'Down'],
  ['remove', 'Remove'],
] as const

/** The pictures of a posted form after a button of a row was used, whose value is as `up-3`; undefined when none was. */
export function arrangedImages(field: FormFields): ProductImage[] | undefined {
  const [to, suffix] = field('arrange').split('-')
  const rows = imageRows(field)
  const from = rows.findIndex((row) => row.suffix === suffix)
  const [row] = from < 0 ? [] : rows.splice(from, 1)
  if (!row) return undefined
  if (to === 'first') rows.unshift(row)
  if (to === 'up') rows.splice(Math.max(from - 1, 0), 0, row)
  if (to === 'down') rows.splice(from + 1, 0, row)
  return filledIn(rows)
}

/** The counts as they were typed. New sizes move together, as the form shows them. */
export function enteredCounts({ sizes }: EnteredProduct, field: FormFields): CountFields {
  const known = ['own', ...sizes.flatMap(({ id }) => (id === undefined ? [] : String(id)))]
  const rows = [
    ...known.map((suffix) => [suffix, suffix]),
    ...newRows(field).map((from, n) => [NEW_ROWS[n], from]),
  ]
  return new Map(
    rows.map(([suffix = '', from = '']) => [
      suffix,
      { entered: field(`units-${from}`).trim(), seen: field(`seen-units-${from}`) },
    ]),
  )
}

/** What cannot be saved, even in a draft. */
export function problemOf(
  field: FormFields,
  { title, price, rate, sizes }: EnteredProduct,
): string | undefined {
  if (!title) return 'Please enter a name.'
  if ([price, ...sizes.map((size) => size.price)].some((value) => Number.isNaN(value)))
    return 'Please enter prices in KSH, for example 1250 or 99.50.'
  if (!(rate >= 0 && rate <= MAX_RATING)) return `Please enter a rating from 0 to ${MAX_RATING}.`
  const names = ['own', ...sizes.flatMap(({ id }) => id ?? []).map(String), ...newRows(field)]
  const counts = names.map((name) => field(`units-${name}`).trim())
  if (counts.some((text) => text !== '' && !(/^\d+$/.test(text) && Number(text) <= MOST_UNITS)))
    return 'Please enter a stock count, or leave it empty for made to order.'
  return undefined
}

export type Count = { itemId: number; name: string; onHand: number | null; seen: number | null }

/** The counts that are different from those that were shown. */
export function stockCountsOf(
  field: FormFields,
  entered: EnteredProduct,
  id: number,
  sizes: readonly { id: number; label: string }[],
): Count[] {
  const units = (text: string) => (text.trim() === '' ? null : Number(text))
  const suffixes = [...entered.sizes.flatMap((size) => size.id ?? []).map(String), ...newRows(field)]
  const fields =
    sizes.length > 0
      ? sizes.map(({ id, label }, index) => ({ itemId: id, name: label, suffix: suffixes[index] ?? '' }))
      : [{ itemId: id, name: entered.title, suffix: 'own' }]
  return fields.flatMap(({ itemId, name, suffix }) => {
    const onHand = units(field(`units-${suffix}`))
    const seen = units(field(`seen-units-${suffix}`))
    return onHand === seen ? [] : [{ itemId, name, onHand, seen }]
  })
}
