import type { z } from 'zod/mini'
import type { changedBodySchema, OrderRequest } from '#shared/contract/orders.ts'
import { cardOf } from '#shared/rules/catalogue.ts'
import { centsOf, checkoutTotals, type OrderTotals, subtotalCentsOf } from '#shared/rules/pricing.ts'
import type { promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { type SoldLine, soldLines } from '../catalogue/sold-lines.ts'
import { validatePromotion } from '../promotions/validate.ts'

/** The cart as it stands now, for the shopper to look at again. */
type Changed = Pick<z.infer<typeof changedBodySchema>, 'totals' | 'lines'>

export type PriceRefusal =
  | { kind: 'unknown_product'; productIds: readonly number[] }
  | { kind: 'prices_changed'; changed: Changed }
  | { kind: 'promotion_refused'; changed: Changed; message: string }

/** What was ordered at the catalogue's prices; or why the shopper has to look at it again. `code` is the promo code's row. */
export async function priceOrder(
  request: OrderRequest,
  code: typeof promotions.$inferSelect | undefined,
  deps: Pick<Deps, 'catalogue' | 'clock'>,
): Promise<{ kind: 'priced'; lines: readonly SoldLine[]; totals: OrderTotals } | PriceRefusal> {
  const sold = await soldLines(request.lines, deps)
  if ('unknownIds' in sold) return { kind: 'unknown_product', productIds: sold.unknownIds }
  const { lines } = sold
  const verdict = request.promoCode
    ? validatePromotion(code, subtotalCentsOf(lines), deps.clock())
    : { usable: undefined }
  if ('refusal' in verdict) return promotionRefused(lines, verdict.refusal.message)
  const totals = checkoutTotals(lines, verdict.usable)
  return totals.totalCents === centsOf(request.expectedTotal)
    ? { kind: 'priced', lines, totals }
    : { kind: 'prices_changed', changed: changedTo(lines, totals) }
}

/** Refuses a code, with what the lines cost without it. */
export function promotionRefused(lines: readonly SoldLine[], reason: string): PriceRefusal {
  return {
    kind: 'promotion_refused',
    changed: changedTo(lines, checkoutTotals(lines)),
    message: `${reason} Nothing was charged. Please look at the new total.`,
  }
}

function changedTo(lines: readonly SoldLine[], totals: OrderTotals): Changed {
  return { totals, lines: lines.map((line) => ({ ...cardOf(line), qty: line.qty })) }
}
