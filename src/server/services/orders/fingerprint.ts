import type { OrderRequest } from '#shared/contract/orders.ts'
import { sha256Hex } from '../../ids.ts'

/**
 * What makes an order this order and not another: its things, its code and where it goes, as SHA-256 (hex). The card
 * and the total shown do not count: a shopper who lost the answer may have typed another card into a reloaded page.
 */
export function orderFingerprint({ lines, billing, promoCode }: OrderRequest): Promise<string> {
  const sorted = lines.toSorted((a, b) => a.id - b.id).map(({ id, qty }) => [id, qty])
  return sha256Hex(JSON.stringify([sorted, promoCode ?? null, Object.entries(billing).toSorted()]))
}
