import { type Catalogue, cardOf, type Product, type ProductCard, type UnitsLeft } from './catalogue.ts'
import { itemById, itemsOf } from './items.ts'

/** Pages show how many units are left of an item from here down. */
export const FEW_UNITS = 3

/** The catalogue whose products say what is left of them; the very same one where nothing is short. */
export function withStock(catalogue: Catalogue, left: UnitsLeft): Catalogue {
  const short = new Map<Product, Record<number, number>>()
  for (const [id, units] of Object.entries(left)) {
    const product = itemById(catalogue, Number(id))?.product
    if (product) short.set(product, { ...short.get(product), [id]: units })
  }
  if (short.size === 0) return catalogue
  return catalogue.map((product) => {
    const left = short.get(product)
    return left ? { ...product, left } : product
  })
}

/** A product's card, with the units that are left where there are few. */
export function cardWithStock(product: Product): ProductCard {
  const left = productLeft(product)
  return { ...cardOf(product), ...(left === undefined ? {} : { left }) }
}

/** The units of a product in all its sizes together, where there are few; 0 when it is sold out in all of them. */
function productLeft(product: Product): number | undefined {
  const { left } = product
  if (!left) return undefined
  const units = itemsOf(product).map(({ id }) => Math.max(left[id] ?? Number.POSITIVE_INFINITY, 0))
  const sum = units.reduce((total, more) => total + more, 0)
  return sum <= FEW_UNITS ? sum : undefined
}

/** What is left of the items of some products, by item id; nothing where none is short. */
export function unitsLeftOf(products: Catalogue): { left?: UnitsLeft } {
  const left: UnitsLeft = Object.assign({}, ...products.map((product) => product.left))
  return Object.keys(left).length > 0 ? { left } : {}
}
