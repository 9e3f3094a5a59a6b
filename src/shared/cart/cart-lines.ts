import {
  type Cart,
  type CartLine,
  type CartProduct,
  countUnits,
  MAX_CART_LINES,
  MAX_QTY,
  mergeLine,
  toCartProduct,
} from './cart.ts'

export function removeUnit(cart: Cart, id: number): Cart {
  if (!cart.some((line) => line.id === id)) return cart
  return cart.flatMap((line) => {
    if (line.id !== id) return line
    return line.qty > 1 ? { ...line, qty: line.qty - 1 } : []
  })
}

/** Removes one unit after the other (§ 4). */
export function removeLine(cart: Cart, id: number): Cart {
  const units = cart.find((line) => line.id === id)?.qty ?? 0
  let rest = cart
  for (let unit = 0; unit < units; unit++) rest = removeUnit(rest, id)
  return rest
}

/** Returns the part of `lines` that `into` has room for, within the limits per line and per cart. */
export function limitToRoom(into: Cart, lines: Cart): Cart {
  let room = MAX_CART_LINES - into.length
  return lines.flatMap((line) => {
    const existing = into.find(({ id }) => id === line.id)
    if (!existing && room-- <= 0) return []
    const qty = Math.min(line.qty, MAX_QTY - (existing?.qty ?? 0))
    return qty > 0 ? { ...line, qty } : []
  })
}

export function mergeLines(into: Cart, lines: Cart): Cart {
  const addedLines = new Map(limitToRoom(into, lines).map((line) => [line.id, line]))
  const increased = into.map((line): CartLine => {
    const more = addedLines.get(line.id)
    addedLines.delete(line.id)
    return more ? mergeLine(line, more) : line
  })
  return [...increased, ...addedLines.values()]
}

/** Items that aren't in `left` are unlimited. */
export function limitToStock(cart: Cart, left: ReadonlyMap<number, number>): Cart {
  return cart.flatMap((line) => {
    const qty = Math.min(line.qty, left.get(line.id) ?? line.qty)
    return qty > 0 ? { ...line, qty } : []
  })
}

export function removeUnits(cart: Cart, units: readonly Pick<CartLine, 'id' | 'qty'>[]): Cart {
  return cart.flatMap((line) => {
    const removedUnits = units.reduce((sum, { id, qty }) => (id === line.id ? sum + qty : sum), 0)
    return line.qty > removedUnits ? { ...line, qty: line.qty - removedUnits } : []
  })
}

export function formatItemCount(lines: readonly Pick<CartLine, 'qty'>[]): string {
  const units = countUnits(lines)
  return units === 1 ? '1 item' : `${units} items`
}

export function confirmSize(cart: Cart, id: number): Cart {
  return cart.map((line) => {
    const { isSizeAssumed, ...confirmed } = line
    return line.id === id && isSizeAssumed ? confirmed : line
  })
}

/** Merges with the new size's line, if there is one. Units above the line limit keep the old size. */
export function changeSize(cart: Cart, id: number, product: CartProduct): Cart {
  const line = cart.find((candidate) => candidate.id === id)
  if (!line) return cart
  const other = product.id === id ? undefined : cart.find((candidate) => candidate.id === product.id)
  const room = MAX_QTY - (other?.qty ?? 0)
  if (room === 0) return cart
  const changedLine = { ...toCartProduct(product), qty: Math.min(line.qty, room) + (other?.qty ?? 0) }
  const rest = line.qty > room ? [{ ...line, qty: line.qty - room }] : []
  return cart.flatMap((candidate) => {
    if (candidate === line) return [changedLine, ...rest]
    return candidate === other ? [] : candidate
  })
}
