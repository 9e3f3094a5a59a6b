import type { BatchItem } from 'drizzle-orm/batch'
import { brokenConstraint } from '../../db/errors.ts'
import { promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { Result, ServiceError } from '../../result.ts'

export type PromotionRow = typeof promotions.$inferSelect
export type NewPromotion = Omit<PromotionRow, 'uses' | 'createdAtMs'>

const CODE = /^[A-Z0-9][A-Z0-9_-]{2,39}$/

type CreateInput = {
  promotion: NewPromotion
  /** Statements of the same batch: a line of the audit log. */
  alongside?: readonly BatchItem<'sqlite'>[]
}

/** Makes a promo code. `fieldErrors` names the term that cannot be; `code_taken`: there is such a code already. */
export async function createPromotion(
  { promotion, alongside = [] }: CreateInput,
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
): Promise<Result<PromotionRow, ServiceError<'invalid_fields' | 'code_taken'>>> {
  const row = { ...promotion, code: promotion.code.trim().toUpperCase(), uses: 0, createdAtMs: clock() }
  const fieldErrors = problemsOf(row)
  if (Object.keys(fieldErrors).length > 0)
    return { ok: false, error: { code: 'invalid_fields', fieldErrors } }
  try {
    await db.batch([db.insert(promotions).values(row), ...alongside])
    return { ok: true, data: row }
  } catch (error) {
    if (!brokenConstraint(error)?.includes('promotions.code')) throw error
    return { ok: false, error: { code: 'code_taken', message: `The code ${row.code} exists already.` } }
  }
}

function problemsOf({ code, kind, value, maxUses, startsAtMs, endsAtMs, createdAtMs }: PromotionRow) {
  const isAmount = Number.isSafeInteger(value) && value >= 1
  return {
    ...(CODE.test(code)
      ? {}
      : { code: `"${code}" cannot be a code: 3 to 40 letters, digits, dashes and underscores.` }),
    ...(isAmount && (kind === 'fixed' || value <= 100)
      ? {}
      : {
          value: kind === 'percent' ? 'Percent is a whole number from 1 to 100.' : 'The amount is above 0.',
        }),
    ...(maxUses === null || (Number.isSafeInteger(maxUses) && maxUses >= 1)
      ? {}
      : { uses: 'How often it can be used is a whole number from 1.' }),
    ...(endsAtMs === null || endsAtMs > Math.max(startsAtMs ?? 0, createdAtMs)
      ? {}
      : { until: 'The promotion would end before it starts.' }),
  }
}

/** What a promotion is at a moment, in a word or two. */
export function promotionState({ startsAtMs, endsAtMs, maxUses, uses }: PromotionRow, nowMs: number) {
  if (endsAtMs !== null && nowMs >= endsAtMs) return 'ended'
  if (maxUses !== null && uses >= maxUses) return 'used up'
  if (startsAtMs !== null && nowMs < startsAtMs) return 'to come'
  return 'running'
}
