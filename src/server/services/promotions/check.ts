import { eq } from 'drizzle-orm'
import type { z } from 'zod/mini'
import type { checkPromotion as call, Promotion } from '#shared/contract/promotions.ts'
import type { ErrorCode } from '#shared/errors.ts'
import { formatKsh, kshOf } from '#shared/rules/format.ts'
import { discountCentsOf, subtotalCentsOf } from '#shared/rules/pricing.ts'
import { promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { tooManyRequests } from '../../rate-limit.ts'
import type { Result, ServiceError } from '../../result.ts'
import { soldLines } from '../catalogue/sold-lines.ts'

export type PromotionRow = typeof promotions.$inferSelect
/** Why a promo code cannot be used, with the sentence for the shopper where it is not the code's own. */
export type PromotionError = ServiceError<Extract<ErrorCode, `promotion_${string}`>>

type CheckInput = z.infer<typeof call.request> & { clientAddress: string }

/** Whether a promo code can be used with these lines now, and its discount. Uses up nothing: placing the order does. */
export async function checkPromotion(
  { code, lines, clientAddress }: CheckInput,
  deps: Pick<Deps, 'db' | 'catalogue' | 'clock' | 'limits'>,
): Promise<Result<{ promotion: Promotion; discountCents: number }>> {
  if (!(await deps.limits.attempts(`promotion from ${clientAddress}`)))
    return { ok: false, error: tooManyRequests }
  const sold = await soldLines(lines, deps)
  if (!sold.ok) return sold
  const row = await deps.db.select().from(promotions).where(eq(promotions.code, code)).get()
  const subtotalCents = subtotalCentsOf(sold.data)
  const validated = validatePromotion(row, subtotalCents, deps.clock())
  if (!validated.ok) return validated
  const { kind, value, minimumSubtotalCents } = validated.data
  const promotion = { code, kind, value, minimumSubtotalCents }
  return { ok: true, data: { promotion, discountCents: discountCentsOf(subtotalCents, promotion) } }
}

/** A promo code's terms, if it can be used with a subtotal at a time; `row` is undefined for an unknown code. */
export function validatePromotion(
  row: PromotionRow | undefined,
  subtotalCents: number,
  nowMs: number,
): Result<PromotionRow, PromotionError> {
  if (!row) return { ok: false, error: { code: 'promotion_unknown' } }
  if (row.startsAtMs !== null && nowMs < row.startsAtMs)
    return { ok: false, error: { code: 'promotion_not_started' } }
  if (row.endsAtMs !== null && nowMs >= row.endsAtMs)
    return { ok: false, error: { code: 'promotion_expired' } }
  if (row.maxUses !== null && row.uses >= row.maxUses)
    return { ok: false, error: { code: 'promotion_exhausted' } }
  if (subtotalCents >= row.minimumSubtotalCents) return { ok: true, data: row }
  const minimum = formatKsh(kshOf(row.minimumSubtotalCents))
  const message = `This promo code needs a subtotal of at least ${minimum}.`
  return { ok: false, error: { code: 'promotion_minimum', message } }
}
