import type { Catalogue, Product, UnitsLeft } from './catalogue.ts'

/** An item is a size, or a product without sizes. It is sold under its own id. */
export type Item = {
  id: number
  product: Product
  size: string | undefined
  price: number
  compareAtPrice?: number | undefined
}

export function listProductItems(product: Product): readonly Item[] {
  const { id, price, compareAtPrice, sizing } = product
  if (!sizing) return [{ id, product, size: undefined, price, compareAtPrice }]
  return sizing.sizes.map(({ label, ...item }) => ({ ...item, product, size: label }))
}

const itemsByCatalogue = new WeakMap<Catalogue, ReadonlyMap<number, Item>>()

export function findItem(catalogue: Catalogue, id: number | undefined): Item | undefined {
  if (id === undefined) return undefined
  const itemsById =
    itemsByCatalogue.get(catalogue) ??
    new Map(catalogue.flatMap(listProductItems).map((item) => [item.id, item]))
  itemsByCatalogue.set(catalogue, itemsById)
  return itemsById.get(id)
}

export type ItemChoice = { item: Item; isSizeAssumed: boolean }

/** Returns the size with this label if it is in stock, or else the first item in stock, or else the first item. */
export function getDefaultItem(
  product: Product,
  label: string | undefined,
  left: UnitsLeft = {},
): ItemChoice {
  const items = listProductItems(product)
  const available = items.filter(({ id }) => left[id] !== 0)
  const selected = available.find(({ size }) => size === label)
  const [item = selected] = available.length > 0 ? available : items
  if (!item) throw new Error(`Product ${product.id} has no items.`)
  return { item: selected ?? item, isSizeAssumed: !selected && items.length > 1 }
}

type SelectedSize = {
  /** From the URL. It selects a size unless it is the product's. */
  id: number | undefined
  /** The size selected or linked to before. */
  label: string | undefined
  /** The size to assume if none is selected and this one is in stock. */
  assumedLabel: string | undefined
  left: UnitsLeft | undefined
}

export function getSelectedItem(
  product: Product,
  { id, label, assumedLabel, left }: SelectedSize,
): ItemChoice {
  const items = listProductItems(product)
  const item =
    items.find((item) => item.id === id && id !== product.id) ?? items.find(({ size }) => size === label)
  if (item) return { item, isSizeAssumed: false }
  return { ...getDefaultItem(product, assumedLabel, left), isSizeAssumed: items.length > 1 }
}
