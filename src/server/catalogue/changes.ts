import type { Catalogue, Product } from '#shared/catalogue/catalogue.ts'
import { findItem, type Item, listProductItems } from '#shared/catalogue/items.ts'
import { formatMoney, formatNameWithSize, kshToCents } from '#shared/format.ts'
import { formatDateTime } from '#shared/time.ts'

export type CatalogueChanges = {
  prices: readonly { name: string; from: string; to: string }[]
  added: readonly string[]
  removed: readonly string[]
  edited: readonly { name: string; fields: readonly string[] }[]
  isReordered: boolean
  content: readonly ContentChange[]
}

/** `from` and `to` are JSON, or undefined for the default. */
export type ContentChange = { name: string; from: string | undefined; to: string | undefined }

type ContentValue = { name: string; value: string }

export function listContentChanges(
  before: readonly ContentValue[],
  after: readonly ContentValue[],
): ContentChange[] {
  const names = new Set([...before, ...after].map(({ name }) => name))
  const valueIn = (values: readonly ContentValue[], name: string) =>
    values.find((other) => other.name === name)?.value
  return [...names]
    .map((name) => ({ name, from: valueIn(before, name), to: valueIn(after, name) }))
    .filter(({ from, to }) => from !== to)
}

export function compareCatalogues(before: Catalogue, after: Catalogue): Omit<CatalogueChanges, 'content'> {
  const items = { before: before.flatMap(listProductItems), after: after.flatMap(listProductItems) }
  const products = new Map(before.map((product) => [product.id, product]))
  const prices = items.after.flatMap((item) => {
    const { id, product, size } = item
    const itemBefore = findItem(before, id)
    const [from, to] = [itemBefore && formatPrices(itemBefore), formatPrices(item)]
    return from === undefined || from === to
      ? []
      : [{ name: formatNameWithSize(product.title, size), from, to }]
  })
  const namesMissingIn = (list: typeof items.before, other: Catalogue) =>
    list
      .filter(({ id }) => !findItem(other, id))
      .map(({ product, size }) => formatNameWithSize(product.title, size))
  const editedProducts = after.flatMap((product) => {
    const productBefore = products.get(product.id)
    const fields = productBefore ? listChangedFields(productBefore, product) : []
    return fields.length > 0 ? [{ name: product.title, fields }] : []
  })
  const sharedIds = (list: Catalogue, other: Catalogue) => {
    const ids = new Set(other.map(({ id }) => id))
    return list.map(({ id }) => id).filter((id) => ids.has(id))
  }
  return {
    prices,
    added: namesMissingIn(items.after, before),
    removed: namesMissingIn(items.before, after),
    edited: editedProducts,
    isReordered: sharedIds(before, after).join() !== sharedIds(after, before).join(),
  }
}

function formatPrices({ price, compareAtPrice, product: { sale = {} } }: Item): string {
  if (compareAtPrice === undefined) return formatMoney(kshToCents(price))
  const { startsAtMs, endsAtMs } = sale
  return [
    `${formatMoney(kshToCents(price))} (was ${formatMoney(kshToCents(compareAtPrice))})`,
    ...(startsAtMs === undefined ? [] : [`from ${formatDateTime(startsAtMs)}`]),
    ...(endsAtMs === undefined ? [] : [`until ${formatDateTime(endsAtMs)}`]),
  ].join(' ')
}

const FIELD_LABELS = {
  title: 'name',
  description: 'description',
  category: 'category',
  rating: 'rating',
} as const satisfies Partial<Record<keyof Product, string>>

function listChangedFields(before: Product, after: Product): string[] {
  const fields = (Object.keys(FIELD_LABELS) as (keyof typeof FIELD_LABELS)[]).filter(
    (field) => before[field] !== after[field],
  )
  const labels = ({ sizing }: Product, other: Product) =>
    sizing?.sizes
      .filter(({ id }) => other.sizing?.sizes.some((size) => size.id === id))
      .map(({ label }) => label)
      .join()
  const isScaleNew = before.sizing?.scale !== after.sizing?.scale
  const imagesJson = (product: Product) => JSON.stringify(product.images ?? product.image)
  return [
    ...fields.map((field) => FIELD_LABELS[field]),
    ...(imagesJson(before) === imagesJson(after) ? [] : ['photos']),
    ...(isScaleNew || labels(before, after) !== labels(after, before) ? ['sizes'] : []),
  ]
}

export function summariseChanges({
  prices,
  added,
  removed,
  edited,
  isReordered,
  content,
}: CatalogueChanges): string {
  const parts = [
    prices.length > 0 && `${prices.length} ${prices.length === 1 ? 'price' : 'prices'}`,
    added.length > 0 && `${added.length} new`,
    removed.length > 0 && `${removed.length} removed`,
    edited.length > 0 && `${edited.length} edited`,
    isReordered && 'products reordered',
    content.length > 0 && `${content.length} ${content.length === 1 ? 'text' : 'texts'}`,
  ].filter(Boolean)
  return parts.join(', ') || 'nothing'
}
