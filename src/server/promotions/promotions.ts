import { and, eq, gt, isNull, or } from 'drizzle-orm'
import type { z } from 'zod/mini'
import { resolveLines } from '#server/catalogue/resolve-lines.ts'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { getGuardViolation } from '#server/platform/db/guards.ts'
import { promotions } from '#server/platform/db/schema.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { calculateDiscountCents, calculateSubtotalCents } from '#shared/checkout/pricing.ts'
import type { ErrorCode } from '#shared/errors.ts'
import { formatMoney } from '#shared/format.ts'
import type { checkPromotionCall, Promotion } from '#shared/promotions/contract.ts'
import { shop } from '#shared/shop.ts'
import type { Actor } from '#shared/team/roles.ts'

export type PromotionRow = typeof promotions.$inferSelect
export type PromotionError = ServiceError<Extract<ErrorCode, `promotion_${string}`>>

type CheckPromotionInput = z.infer<typeof checkPromotionCall.request> & { ipAddress: string }

/** Doesn't reserve a use of the code. */
export async function checkPromotion(
  { code, lines, ipAddress }: CheckPromotionInput,
  ctx: ServiceContext,
): Promise<Result<{ promotion: Promotion; discountCents: number }>> {
  if (!(await ctx.limits.attempts(`promotion from ${ipAddress}`)))
    return { ok: false, error: tooManyRequestsError }
  const sold = await resolveLines(lines, ctx)
  if (!sold.ok) return sold
  const row = await ctx.db.select().from(promotions).where(eq(promotions.code, code)).get()
  const subtotalCents = calculateSubtotalCents(sold.data)
  const validated = validatePromotion(row, subtotalCents, ctx.clock())
  if (!validated.ok) return validated
  const { kind, value, minimumSubtotalCents } = validated.data
  const promotion = { code, kind, value, minimumSubtotalCents }
  return { ok: true, data: { promotion, discountCents: calculateDiscountCents(subtotalCents, promotion) } }
}

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
  const minimum = formatMoney(row.minimumSubtotalCents)
  const message = `This promo code needs a subtotal of at least ${minimum}.`
  return { ok: false, error: { code: 'promotion_minimum', message } }
}

export type NewPromotion = Omit<PromotionRow, 'uses' | 'createdAtMs'>

const CODE_PATTERN = /^[A-Z0-9][A-Z0-9_-]{2,39}$/

type CreatePromotionInput = { promotion: NewPromotion; actor: Actor }

/** The keys of `fieldErrors` are the field names of the office's form. */
export async function createPromotion(
  { promotion, actor }: CreatePromotionInput,
  ctx: DataContext,
): Promise<Result<PromotionRow, ServiceError<'invalid_fields' | 'code_taken'>>> {
  const row = { ...promotion, code: promotion.code.trim().toUpperCase(), uses: 0, createdAtMs: ctx.clock() }
  const fieldErrors = validateTerms(row)
  if (Object.keys(fieldErrors).length > 0)
    return { ok: false, error: { code: 'invalid_fields', fieldErrors } }
  const audit = { actor, action: 'promotion.create', subject: row.code, to: formatDiscount(row) } as const
  try {
    await commitAudited({ statements: [ctx.db.insert(promotions).values(row)], audit }, ctx)
    return { ok: true, data: row }
  } catch (error) {
    if (getGuardViolation(error)?.guard !== 'promotionCodeTaken') throw error
    const message = `The code ${row.code} already exists. Choose another one.`
    return { ok: false, error: { code: 'code_taken', message } }
  }
}

function validateTerms({
  code,
  kind,
  value,
  minimumSubtotalCents,
  maxUses,
  startsAtMs,
  endsAtMs,
  createdAtMs,
}: PromotionRow) {
  const isAmount = Number.isSafeInteger(value) && value >= 1
  return {
    ...(CODE_PATTERN.test(code)
      ? {}
      : {
          code: 'Code must be 3 to 40 characters long, using only letters, digits, hyphens and underscores.',
        }),
    ...(isAmount && (kind === 'fixed' || value <= 100)
      ? {}
      : {
          value:
            kind === 'percent'
              ? 'Discount must be a whole number from 1% to 100%.'
              : `Discount must be more than ${shop.currency} 0.`,
        }),
    ...(Number.isSafeInteger(minimumSubtotalCents) && minimumSubtotalCents >= 0
      ? {}
      : { minimum: `Minimum subtotal must be an amount in ${shop.currency}, for example 1500.` }),
    ...(maxUses === null || (Number.isSafeInteger(maxUses) && maxUses >= 1)
      ? {}
      : { uses: 'Maximum uses must be a whole number, 1 or more.' }),
    ...(endsAtMs === null || endsAtMs > Math.max(startsAtMs ?? 0, createdAtMs)
      ? {}
      : { until: 'The last day can’t be in the past or before the first day.' }),
  }
}

export function formatDiscount({ kind, value }: Pick<PromotionRow, 'kind' | 'value'>): string {
  return kind === 'percent' ? `${value}%` : formatMoney(value)
}

export function getPromotionState({ startsAtMs, endsAtMs, maxUses, uses }: PromotionRow, nowMs: number) {
  if (endsAtMs !== null && nowMs >= endsAtMs) return 'ended'
  if (maxUses !== null && uses >= maxUses) return 'limit reached'
  if (startsAtMs !== null && nowMs < startsAtMs) return 'scheduled'
  return 'active'
}

type EndPromotionInput = {
  code: string
  actor: Actor
}

export async function endPromotion(
  { code, actor }: EndPromotionInput,
  ctx: DataContext,
): Promise<Result<PromotionRow, ServiceError<'promotion_unknown' | 'promotion_expired'>>> {
  const { db } = ctx
  const nowMs = ctx.clock()
  const byCode = eq(promotions.code, code.trim().toUpperCase())
  const row = await db.select().from(promotions).where(byCode).get()
  if (!row) return { ok: false, error: { code: 'promotion_unknown' } }
  if (row.endsAtMs !== null && row.endsAtMs <= nowMs)
    return { ok: false, error: { code: 'promotion_expired', details: { endsAtMs: row.endsAtMs } } }
  const byActiveCode = and(byCode, or(isNull(promotions.endsAtMs), gt(promotions.endsAtMs, nowMs)))
  const end = db.update(promotions).set({ endsAtMs: nowMs }).where(byActiveCode)
  await commitAudited(
    { statements: [end], audit: { actor, action: 'promotion.end', subject: row.code } },
    ctx,
  )
  return { ok: true, data: { ...row, endsAtMs: nowMs } }
}
