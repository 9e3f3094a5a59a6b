import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { formatNameWithSize, kshToCents } from '#shared/format.ts'
import type { Order } from './contract.ts'

export type OrderLine = Order['lines'][number]
export type RequestedLine = { id: number; qty: number }

/** `unavailable` lists the names of items that the catalogue no longer sells. */
type EditedLines = { ok: true; lines: OrderLine[] } | { ok: false; unavailable: string[] }

/** Units already ordered keep their price; added units use the current price. */
export function applyLineEdits(
  agreed: readonly OrderLine[],
  requested: readonly RequestedLine[],
  catalogue: Catalogue,
): EditedLines {
  const remainingUnits = new Map<number, number>()
  for (const { id, qty } of requested) remainingUnits.set(id, (remainingUnits.get(id) ?? 0) + qty)
  const lines: OrderLine[] = []
  for (const line of agreed) {
    const remainingQty = remainingUnits.get(line.productId) ?? 0
    const qty = Math.min(line.qty, remainingQty)
    remainingUnits.set(line.productId, remainingQty - qty)
    if (qty > 0) lines.push({ ...line, qty })
  }
  const unavailable: string[] = []
  for (const [id, qty] of remainingUnits) {
    if (qty <= 0) continue
    const item = findItem(catalogue, id)
    const agreedLine = agreed.find(({ productId }) => productId === id)
    if (!item) {
      unavailable.push(agreedLine ? formatNameWithSize(agreedLine.title, agreedLine.size) : `Product ${id}`)
      continue
    }
    const unitPriceCents = kshToCents(item.price)
    const sameIndex = lines.findIndex(
      (line) => line.productId === id && line.unitPriceCents === unitPriceCents,
    )
    const existing = lines[sameIndex]
    const { title, image } = item.product
    const newLine = { productId: id, title, size: item.size ?? null, image, unitPriceCents, qty }
    if (existing) lines[sameIndex] = { ...existing, qty: existing.qty + qty }
    else lines.push(newLine)
  }
  return unavailable.length > 0 ? { ok: false, unavailable } : { ok: true, lines }
}

export type UnitChange = { itemId: number; units: number }

export function calculateUnitChanges(
  before: readonly OrderLine[],
  after: readonly OrderLine[],
): UnitChange[] {
  const units = new Map<number, number>()
  for (const { productId, qty } of after) units.set(productId, (units.get(productId) ?? 0) + qty)
  for (const { productId, qty } of before) units.set(productId, (units.get(productId) ?? 0) - qty)
  return Array.from(units, ([itemId, change]) => ({ itemId, units: change })).filter(
    ({ units }) => units !== 0,
  )
}
