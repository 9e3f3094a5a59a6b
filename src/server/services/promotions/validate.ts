import { type ErrorCode, errors } from '#shared/errors.ts'
import { formatKsh } from '#shared/rules/format.ts'
import { kshOf } from '#shared/rules/pricing.ts'
import type { promotions } from '../../db/schema.ts'

type PromotionRow = typeof promotions.$inferSelect

/** Why a code cannot be used, in words for the shopper. */
export type Refusal = { code: Extract<ErrorCode, `promotion_${string}`>; message: string }

/** A code's terms where it can be used, else why it cannot. */
export type Verdict = { usable: PromotionRow } | { refusal: Refusal }

/** Whether a code can be used with a subtotal at a moment; `row` is undefined for an unknown code. */
export function validatePromotion(
  row: PromotionRow | undefined,
  subtotalCents: number,
  nowMs: number,
): Verdict {
  if (!row) return { refusal: refusalOf('promotion_unknown') }
  if (row.startsAtMs !== null && nowMs < row.startsAtMs)
    return { refusal: refusalOf('promotion_not_started') }
  if (row.endsAtMs !== null && nowMs >= row.endsAtMs) return { refusal: refusalOf('promotion_expired') }
  if (row.maxUses !== null && row.uses >= row.maxUses) return { refusal: refusalOf('promotion_exhausted') }
  if (subtotalCents >= row.minimumSubtotalCents) return { usable: row }
  const minimum = formatKsh(kshOf(row.minimumSubtotalCents))
  const message = `This promo code needs a subtotal of at least ${minimum}.`
  return { refusal: { code: 'promotion_minimum', message } }
}

/** A refusal in its code's own words. */
export function refusalOf(code: Refusal['code']): Refusal {
  return { code, message: errors[code].message }
}
