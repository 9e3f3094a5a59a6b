import type * as z from 'zod/mini'
import { formatNumber } from '../format.ts'
import { type Catalogue, listProductImages } from './catalogue.ts'
import { catalogueSchema } from './catalogue-schema.ts'
import { listProductItems } from './items.ts'

export const MAX_ITEM_ID = 1_000_000_000
export const MAX_FIELD_CHARACTERS = {
  title: 200,
  description: 5000,
  category: 60,
  image: 500,
  alt: 200,
  label: 40,
} as const

/** An issue without an index applies to the whole file. */
export type CatalogueIssue = { index?: number; problem: string }

/**
 * If the schema finds no issues, checks further limits, which aren't in the schema because published versions may
 * exceed limits added later.
 */
export function findCatalogueIssues(file: unknown): CatalogueIssue[] {
  const result = catalogueSchema.safeParse(file)
  if (result.success) return findLimitIssues(result.data)
  return result.error.issues.map((issue) => {
    const [index, ...path] = issue.path
    if (index === undefined) return { problem: 'The file must be a list of products.' }
    const problem = `${formatFieldLabel(path)} ${formatProblem(getValueAt(file, issue.path), issue)}`
    return { index: Number(index), problem }
  })
}

function findLimitIssues(catalogue: Catalogue): CatalogueIssue[] {
  return catalogue.flatMap((product, index) => {
    const issue = (path: readonly PropertyKey[], problem: string) => ({
      index,
      problem: `${formatFieldLabel(path)} ${problem}`,
    })
    const { title, description, category, images, sizing } = product
    const pictures = images ?? listProductImages(product).map(({ image }) => ({ image, alt: '' }))
    const texts: [path: readonly PropertyKey[], limit: keyof typeof MAX_FIELD_CHARACTERS, value: string][] = [
      [['title'], 'title', title],
      [['description'], 'description', description],
      [['category'], 'category', category],
      ...pictures.flatMap(({ image, alt }, n): typeof texts => [
        [['images', n, 'image'], 'image', image],
        [['images', n, 'alt'], 'alt', alt],
      ]),
      ...(sizing?.sizes ?? []).map(({ label }, n): (typeof texts)[number] => [
        ['sizes', n, 'label'],
        'label',
        label,
      ]),
    ]
    const ids = listProductItems(product).map(({ id }, n) => ({
      id,
      path: n === 0 ? ['id'] : ['sizes', n, 'id'],
    }))
    return [
      ...ids.flatMap(({ id, path }) =>
        id > MAX_ITEM_ID ? issue(path, `must be at most ${formatNumber(MAX_ITEM_ID)}`) : [],
      ),
      ...texts.flatMap(([path, limit, value]) => {
        if (LONE_SURROGATE_PATTERN.test(value))
          return issue(path, 'contains a character that can’t be stored')
        const max = MAX_FIELD_CHARACTERS[limit]
        return value.length > max ? issue(path, `must be at most ${formatNumber(max)} characters`) : []
      }),
    ]
  })
}

const LONE_SURROGATE_PATTERN = /\p{Surrogate}/u

const FIELD_LABELS: Readonly<Record<string, string>> = {
  id: 'ID',
  title: 'Name',
  name: 'Name',
  description: 'Description',
  price: 'Price',
  compareAtPrice: 'Regular price',
  saleStartsAt: 'Sale start',
  saleEndsAt: 'Sale end',
  image: 'Main photo',
  images: 'Photos',
  category: 'Category',
  rating: 'Rating',
  scale: 'Size type',
  sizes: 'Sizes',
}
const ROW_LABELS: Readonly<Record<string, string>> = { images: 'Photo', sizes: 'Size' }
const ROW_FIELD_LABELS: Readonly<Record<string, string>> = {
  id: 'ID',
  alt: 'description',
  image: 'link',
  label: 'name',
  compareAtPrice: 'regular price',
}

/** `images.1.alt` becomes `Photo 2 description`. */
function formatFieldLabel([field, row, rowField]: readonly PropertyKey[]): string {
  if (field === undefined) return 'Product'
  const rowLabel = ROW_LABELS[String(field)]
  if (!rowLabel || row === undefined) return FIELD_LABELS[String(field)] ?? String(field)
  const label = `${rowLabel} ${Number(row) + 1}`
  return rowField === undefined ? label : `${label} ${ROW_FIELD_LABELS[String(rowField)] ?? String(rowField)}`
}

const TYPE_PROBLEMS: Readonly<Record<string, string>> = {
  number: 'must be a number',
  int: 'must be a whole number',
  string: 'must be text',
  array: 'must be a list',
}

function formatProblem(value: unknown, issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom') return issue.message
  if (value === undefined || value === null || value === '') return 'is missing'
  if (issue.code === 'invalid_type') return TYPE_PROBLEMS[issue.expected] ?? 'is invalid'
  return issue.message
}

function getValueAt(file: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value && typeof value === 'object' ? Reflect.get(value, key) : undefined),
    file,
  )
}

export function describeFirstIssue(file: unknown): string | undefined {
  const [issue] = findCatalogueIssues(file)
  if (issue?.index === undefined) return issue?.problem
  const id = getValueAt(file, [issue.index, 'id'])
  return `Item ${issue.index + 1}${id === undefined ? '' : ` (ID ${JSON.stringify(id)})`}: ${issue.problem}`
}
