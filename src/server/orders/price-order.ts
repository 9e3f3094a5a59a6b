import type { z } from 'zod/mini'
import { type ResolvedLine, resolveLines } from '#server/catalogue/resolve-lines.ts'
import { getDeliveryTerms } from '#server/content/delivery-terms.ts'
import type { PricingContext } from '#server/context.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { type PromotionError, type PromotionRow, validatePromotion } from '#server/promotions/promotions.ts'
import { itemToCartProduct } from '#shared/cart/cart.ts'
import { type DeliveryQuote, quoteDelivery } from '#shared/checkout/delivery.ts'
import {
  calculateCheckoutTotals,
  calculateSubtotalCents,
  type OrderTotals,
} from '#shared/checkout/pricing.ts'
import { type ErrorCode, errorDefinitions } from '#shared/errors.ts'
import { kshToCents } from '#shared/format.ts'
import type { OrderRequest } from '#shared/orders/contract.ts'
import type { changedBodySchema } from '#shared/orders/error-bodies.ts'

export type PricedOrder = {
  lines: readonly ResolvedLine[]
  totals: OrderTotals
  deliveryQuote: DeliveryQuote
}
export type PriceOrderError = ServiceError<
  Extract<ErrorCode, 'unknown_product' | 'prices_changed' | 'promotion_refused'>
>

type PriceOrderInput = {
  request: Omit<OrderRequest, 'payment'>
  promotion: PromotionRow | undefined
  /** What to do if the promo code is refused. The default addresses the shopper. */
  promotionAdvice?: string
}

/**
 * `prices_changed` and `promotion_refused` include the current cart, which the shopper has to confirm
 * (`changedBodySchema`).
 */
export async function priceOrder(
  { request, promotion, promotionAdvice }: PriceOrderInput,
  ctx: PricingContext,
): Promise<Result<PricedOrder, PriceOrderError>> {
  const { billing, deliveryMethod: method = 'delivery' } = request
  const deliveryQuote = quoteDelivery(ctx.delivery, { method, county: billing.state })
  const sold = await resolveLines(request.lines, ctx)
  if (!sold.ok) return sold
  const lines = sold.data
  let validPromotion: PromotionRow | undefined
  if (request.promoCode) {
    const validated = validatePromotion(promotion, calculateSubtotalCents(lines), ctx.clock())
    if (!validated.ok)
      return {
        ok: false,
        error: createPromotionRefusedError({ lines, deliveryQuote }, validated.error, ctx, promotionAdvice),
      }
    validPromotion = validated.data
  }
  const totals = calculateCheckoutTotals(lines, validPromotion, deliveryQuote.feeKsh)
  const isOffered = method === 'delivery' || deliveryQuote.pickup !== null
  if (isOffered && totals.totalCents === kshToCents(request.expectedTotal))
    return { ok: true, data: { lines, totals, deliveryQuote } }
  const details = getCurrentCart(lines, totals, ctx)
  return {
    ok: false,
    error: { code: 'prices_changed', details, ...(isOffered ? {} : { message: NO_PICKUP_MESSAGE }) },
  }
}

const NO_PICKUP_MESSAGE =
  'We no longer offer pickup. You haven’t been charged. Please check the new total, including delivery, and confirm.'

export function createPromotionRefusedError(
  { lines, deliveryQuote }: Pick<PricedOrder, 'lines' | 'deliveryQuote'>,
  { code, message = errorDefinitions[code].message }: PromotionError,
  ctx: PricingContext,
  advice = 'You haven’t been charged. Please check the new total.',
): PriceOrderError {
  return {
    code: 'promotion_refused',
    message: `${message} ${advice}`,
    details: getCurrentCart(lines, calculateCheckoutTotals(lines, null, deliveryQuote.feeKsh), ctx),
  }
}

function getCurrentCart(
  lines: readonly ResolvedLine[],
  totals: OrderTotals,
  ctx: PricingContext,
): Pick<z.infer<typeof changedBodySchema>, 'totals' | 'lines' | 'delivery'> {
  return {
    totals,
    delivery: getDeliveryTerms(ctx),
    lines: lines.map((line) => ({ ...itemToCartProduct(line), qty: line.qty })),
  }
}
