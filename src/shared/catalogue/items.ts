import type { Catalogue, Product, UnitsLeft } from './catalogue.ts'

/** What is sold under an id of its own: a product in one of its sizes, or a product that comes in none. */
export type Item = {
  /** The size's id; the first size has the product's own. */
  id: number
  product: Product
  /** The size's label; undefined for a product without sizes. */
  size: string | undefined
  /** In KSH. */
  price: number
}

/** A product's items, in the catalogue's order: one for each size, or the product itself. */
export function itemsOf(product: Product): readonly Item[] {
  const { id, price, sizing } = product
  if (!sizing) return [{ id, product, size: undefined, price }]
  return sizing.sizes.map(({ id, label, price }) => ({ id, product, size: label, price }))
}

const itemsByCatalogue = new WeakMap<Catalogue, ReadonlyMap<number, Item>>()

/** The item with an id; undefined when the catalogue has none. */
export function itemById(catalogue: Catalogue, id: number | undefined): Item | undefined {
  if (id === undefined) return undefined
  const known =
    itemsByCatalogue.get(catalogue) ?? new Map(catalogue.flatMap(itemsOf).map((item) => [item.id, item]))
  itemsByCatalogue.set(catalogue, known)
  return known.get(id)
}

/** An item of a product, and whether its size is only assumed: the shopper has chosen none. */
export type ItemChoice = { item: Item; isSizeAssumed: boolean }

/**
 * What a card adds: the size with the label that was last chosen on the product's scale, else the first one that is
 * there; where all are sold out, the first.
 */
export function defaultItem(product: Product, label: string | undefined, left: UnitsLeft = {}): ItemChoice {
  const items = itemsOf(product)
  const available = items.filter(({ id }) => left[id] !== 0)
  const chosen = available.find(({ size }) => size === label)
  const [item = chosen] = available.length > 0 ? available : items
  if (!item) throw new Error(`Product ${product.id} has no items.`)
  return { item: chosen ?? item, isSizeAssumed: !chosen && items.length > 1 }
}

/**
 * What the product page shows: the size whose id is in the address, else the one that was last chosen on the scale, also
 * where it is sold out. The product's own id names no size; a shopper who chose the first one has it as the last choice.
 */
export function selectedItem(
  product: Product,
  { id, label, left }: { id: number | undefined; label: string | undefined; left: UnitsLeft | undefined },
): ItemChoice {
  const items = itemsOf(product)
  const item =
    items.find((item) => item.id === id && id !== product.id) ?? items.find(({ size }) => size === label)
  return item ? { item, isSizeAssumed: false } : defaultItem(product, undefined, left)
}
