import { SIZE_SCALES } from '#shared/catalogue/catalogue.ts'
import { MAX_IMAGES } from '#shared/catalogue/catalogue-schema.ts'
import {
  groupRows,
  type ImportedPrices,
  type ImportedProduct,
  listAmountProblems,
  listSurplusProblems,
} from './imported-product.ts'
import type { LineProblem, Row, Table } from './table.ts'
import { parseAmountKsh, parseDateTime } from './values.ts'

/** Each row is an item. Columns such as Name are filled only in a product's first row. */
export const OWN_COLUMNS = [
  ...['Product', 'Item', 'Name', 'Description', 'Category', 'Visible', 'Price KSH', 'Sale price KSH'],
  ...['Sale starts', 'Sale ends', 'Size type', 'Size', 'Rating'],
  ...Array.from({ length: MAX_IMAGES }, (_, index) => [
    `Photo ${index + 1}`,
    `Photo ${index + 1} description`,
  ]).flat(),
] as const

export function isOwnExport({ columns }: Table): boolean {
  return columns.includes('product') && columns.includes('item')
}

export function readOwnColumns({ columns, rows }: Table): ImportedProduct[] {
  const hasColumn: HasColumn = (column) => columns.includes(column)
  return groupRows(rows, (row) => row.cell('product') || `line ${row.line}`).map((group) =>
    readProduct(group, hasColumn),
  )
}

type HasColumn = (column: string) => boolean

function readProduct(rows: readonly Row[], has: HasColumn): ImportedProduct {
  const [first] = rows
  if (!first) throw new Error('A group of rows is empty.')
  const scaleText = first.cell('size type').toLowerCase()
  const scale = SIZE_SCALES.find((name) => name === scaleText) ?? null
  const rating = first.cell('rating')
  const [saleStartsAt, saleEndsAt] = [
    parseDateTime(first.cell('sale starts')),
    parseDateTime(first.cell('sale ends'), { isEnd: true }),
  ]
  const visible = first.cell('visible').toLowerCase()
  const problems: LineProblem[] = [
    ...rows.flatMap((row) => [
      ...listSurplusProblems(row),
      ...listIdProblems(row, 'item'),
      ...listAmountProblems(row, 'Price', row.cell('price ksh')),
      ...listAmountProblems(row, 'Sale price', row.cell('sale price ksh')),
    ]),
    ...listIdProblems(first, 'product'),
    ...(scaleText && !scale
      ? [
          createProblem(
            first,
            `Size type “${scaleText.slice(0, 40)}” is unknown`,
            `Use one of ${SIZE_SCALES.join(', ')}.`,
          ),
        ]
      : []),
    ...(['yes', 'no', ''].includes(visible)
      ? []
      : [createProblem(first, 'Visible isn’t yes or no', 'Enter yes or no.')]),
    ...(saleStartsAt === undefined || saleEndsAt === undefined
      ? [
          createProblem(
            first,
            '“Sale starts” or “Sale ends” isn’t a valid date',
            'Use the format 2026-12-24 or 2026-12-24 00:00.',
          ),
        ]
      : []),
    ...(Number.isNaN(Number(rating))
      ? [createProblem(first, 'Rating isn’t a number', 'Enter a number from 0 to 5, or leave it empty.')]
      : []),
  ]
  const id = parseId(first.cell('product'))
  return {
    line: first.line,
    ...(id !== undefined && { id }),
    ...(has('name') && { title: first.cell('name') }),
    ...(has('description') && { description: first.cell('description').replaceAll('\r\n', '\n') }),
    ...(has('category') && { category: first.cell('category') }),
    ...(has('visible') && { isHidden: visible === 'no' }),
    prices: readPrices(first, has),
    ...(has('sale starts') && { saleStartsAt: saleStartsAt ?? null }),
    ...(has('sale ends') && { saleEndsAt: saleEndsAt ?? null }),
    ...(has('size type') && { scale }),
    ...(has('rating') && { rate: rating === '' ? null : Number(rating) }),
    ...(has('photo 1') && { images: readImages(first) }),
    ...(has('size') && {
      sizes: scaleText === '' && has('size type') ? [] : rows.map((row) => readSize(row, has)),
    }),
    ...(!has('size') && { itemPrices: readItemPrices(rows, has) }),
    problems,
  }
}

function readItemPrices(rows: readonly Row[], has: HasColumn) {
  return new Map(
    rows.flatMap((row) => {
      const id = parseId(row.cell('item'))
      return id === undefined ? [] : [[id, readPrices(row, has)] as const]
    }),
  )
}

function readSize(row: Row, has: HasColumn) {
  const id = parseId(row.cell('item'))
  return {
    line: row.line,
    ...(id !== undefined && { id }),
    label: row.cell('size'),
    prices: readPrices(row, has),
  }
}

function readPrices(row: Row, has: HasColumn): ImportedPrices {
  return {
    ...(has('price ksh') && { price: parseAmountKsh(row.cell('price ksh')) }),
    ...(has('sale price ksh') && { salePrice: parseAmountKsh(row.cell('sale price ksh')) }),
  }
}

function readImages(row: Row) {
  return Array.from({ length: MAX_IMAGES }, (_, index) => ({
    image: row.cell(`photo ${index + 1}`),
    alt: row.cell(`photo ${index + 1} description`),
  })).filter(({ image, alt }) => image || alt)
}

function parseId(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function listIdProblems(row: Row, column: string): LineProblem[] {
  const text = row.cell(column)
  return text === '' || parseId(text) !== undefined
    ? []
    : [
        createProblem(
          row,
          `“${text.slice(0, 40)}” isn’t a valid ${column.toLowerCase()} number`,
          `Leave ${column} empty for a new ${column.toLowerCase()}.`,
        ),
      ]
}

function createProblem({ line }: Row, problem: string, fix: string): LineProblem {
  return { line, problem, fix }
}
