import type { CartProduct } from './cart.ts'
import { type Catalogue, cardOf, type Product } from './catalogue.ts'

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

/** An item as the cart stores it: the product's fields, with the size's id, label and price (§ 3). */
export function cartProductOf({ id, product, size, price }: Item): CartProduct {
  const { category, rating } = product
  return { ...cardOf(product), id, price, ...(size && { size }), category, rating: { rate: rating } }
}
