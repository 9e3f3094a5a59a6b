import type { Catalogue, Product, UnitsLeft } from './catalogue.ts'

/** A size of a product, or a product without sizes; sold under its own id. */
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

export function itemById(catalogue: Catalogue, id: number | undefined): Item | undefined {
  if (id === undefined) return undefined
  const itemsById =
    itemsByCatalogue.get(catalogue) ??
    new Map(catalogue.flatMap(listProductItems).map((item) => [item.id, item]))
  itemsByCatalogue.set(catalogue, itemsById)
  return itemsById.get(id)
}

export type ItemChoice = { item: Item; isSizeAssumed: boolean }

/** Returns the item a card adds: the size last chosen on this scale, otherwise the first one in stock. */
export function defaultItem(product: Product, label: string | undefined, left: UnitsLeft = {}): ItemChoice {
  const items = listProductItems(product)
  const available = items.filter(({ id }) => left[id] !== 0)
  const selected = available.find(({ size }) => size === label)
  const [item = selected] = available.length > 0 ? available : items
  if (!item) throw new Error(`Product ${product.id} has no items.`)
  return { item: selected ?? item, isSizeAssumed: !selected && items.length > 1 }
}

/**
 * Returns the item displayed: the size in the URL, otherwise the size last chosen on this scale, even if sold out.
 */
export function selectedItem(
  product: Product,
  { id, label, left }: { id: number | undefined; label: string | undefined; left: UnitsLeft | undefined },
): ItemChoice {
  const items = listProductItems(product)
  const item =
    items.find((item) => item.id === id && id !== product.id) ?? items.find(({ size }) => size === label)
  return item ? { item, isSizeAssumed: false } : defaultItem(product, undefined, left)
}
