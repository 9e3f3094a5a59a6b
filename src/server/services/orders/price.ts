import type { z } from 'zod/mini'
import type { changedBodySchema, OrderRequest } from '#shared/contract/orders.ts'
import { centsOf, checkoutFigures, type Figures, subtotalCentsOf } from '#shared/rules/pricing.ts'
import { cardOf } from '#shared/rules/product-card.ts'
import type { promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { type SoldLine, soldLines } from '../catalogue/sold-lines.ts'
import { judgePromotion } from '../promotions/judge.ts'

/** The cart as it stands now, for the shopper to look at again. */
type Changed = Pick<z.infer<typeof changedBodySchema>, 'figures' | 'lines'>

export type PriceRefusal =
  | { kind: 'unknown_product'; productIds: readonly number[] }
  | { kind: 'prices_changed'; changed: Changed }
  | { kind: 'promotion_refused'; changed: Changed; message: string }

/** What was ordered at the catalogue's prices; or why the shopper has to look at it again. `code` is the promo code's row. */
export async function priceOrder(
  request: OrderRequest,
  code: typeof promotions.$inferSelect | undefined,
  deps: Pick<Deps, 'catalogue' | 'clock'>,
): Promise<{ kind: 'priced'; lines: readonly SoldLine[]; figures: Figures } | PriceRefusal> {
  const sold = await soldLines(request.lines, deps)
  if ('unknownIds' in sold) return { kind: 'unknown_product', productIds: sold.unknownIds }
  const { lines } = sold
  const verdict = request.promoCode
    ? judgePromotion(code, subtotalCentsOf(lines), deps.clock())
    : { usable: undefined }
  if ('refusal' in verdict) return promotionRefused(lines, verdict.refusal.message)
  const figures = checkoutFigures(lines, verdict.usable)
  return figures.totalCents === centsOf(request.expectedTotal)
    ? { kind: 'priced', lines, figures }
    : { kind: 'prices_changed', changed: changedTo(lines, figures) }
}

/** Refuses a code, with what the lines cost without it. */
export function promotionRefused(lines: readonly SoldLine[], reason: string): PriceRefusal {
  return {
    kind: 'promotion_refused',
    changed: changedTo(lines, checkoutFigures(lines)),
    message: `${reason} Nothing was charged. Please look at the new total.`,
  }
}

function changedTo(lines: readonly SoldLine[], figures: Figures): Changed {
  return { figures, lines: lines.map((line) => ({ ...cardOf(line), qty: line.qty })) }
}
