import type { z } from 'zod/mini'
import type { changedBodySchema, OrderRequest } from '#shared/contract/orders.ts'
import { type ErrorCode, errors } from '#shared/errors.ts'
import { cartProductOf } from '#shared/rules/items.ts'
import { centsOf, checkoutTotals, type OrderTotals, subtotalCentsOf } from '#shared/rules/pricing.ts'
import type { Deps } from '../../deps.ts'
import type { Result, ServiceError } from '../../result.ts'
import { type SoldLine, soldLines } from '../catalogue/sold-lines.ts'
import { type PromotionError, type PromotionRow, validatePromotion } from '../promotions/check.ts'

export type PricedOrder = { lines: readonly SoldLine[]; totals: OrderTotals }
export type PriceError = ServiceError<
  Extract<ErrorCode, 'unknown_product' | 'prices_changed' | 'promotion_refused'>
>

/**
 * Prices an order by the catalogue. `prices_changed` and `promotion_refused` carry the cart as it is now, for the
 * shopper to confirm (`changedBodySchema`). `promotion` is the row of the order's promo code.
 */
export async function priceOrder(
  { request, promotion }: { request: OrderRequest; promotion: PromotionRow | undefined },
  deps: Pick<Deps, 'catalogue' | 'clock'>,
): Promise<Result<PricedOrder, PriceError>> {
  const sold = await soldLines(request.lines, deps)
  if (!sold.ok) return sold
  const lines = sold.data
  let usable: PromotionRow | undefined
  if (request.promoCode) {
    const validated = validatePromotion(promotion, subtotalCentsOf(lines), deps.clock())
    if (!validated.ok) return { ok: false, error: promotionRefused(lines, validated.error) }
    usable = validated.data
  }
  const totals = checkoutTotals(lines, usable)
  if (totals.totalCents === centsOf(request.expectedTotal)) return { ok: true, data: { lines, totals } }
  return { ok: false, error: { code: 'prices_changed', details: currentCart(lines, totals) } }
}

/** The error for an order whose promo code cannot be used, with the totals without it. */
export function promotionRefused(
  lines: readonly SoldLine[],
  { code, message = errors[code].message }: PromotionError,
): PriceError {
  return {
    code: 'promotion_refused',
    message: `${message} Nothing was charged. Please look at the new total.`,
    details: currentCart(lines, checkoutTotals(lines)),
  }
}

function currentCart(
  lines: readonly SoldLine[],
  totals: OrderTotals,
): Pick<z.infer<typeof changedBodySchema>, 'totals' | 'lines'> {
  return { totals, lines: lines.map((line) => ({ ...cartProductOf(line), qty: line.qty })) }
}
