import type { ProductImage, SizeScale } from '#shared/catalogue/catalogue.ts'
import { shop } from '#shared/shop.ts'
import type { LineProblem, Row } from './table.ts'
import { parseAmountKsh } from './values.ts'

export type ImportedSize = {
  line: number
  id?: number
  label: string
  prices: ImportedPrices
}

/** Prices are in KSH, and `price` is the regular one. A price is undefined if the file lacks its column. */
export type ImportedPrices = { price?: number | null; salePrice?: number | null }

/** An undefined field keeps the draft's value. */
export type ImportedProduct = {
  line: number
  /** Undefined if the file has no product number. The product is then found by its title. */
  id?: number
  title?: string
  description?: string
  category?: string
  rate?: number | null
  isHidden?: boolean
  images?: readonly ProductImage[]
  prices?: ImportedPrices
  saleStartsAt?: string | null
  saleEndsAt?: string | null
  scale?: SizeScale | null
  /** Empty if the product has no sizes. */
  sizes?: readonly ImportedSize[]
  /** The prices by item id, for a file that has prices but no size column. */
  itemPrices?: ReadonlyMap<number, ImportedPrices>
  problems: readonly LineProblem[]
}

const MAX_NAME_CHARACTERS = 40

export function listAmountProblems(row: Row, column: string, text: string): LineProblem[] {
  const amount = parseAmountKsh(text)
  if (amount === null || amount >= 0) return []
  return [
    {
      line: row.line,
      problem: `${column} “${text.slice(0, MAX_NAME_CHARACTERS)}” isn’t an amount`,
      fix: `Enter it in ${shop.currency}, for example 1250 or 99.50.`,
    },
  ]
}

/**
 * If the compare-at price is above the price, the product is on sale, and the compare-at price is its regular price.
 */
export function parsePrices(priceText: string, compareAtText: string): ImportedPrices {
  const [price, compareAt] = [parseAmountKsh(priceText), parseAmountKsh(compareAtText)]
  return price !== null && compareAt !== null && compareAt > price
    ? { price: compareAt, salePrice: price }
    : { price, salePrice: null }
}

export function listSurplusProblems({ line, surplusCellCount }: Row): LineProblem[] {
  if (surplusCellCount === 0) return []
  return [
    {
      line,
      problem: 'The row has more cells than the file has columns',
      fix: 'Put text that contains the separator in quotation marks.',
    },
  ]
}

export function groupRows(rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  return [...groups.values()]
}

/** Adds missing descriptions if there are several images. A single image needs none. */
export function addImageDescriptions(
  images: readonly ProductImage[],
  title: string,
): readonly ProductImage[] {
  if (images.length < 2) return images
  return images.map(({ image, alt }, index) => ({
    image,
    alt: alt || (index === 0 ? title : `${title}, photo ${index + 1}`),
  }))
}
