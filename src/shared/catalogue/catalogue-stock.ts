import { formatStock } from '#shared/format.ts'
import { formatAge } from './ages.ts'
import { type Catalogue, type Product, type ProductCard, toProductCard, type UnitsLeft } from './catalogue.ts'
import { findItem, listProductItems } from './items.ts'
import { formatSizeRange, getAge } from './sizes.ts'

export const LOW_STOCK_UNITS = 3

/** Returns the same catalogue if it has none of the items in `left`. */
export function withStock(catalogue: Catalogue, left: UnitsLeft): Catalogue {
  const lowStock = new Map<Product, Record<number, number>>()
  for (const [id, units] of Object.entries(left)) {
    const product = findItem(catalogue, Number(id))?.product
    if (product) lowStock.set(product, { ...lowStock.get(product), [id]: units })
  }
  if (lowStock.size === 0) return catalogue
  return catalogue.map((product) => {
    const left = lowStock.get(product)
    return left ? { ...product, left } : product
  })
}

export function toCardWithStock(product: Product): ProductCard {
  const { sizing } = product
  const left = getLowStockUnits(product)
  const sizeRange = sizing
    ? formatSizeRange(sizing.sizes.map(({ label }) => label))
    : formatAge(getAge(product))
  return {
    ...toProductCard(product),
    ...(sizeRange && { sizeRange }),
    ...(left === undefined ? {} : { left, stockLabel: formatStock(left) }),
  }
}

function getLowStockUnits(product: Product): number | undefined {
  const { left } = product
  if (!left) return undefined
  const units = listProductItems(product).map(({ id }) => Math.max(left[id] ?? Number.POSITIVE_INFINITY, 0))
  const sum = units.reduce((total, more) => total + more, 0)
  return sum <= LOW_STOCK_UNITS ? sum : undefined
}

export function collectUnitsLeft(products: Catalogue): { left?: UnitsLeft } {
  const left: UnitsLeft = Object.assign({}, ...products.map((product) => product.left))
  return Object.keys(left).length > 0 ? { left } : {}
}
