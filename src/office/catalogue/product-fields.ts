import type { Draft } from '#server/catalogue/draft.ts'
import { parseDraftCategories } from '#server/catalogue/edit-categories.ts'
import type { ProductInput } from '#server/catalogue/edit-product.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import { MAX_RATING, type ProductImage, SIZE_SCALES } from '#shared/catalogue/catalogue.ts'
import { priceSchema } from '#shared/catalogue/catalogue-schema.ts'
import { formatNumber } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { formatShopDateTime, parseShopDateTime } from '#shared/time.ts'

export const NEW_ROW_SUFFIXES = ['new0', 'new1', 'new2', 'new3']
export const MAX_STOCK_UNITS = 1_000_000
export const STOCK_MESSAGE = `Please enter the stock as a whole number up to ${formatNumber(MAX_STOCK_UNITS)}, or leave it empty if the item is made to order.`

export type ProductFields = {
  product: ProductInput
  isHidden: boolean
  /** 0 for a new product. */
  revision: number
  counts: StockCountFields
  categories: readonly string[]
  /** The number, as entered, of the product to which this product's URL redirects while this one is hidden. */
  redirectTo: string
  /** The posted texts, from which the form shows invalid numbers again. */
  typed?: FormFields
  problem?: ProductProblem
}

/** The stock by field suffix: the count as entered, and the count when the form was opened. */
export type StockCountFields = ReadonlyMap<string, { entered: string; expected: string }>

export function listUsableCategories(draft: Draft): string[] {
  const { entries } = draft
  const usedCategories = entries.map(({ product }) => product.category).filter(Boolean)
  return [...new Set([...usedCategories, ...parseDraftCategories(draft).slice(1)])].toSorted()
}

export function listFilledInRowSuffixes(field: FormFields): string[] {
  return NEW_ROW_SUFFIXES.filter((suffix) => field(`label-${suffix}`).trim())
}

function parsePriceKsh(text: string): number | null {
  const digits = text.replaceAll(/[\s,]/g, '')
  return digits === '' ? null : Number(digits)
}

/** Returns an invalid text as entered, so that the form can show it again. */
function parseDateTimeInput(text: string): string | null {
  const atMs = parseShopDateTime(text.trim())
  return atMs === undefined ? text.trim() || null : new Date(atMs).toISOString()
}

/** `Date.parse` alone would also read some of the texts that {@link parseDateTimeInput} returns as entered. */
function parseMoment(moment: string): number {
  return /^\d{4}-.*(Z|[+-]\d\d:\d\d)$/.test(moment) ? Date.parse(moment) : Number.NaN
}

export function formatDateTimeInput(moment: string | null): string {
  const atMs = parseMoment(moment ?? '')
  return Number.isNaN(atMs) ? (moment ?? '') : formatShopDateTime(atMs)
}

function parseRating(text: string): number | null {
  return text.trim() === '' ? null : Number(text.replace(',', '.'))
}

/** Keeps sizes that someone else has added since the form was opened. */
export function parseEnteredProduct(before: ProductInput, field: FormFields): ProductInput {
  const scale = SIZE_SCALES.find((name) => name === field('scale')) ?? null
  const existing = before.sizes.map((size, index) => {
    if (!field.names.includes(`label-${size.id}`)) return size
    const label = field(`label-${size.id}`).trim()
    const isRemoved = scale === null && label === ''
    return {
      ...size,
      label: isRemoved ? size.label : label,
      price: parsePriceKsh(field(`price-${size.id}`)),
      salePrice: parsePriceKsh(field(`sale-${size.id}`)),
      // The first size has the product's id, so while the product has sizes, it can't be hidden on its own.
      isHidden:
        isRemoved || (index > 0 ? field(`shown-${size.id}`) !== 'yes' : scale === null && size.isHidden),
    }
  })
  const added = listFilledInRowSuffixes(field).map((suffix) => ({
    label: field(`label-${suffix}`).trim(),
    price: parsePriceKsh(field(`price-${suffix}`)),
    salePrice: parsePriceKsh(field(`sale-${suffix}`)),
    isHidden: false,
  }))
  return {
    ...(before.id === undefined ? {} : { id: before.id }),
    title: field('title').trim(),
    description: field('description').trim().replaceAll('\r\n', '\n'),
    price: parsePriceKsh(field('price')),
    salePrice: parsePriceKsh(field('salePrice')),
    saleStartsAt: parseDateTimeInput(field('saleStartsAt')),
    saleEndsAt: parseDateTimeInput(field('saleEndsAt')),
    images: listFilledInImages(readImageRows(field)),
    category: field('category'),
    rate: parseRating(field('rate')),
    scale,
    sizes: [...existing, ...added],
  }
}

type ImageRow = ProductImage & { suffix: string }

function readImageRows(field: FormFields): ImageRow[] {
  const suffixes = field.names.flatMap((name) => /^image-(\w+)$/.exec(name)?.[1] ?? [])
  return suffixes.map((suffix) => ({
    suffix,
    image: field(`image-${suffix}`).trim(),
    alt: field(`alt-${suffix}`).trim(),
  }))
}

function listFilledInImages(rows: readonly ImageRow[]): ProductImage[] {
  return rows.map(({ image, alt }) => ({ image, alt })).filter(({ image, alt }) => image || alt)
}

export const PHOTO_ACTIONS = [
  ['first', 'Make main photo'],
  ['up', 'Move up'],
  ['down', 'Move down'],
  ['remove', 'Remove photo'],
] as const

/** The field `arrange` names the pressed button, such as `up-3`. Returns undefined if it names no photo of the form. */
export function arrangeImages(field: FormFields): ProductImage[] | undefined {
  const [to, suffix] = field('arrange').split('-')
  const rows = readImageRows(field)
  const from = rows.findIndex((row) => row.suffix === suffix)
  const [row] = from < 0 ? [] : rows.splice(from, 1)
  if (!row) return undefined
  if (to === 'first') rows.unshift(row)
  if (to === 'up') rows.splice(Math.max(from - 1, 0), 0, row)
  if (to === 'down') rows.splice(from + 1, 0, row)
  return listFilledInImages(rows)
}

/** New sizes move to the first empty rows, where the form shows them again. */
export function parseStockCountFields({ sizes }: ProductInput, field: FormFields): StockCountFields {
  const existing = ['own', ...sizes.flatMap(({ id }) => (id === undefined ? [] : String(id)))]
  const rows = [
    ...existing.map((suffix) => [suffix, suffix]),
    ...listFilledInRowSuffixes(field).map((from, n) => [NEW_ROW_SUFFIXES[n], from]),
  ]
  return new Map(
    rows.map(([suffix = '', from = '']) => [
      suffix,
      { entered: field(`units-${from}`).trim(), expected: field(`seen-units-${from}`) },
    ]),
  )
}

/** `field` is the name of the form's invalid field. */
export type ProductProblem = { field: string; message: string }

/** Returns the problem that prevents saving the product, even as a draft. */
export function findProductProblem(field: FormFields, product: ProductInput): ProductProblem | undefined {
  const { title, rate } = product
  if (!title) return { field: 'title', message: 'Please enter a name.' }
  const problem = findPriceProblem(product) ?? findSaleProblem(product)
  if (problem) return problem
  if (rate !== null && !(rate >= 0 && rate <= MAX_RATING))
    return { field: 'rate', message: `Please enter a rating from 0 to ${MAX_RATING}.` }
  return findSizeProblem(product) ?? findStockProblem(field, product)
}

/** Returns each size with the suffix of its fields. New sizes are shown in the first rows. */
function listSizeRows({ sizes }: ProductInput) {
  const newSizes = sizes.filter(({ id }) => id === undefined)
  return sizes.map((size) => ({
    ...size,
    suffix: size.id === undefined ? (NEW_ROW_SUFFIXES[newSizes.indexOf(size)] ?? '') : String(size.id),
  }))
}

function findPriceProblem(product: ProductInput): ProductProblem | undefined {
  const prices = [
    ...listPriceFields(product, 'price', 'salePrice'),
    ...listSizeRows(product).flatMap((size) =>
      listPriceFields(size, `price-${size.suffix}`, `sale-${size.suffix}`),
    ),
  ]
  for (const { field, name, price } of prices) {
    if (price === null) continue
    if (!Number.isFinite(price))
      return { field, message: `Please enter prices in ${shop.currency}, for example 1250 or 99.50.` }
    const [issue] = priceSchema.safeParse(price).error?.issues ?? []
    if (issue) return { field, message: `${name} ${issue.message}.` }
  }
  return undefined
}

function listPriceFields(
  { price, salePrice }: Pick<ProductInput, 'price' | 'salePrice'>,
  priceField: string,
  saleField: string,
) {
  return [
    { field: priceField, name: 'The price', price },
    { field: saleField, name: 'The sale price', price: salePrice },
  ]
}

function findSizeProblem(product: ProductInput): ProductProblem | undefined {
  const shown = listSizeRows(product).filter(({ isHidden }) => !isHidden)
  if (product.scale === null && shown.length > 0)
    return {
      field: 'scale',
      message: 'Please choose a size type, or remove the sizes by clearing their names.',
    }
  const labels = shown.map(({ label }) => label)
  const repeated = shown.find(({ label }, index) => label && labels.indexOf(label) < index)
  return (
    repeated && {
      field: `label-${repeated.suffix}`,
      message: `Two sizes are named “${repeated.label}”. Please give each size a different name.`,
    }
  )
}

function findStockProblem(field: FormFields, product: ProductInput): ProductProblem | undefined {
  for (const [suffix, { entered }] of parseStockCountFields(product, field))
    if (entered !== '' && !(/^\d+$/.test(entered) && Number(entered) <= MAX_STOCK_UNITS))
      return { field: `units-${suffix}`, message: STOCK_MESSAGE }
  return undefined
}

function findSaleProblem(product: ProductInput): ProductProblem | undefined {
  const { price, saleStartsAt, saleEndsAt } = product
  const rows = [
    { field: 'salePrice', regular: price, sale: product.salePrice },
    ...listSizeRows(product).map((size) => ({
      field: `sale-${size.suffix}`,
      regular: size.price ?? price,
      sale: size.salePrice,
    })),
  ]
  const tooHigh = rows.find(({ regular, sale }) => sale !== null && (regular === null || sale >= regular))
  if (tooHigh)
    return { field: tooHigh.field, message: 'The sale price must be lower than the regular price.' }
  const [startMs, endMs] = [saleStartsAt, saleEndsAt].map((moment) =>
    moment === null ? undefined : parseMoment(moment),
  )
  if (Number.isNaN(startMs) || Number.isNaN(endMs))
    return {
      field: Number.isNaN(startMs) ? 'saleStartsAt' : 'saleEndsAt',
      message: 'Please enter a date and a time under “Starts” and “Ends”, or leave them empty.',
    }
  if (startMs !== undefined && endMs !== undefined && startMs >= endMs)
    return { field: 'saleEndsAt', message: 'The sale must end after it starts.' }
  return undefined
}

export type StockCountChange = {
  itemId: number
  name: string
  onHand: number | null
  expectedOnHand: number | null
}

export function listStockCountChanges(
  field: FormFields,
  entered: ProductInput,
  id: number,
  sizes: readonly { id: number; label: string }[],
): StockCountChange[] {
  const parseUnits = (text: string) => (text.trim() === '' ? null : Number(text))
  const suffixes = [
    ...entered.sizes.flatMap((size) => size.id ?? []).map(String),
    ...listFilledInRowSuffixes(field),
  ]
  const fields =
    sizes.length > 0
      ? sizes.map(({ id, label }, index) => ({
          itemId: id,
          name: `size ${label}`,
          suffix: suffixes[index] ?? '',
        }))
      : [{ itemId: id, name: entered.title, suffix: 'own' }]
  return fields.flatMap(({ itemId, name, suffix }) => {
    const onHand = parseUnits(field(`units-${suffix}`))
    const expectedOnHand = parseUnits(field(`seen-units-${suffix}`))
    return onHand === expectedOnHand ? [] : [{ itemId, name, onHand, expectedOnHand }]
  })
}
