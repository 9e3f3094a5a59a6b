import { formatStock } from '#shared/format.ts'
import { parseAgeRange } from './ages.ts'
import type { Catalogue, Product, ProductCard, Size } from './catalogue.ts'
import { toCardWithStock } from './catalogue-stock.ts'
import { listProductItems } from './items.ts'
import { formatSizeRange, hasSize, splitSizeLabel } from './sizes.ts'

/** Whether a size is one that the filter or the search names. */
export type SizePredicate = (size: string) => boolean

function listNamedSizes({ sizing }: Product, isNamedSize: SizePredicate): readonly Size[] {
  return sizing?.sizes.filter(({ label }) => splitSizeLabel(label).some(isNamedSize)) ?? []
}

/** If the product comes in named sizes, only those count. */
export function isProductSoldOut(product: Product, isNamedSize: SizePredicate): boolean {
  const { left } = product
  if (!left) return false
  const namedSizes = listNamedSizes(product, isNamedSize)
  return (namedSizes.length > 0 ? namedSizes : listProductItems(product)).every(({ id }) => left[id] === 0)
}

export function withSoldOutLast(products: Catalogue, isNamedSize: SizePredicate): Catalogue {
  return moveToEnd(products, (product) => isProductSoldOut(product, isNamedSize))
}

/** Products in a size named as an age come before those whose shoe or hat size fits the age. */
export function withAgeSizesFirst(products: Catalogue, isNamedSize: SizePredicate): Catalogue {
  return moveToEnd(
    products,
    (product) => !hasSize(product, (size) => isNamedSize(size) && parseAgeRange(size) !== undefined),
  )
}

export function moveToEnd(products: Catalogue, isLast: (product: Product) => boolean): Catalogue {
  const last = new Set(products.filter(isLast))
  return [...products.filter((product) => !last.has(product)), ...last]
}

/** Whether the product has no sizes or has a named one in stock. */
export function isAvailableInSize(product: Product, isNamedSize: SizePredicate): boolean {
  const hasNamedSize = !product.sizing || listNamedSizes(product, isNamedSize).length > 0
  return hasNamedSize && !isProductSoldOut(product, isNamedSize)
}

/**
 * With `isNamedSize`, the card shows the price of a named size, preferably an exact one, and its button adds that size.
 * The button is disabled if none is left.
 */
export function toGridCard(
  product: Product,
  isNamedSize: SizePredicate = () => false,
  isExactSize = isNamedSize,
): ProductCard {
  const { left = {} } = product
  const card = toCardWithStock(product)
  const namedSizes = listNamedSizes(product, isNamedSize)
  if (namedSizes.length === 0 || card.left === 0) return card
  const available = namedSizes.filter(({ id }) => left[id] !== 0)
  const exact = available.filter(({ label }) => splitSizeLabel(label).some(isExactSize))
  const [size, ...others] = exact.length > 0 ? exact : available
  if (!size) {
    const range = formatSizeRange(namedSizes.map(({ label }) => label))
    return { ...card, left: 0, stockLabel: `${formatStock(0)} in ${range}` }
  }
  const { scale: _, compareAtPrice: __, ...rest } = card
  const { label, ...item } = size
  const { price, compareAtPrice } = item
  return {
    ...rest,
    price,
    ...(compareAtPrice && { compareAtPrice }),
    item: { ...item, size: label, ...(others.length > 0 && { isSizeAssumed: true }) },
  }
}
