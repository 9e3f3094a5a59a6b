import { MAX_IMAGES } from '#shared/catalogue/catalogue-schema.ts'
import {
  addImageDescriptions,
  type ImportedPrices,
  type ImportedProduct,
  listAmountProblems,
  listSurplusProblems,
} from './imported-product.ts'
import type { LineProblem, Row, Table } from './table.ts'
import { htmlToText, parseAmountKsh, parseCategoryPaths, parseDateTime } from './values.ts'

export function isWooCommerceExport({ columns }: Table): boolean {
  return ['type', 'name', 'regular price'].every((name) => columns.includes(name))
}

/** A variation names its parent by id or SKU. */
export function readWooCommerce({ rows }: Table): ImportedProduct[] {
  const isVariation = (row: Row) => /^variation\b/.test(readType(row))
  const variations = Map.groupBy(rows.filter(isVariation), (row) => row.cell('parent').replace(/^id:\s*/, ''))
  const parents = rows.filter((row) => !isVariation(row))
  const parentKeys = new Set(parents.flatMap((row) => [row.cell('id'), row.cell('sku')]))
  const orphans = [...variations].filter(([parent]) => !parentKeys.has(parent)).flatMap(([, rows]) => rows)
  return [
    ...parents.map((row) => {
      const keys = [row.cell('id'), row.cell('sku')].filter(Boolean)
      return readProduct(
        row,
        [...new Set(keys)].flatMap((key) => variations.get(key) ?? []),
      )
    }),
    ...orphans.map((row) => ({
      line: row.line,
      problems: [
        {
          line: row.line,
          problem: 'The variation’s product isn’t in the file',
          fix: 'Export the product together with its variations.',
        },
      ],
    })),
  ]
}

function readType(row: Row): string {
  return row.cell('type').toLowerCase()
}

function readProduct(row: Row, variations: readonly Row[]): ImportedProduct {
  const title = row.cell('name')
  const priced = variations.length > 0 ? variations : [row]
  const sale = priced.find((variation) => variation.cell('sale price')) ?? row
  const [saleStartsAt, saleEndsAt] = [
    parseDateTime(sale.cell('date sale price starts')),
    parseDateTime(sale.cell('date sale price ends'), { isEnd: true }),
  ]
  return {
    line: row.line,
    title,
    description: htmlToText(row.cell('description', 'short description')).replaceAll('\\n', '\n') || title,
    category: parseCategoryPaths(row.cell('categories').split(',')),
    isHidden: row.cell('published') !== '1' || row.cell('visibility in catalog').toLowerCase() === 'hidden',
    images: addImageDescriptions(readImages(row), title),
    prices: readPrices(priced[0] ?? row),
    saleStartsAt: saleStartsAt ?? null,
    saleEndsAt: saleEndsAt ?? null,
    sizes: variations.map((variation) => ({
      line: variation.line,
      label: formatVariationLabel(variation),
      prices: readPrices(variation),
    })),
    problems: [
      ...listTypeProblems(row),
      ...[row, ...variations].flatMap((each) => [
        ...listSurplusProblems(each),
        ...listAmountProblems(each, 'Regular price', each.cell('regular price')),
        ...listAmountProblems(each, 'Sale price', each.cell('sale price')),
      ]),
      ...(saleStartsAt === undefined || saleEndsAt === undefined ? [createDateProblem(sale)] : []),
    ],
  }
}

function readPrices(row: Row): ImportedPrices {
  return {
    price: parseAmountKsh(row.cell('regular price')),
    salePrice: parseAmountKsh(row.cell('sale price')),
  }
}

function formatVariationLabel(row: Row): string {
  const values = [1, 2, 3].map((attribute) => row.cell(`attribute ${attribute} value(s)`)).filter(Boolean)
  return values.join(' / ')
}

function readImages(row: Row) {
  const urls = row
    .cell('images')
    .split(/,\s+(?=https?:|\/)/)
    .map((url) => url.trim())
  return [...new Set(urls.filter(Boolean))].slice(0, MAX_IMAGES).map((image) => ({ image, alt: '' }))
}

const IMPORTED_TYPE_PATTERN = /^(simple|variable)\b/

function listTypeProblems(row: Row): LineProblem[] {
  if (IMPORTED_TYPE_PATTERN.test(readType(row))) return []
  return [
    {
      line: row.line,
      problem: `Products of type “${row.cell('type').slice(0, 40)}” can’t be imported`,
      fix: 'Remove this product from the file. Only simple and variable products can be imported.',
    },
  ]
}

function createDateProblem(row: Row): LineProblem {
  return {
    line: row.line,
    problem: 'The sale’s start or end date isn’t valid',
    fix: 'Use the format 2026-12-24 or 2026-12-24 00:00.',
  }
}
