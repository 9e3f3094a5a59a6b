import { and, eq, gt, isNull, or } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { Result, ServiceError } from '../../result.ts'
import type { PromotionRow } from './create.ts'

type EndInput = {
  /** In any case. */
  code: string
  /** Statements of the same batch: a line of the audit log. */
  alongside?: readonly BatchItem<'sqlite'>[]
}

/** Ends a promo code now; `promotion_expired` when it has ended already, with the promotion in `details`. */
export async function endPromotion(
  { code, alongside = [] }: EndInput,
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
): Promise<Result<PromotionRow, ServiceError<'promotion_unknown' | 'promotion_expired'>>> {
  const nowMs = clock()
  const isIt = eq(promotions.code, code.trim().toUpperCase())
  const row = await db.select().from(promotions).where(isIt).get()
  if (!row) return { ok: false, error: { code: 'promotion_unknown' } }
  if (row.endsAtMs !== null && row.endsAtMs <= nowMs)
    return { ok: false, error: { code: 'promotion_expired', details: { endsAtMs: row.endsAtMs } } }
  const isRunning = and(isIt, or(isNull(promotions.endsAtMs), gt(promotions.endsAtMs, nowMs)))
  await db.batch([db.update(promotions).set({ endsAtMs: nowMs }).where(isRunning), ...alongside])
  return { ok: true, data: { ...row, endsAtMs: nowMs } }
}
