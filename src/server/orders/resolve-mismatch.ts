import { and, eq, exists, inArray } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { byMismatch } from '#server/payments/payment-attempts.ts'
import { getAttemptTransition } from '#server/payments/payment-transitions.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Actor } from '#shared/team/roles.ts'

type ResolveMismatchInput = { number: string; paymentId: string; actor: Actor }

export async function resolveMismatch(
  { number, paymentId, actor }: ResolveMismatchInput,
  ctx: DataContext,
): Promise<Result<undefined, ServiceError<'status_changed'>>> {
  const { db } = ctx
  const byOrder = inArray(
    payments.orderId,
    db.select({ id: orders.id }).from(orders).where(eq(orders.number, number)),
  )
  const byOpenMismatch = and(eq(payments.id, paymentId), byOrder, byMismatch)
  const { set, where } = getAttemptTransition('decline')
  const statements = [
    failUnless(
      exists(db.select({ id: payments.id }).from(payments).where(byOpenMismatch)),
      'orderChanged',
      ctx,
    ),
    db
      .update(payments)
      .set({ ...set, problem: 'declined', nextCheckAtMs: null, endedAtMs: ctx.clock() })
      .where(and(byOpenMismatch, where)),
  ] as const
  try {
    await commitAudited({ statements, audit: { actor, action: 'payment.resolved', subject: number } }, ctx)
    return { ok: true, data: undefined }
  } catch (error) {
    if (getGuardViolation(error)?.guard !== 'orderChanged') throw error
    return { ok: false, error: { code: 'status_changed' } }
  }
}
