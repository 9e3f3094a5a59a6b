import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { formatNameWithSize, formatOutOfStock } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import { type Cart, itemToCartProduct, MAX_CART_LINES, MAX_QTY, mergeLine } from './cart.ts'
import { limitToRoom, mergeLines } from './cart-lines.ts'

export type LinkedLine = { id: number; qty: number }

export type ResolvedCartLink =
  | {
      outcome: 'resolved'
      lines: Cart
      /** Sentences that tell the shopper which items or units of the link were left out. */
      problems: readonly string[]
    }
  | { outcome: 'malformed' }
  | { outcome: 'failed' }

/** The link of a full cart is shorter than this. */
const MAX_LINK_CHARACTERS = 2000
const LINKED_LINE_PATTERN = /^(\d{1,9}):(\d{1,4})$/

export function getCartLinkPath(lines: readonly LinkedLine[]): string {
  return decodeURIComponent(href('buy', { lines: lines.map(({ id, qty }) => `${id}:${qty}`).join(',') }))
}

export function parseCartLink(text: string): LinkedLine[] | undefined {
  if (text.length > MAX_LINK_CHARACTERS) return undefined
  const parts = text
    .replaceAll(/%3a/gi, ':')
    .replaceAll(/%2c/gi, ',')
    .split(',')
    .map((part) => LINKED_LINE_PATTERN.exec(part))
  const quantities = new Map<number, number>()
  for (const part of parts) {
    const [id, qty] = [Number(part?.[1]), Number(part?.[2])]
    if (!id || !qty) return undefined
    quantities.set(id, (quantities.get(id) ?? 0) + qty)
  }
  return Array.from(quantities, ([id, qty]) => ({ id, qty }))
}

export function resolveCartLink(text: string, catalogue: Catalogue): ResolvedCartLink {
  const linked = parseCartLink(text)
  if (!linked) return { outcome: 'malformed' }
  const problems: string[] = []
  const kept = linked.slice(0, MAX_CART_LINES)
  const lines = kept.flatMap(({ id, qty }) => {
    const item = findItem(catalogue, id)
    if (!item) return []
    const name = formatNameWithSize(item.product.title, item.size)
    const unitsLeft = item.product.left?.[id] ?? Number.POSITIVE_INFINITY
    if (unitsLeft < qty) problems.push(formatOutOfStock(name, unitsLeft))
    else if (qty > MAX_QTY) problems.push(`You can order up to ${MAX_QTY} of ${name}.`)
    const units = Math.min(qty, unitsLeft, MAX_QTY)
    return units > 0 ? [{ ...itemToCartProduct(item), qty: units }] : []
  })
  const missing = kept.filter(({ id }) => !findItem(catalogue, id)).length
  if (missing === 1) problems.push('A product in this link is no longer available.')
  if (missing > 1) problems.push(`${missing} products in this link are no longer available.`)
  if (linked.length > MAX_CART_LINES)
    problems.push(
      `A cart can hold up to ${MAX_CART_LINES} different products, so we left out ${linked.length - MAX_CART_LINES}.`,
    )
  return { outcome: 'resolved', lines, problems }
}

/** Adds only the units that the cart lacks, so that opening a link twice doesn't double the quantities. */
export function fillCart(cart: Cart, lines: Cart): { cart: Cart; sentences: string[] } {
  const current = cart.map((line) => {
    const linked = lines.find(({ id }) => id === line.id)
    return linked ? mergeLine(line, { ...linked, qty: 0 }) : line
  })
  const missing = lines.flatMap((line) => {
    const qty = line.qty - (cart.find(({ id }) => id === line.id)?.qty ?? 0)
    return qty > 0 ? [{ ...line, qty }] : []
  })
  const addedLines = limitToRoom(current, missing)
  const leftOut = missing.filter(({ id }) => !addedLines.some((line) => line.id === id))
  const sentences = [
    addedLines.length > 0 && `Added to your cart: ${formatLines(addedLines)}.`,
    missing.length === 0 && 'Everything from this link is already in your cart.',
    leftOut.length > 0 && `Your cart is full, so we couldn’t add ${formatLines(leftOut)}.`,
  ]
  return { cart: mergeLines(current, missing), sentences: sentences.filter((sentence) => sentence !== false) }
}

function formatLines(lines: Cart): string {
  return lines.map(({ title, size, qty }) => `${qty} × ${formatNameWithSize(title, size)}`).join('; ')
}
