import type { Cart, CartLine } from '#shared/cart/cart.ts'
import { countUnits, itemToCartProduct, MAX_QTY } from '#shared/cart/cart.ts'
import { formatItemCount, limitToRoom, mergeLines } from '#shared/cart/cart-lines.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { formatMoney, formatNameWithSize, formatOutOfStock, kshToCents } from '#shared/format.ts'

export type PreviousOrderLine = {
  productId: number
  title: string
  size: string | null
  unitPriceCents: number
  qty: number
}

export type ReorderResult = { sentences: string[]; hasLinesInCart: boolean }

/** Adds nothing if the cart already has all units, as it does after an unpaid order. */
export function reorder(
  cart: Cart,
  lines: readonly PreviousOrderLine[],
  catalogue: Catalogue,
  unitsLeft: ReadonlyMap<number, number>,
): { cart: Cart; outcome: ReorderResult } {
  const resolvedLines = lines.map((line) => ({
    ...line,
    item: findItem(catalogue, line.productId),
    name: formatNameWithSize(line.title, line.size),
    left: unitsLeft.get(line.productId) ?? line.qty,
  }))
  const requestedLines = resolvedLines.flatMap(({ item, qty, left }): CartLine[] =>
    item && left > 0 ? [{ ...itemToCartProduct(item), qty: Math.min(qty, left) }] : [],
  )
  const addedLines = limitToRoom(cart, requestedLines)
  const leftOut = requestedLines
    .map((line) => ({ ...line, qty: line.qty - (addedLines.find(({ id }) => id === line.id)?.qty ?? 0) }))
    .filter(({ qty }) => qty > 0)
  const isInCart = ({ id }: CartLine) => cart.some((line) => line.id === id)
  const overLineLimit = leftOut.filter(isInCart)
  const overCartLimit = leftOut.filter((line) => !isInCart(line))
  const changes = resolvedLines.flatMap(({ item, name, unitPriceCents, qty, left }) => {
    if (!item) return `${name} is no longer available.`
    if (left < qty) return formatOutOfStock(name, left)
    const isPriceHigher = kshToCents(item.price) > unitPriceCents
    return isPriceHigher
      ? `${name} now costs ${formatMoney(kshToCents(item.price))}. You paid ${formatMoney(unitPriceCents)}.`
      : []
  })
  const hasAllUnits = ({ id }: CartLine) => countUnitsOf(id, cart) >= countUnitsOf(id, requestedLines)
  if (requestedLines.length > 0 && requestedLines.every(hasAllUnits)) {
    const text =
      countUnits(requestedLines) === 1
        ? 'This item is already in your cart.'
        : 'These items are already in your cart.'
    return { cart, outcome: { hasLinesInCart: true, sentences: [text, ...changes] } }
  }
  const outcome: ReorderResult = {
    hasLinesInCart: addedLines.length > 0,
    sentences: [
      addedLines.length === 0
        ? 'Nothing was added to your cart.'
        : `${formatItemCount(addedLines)} added to your cart.`,
      ...changes,
      ...overLineLimit.map(
        ({ title, size, qty }) =>
          `You can order up to ${MAX_QTY} of ${formatNameWithSize(title, size)}, so we couldn’t add ${qty} more.`,
      ),
      ...(overCartLimit.length > 0
        ? [`Your cart is full, so we couldn’t add ${formatItemCount(overCartLimit)}.`]
        : []),
    ],
  }
  return { cart: mergeLines(cart, requestedLines), outcome }
}

function countUnitsOf(itemId: number, lines: Cart): number {
  return countUnits(lines.filter(({ id }) => id === itemId))
}
