import { MAX_IMAGES } from '#shared/catalogue/catalogue-schema.ts'
import {
  addImageDescriptions,
  groupRows,
  type ImportedProduct,
  listAmountProblems,
  listSurplusProblems,
  parsePrices,
} from './imported-product.ts'
import type { Row, Table } from './table.ts'
import { htmlToText, parseCategoryPaths } from './values.ts'

/** Column names before and after Shopify's changes of 2025. */
const COLUMN_NAMES = {
  handle: ['handle', 'url handle'],
  description: ['body (html)', 'description'],
  category: ['type', 'product category'],
  published: ['published', 'published on online store'],
  price: ['variant price', 'price'],
  compareAt: ['variant compare at price', 'compare-at price'],
  image: ['image src', 'product image url'],
  position: ['image position'],
  alt: ['image alt text'],
} as const

export function isShopifyExport({ columns }: Table): boolean {
  return (
    columns.includes('title') &&
    [COLUMN_NAMES.handle, COLUMN_NAMES.price].every((names) => names.some((name) => columns.includes(name)))
  )
}

/** The rows of a product share a handle, and usually only the first one has the texts. */
export function readShopify({ rows }: Table): ImportedProduct[] {
  return groupRows(rows, (row) => row.cell(...COLUMN_NAMES.handle) || `line ${row.line}`).map(readProduct)
}

function readProduct(rows: readonly Row[]): ImportedProduct {
  const first = rows.find((row) => row.cell('title')) ?? rows[0]
  if (!first) throw new Error('A group of rows is empty.')
  const title = first.cell('title')
  const variants = rows.filter((row) => row.cell(...COLUMN_NAMES.price))
  const labelled = variants.map((row) => ({ row, label: formatVariantLabel(row) }))
  const isSized = labelled.some(({ label }) => label !== '')
  return {
    line: first.line,
    title,
    description: htmlToText(first.cell(...COLUMN_NAMES.description)) || title,
    category: first.cell('type') || parseCategoryPaths([first.cell('product category')]),
    isHidden: isHidden(first),
    images: addImageDescriptions(readImages(rows), title),
    prices: readPrices(variants[0] ?? first),
    saleStartsAt: null,
    saleEndsAt: null,
    sizes: isSized
      ? labelled.map(({ row, label }) => ({ line: row.line, label, prices: readPrices(row) }))
      : [],
    problems: rows.flatMap((row) => [
      ...listSurplusProblems(row),
      ...listAmountProblems(row, 'Price', row.cell(...COLUMN_NAMES.price)),
      ...listAmountProblems(row, 'Compare-at price', row.cell(...COLUMN_NAMES.compareAt)),
    ]),
  }
}

function readPrices(row: Row) {
  return parsePrices(row.cell(...COLUMN_NAMES.price), row.cell(...COLUMN_NAMES.compareAt))
}

/** Shopify gives a product without options the option value `Default Title`. */
function formatVariantLabel(row: Row): string {
  const values = [1, 2, 3].map((option) => row.cell(`option${option} value`)).filter(Boolean)
  return values.join() === 'Default Title' ? '' : values.join(' / ')
}

function isHidden(row: Row): boolean {
  const status = row.cell('status').toLowerCase()
  return (
    (status !== '' && status !== 'active') || row.cell(...COLUMN_NAMES.published).toLowerCase() === 'false'
  )
}

function readImages(rows: readonly Row[]) {
  const images = rows.flatMap((row, index) => {
    const image = row.cell(...COLUMN_NAMES.image)
    const position = Number(row.cell(...COLUMN_NAMES.position)) || index + 1
    return image ? [{ image, alt: row.cell(...COLUMN_NAMES.alt), position }] : []
  })
  const distinct = new Map(images.map((picture) => [picture.image, picture]))
  return [...distinct.values()]
    .toSorted((a, b) => a.position - b.position)
    .slice(0, MAX_IMAGES)
    .map(({ image, alt }) => ({ image, alt }))
}
