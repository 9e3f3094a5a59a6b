import { and, count, eq, gt, inArray, isNotNull, isNull, or, type SQL } from 'drizzle-orm'
import { byOpenRefundState } from '#server/payments/payment-transitions.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import {
  contactMessages,
  incomingPayments,
  orderReturns,
  outbox,
  refunds,
} from '#server/platform/db/schema.ts'

const MAX_COUNT = 99

/** Each count is at most {@link MAX_COUNT}. */
export type OpenTaskCounts = {
  unreadMessages: number
  returnRequests: number
  refundsNeedingAttention: number
  stuckEmails: number
  unassignedPayments: number
}

export async function countOpenTasks({ db }: OwnerContext): Promise<OpenTaskCounts> {
  const unread = db
    .select({ id: contactMessages.id })
    .from(contactMessages)
    .where(and(isNull(contactMessages.readAtMs), eq(contactMessages.isSuspicious, false)))
    .limit(MAX_COUNT)
  const byNeedForAttention = or(
    eq(refunds.state, 'by_hand'),
    and(inArray(refunds.state, ['due', 'requested']), isNotNull(refunds.error)),
  )
  // `byOpenRefundState` looks redundant, but SQLite needs it to use the index on open refunds.
  const needingAttention = db
    .select({ id: refunds.id })
    .from(refunds)
    .where(and(byOpenRefundState, byNeedForAttention))
    .limit(MAX_COUNT)
  const selectEmails = (byState: SQL | undefined) =>
    db.select({ id: outbox.id }).from(outbox).where(byState).limit(MAX_COUNT)
  const failedEmails = selectEmails(eq(outbox.status, 'failed'))
  const lateEmails = selectEmails(and(eq(outbox.status, 'pending'), gt(outbox.attempts, 1)))
  const incoming = db
    .select({ receipt: incomingPayments.receipt })
    .from(incomingPayments)
    .where(and(isNull(incomingPayments.paymentId), isNull(incomingPayments.returnedAtMs)))
    .limit(MAX_COUNT)
  const requested = db
    .select({ id: orderReturns.id })
    .from(orderReturns)
    .where(eq(orderReturns.state, 'requested'))
    .limit(MAX_COUNT)
  const [[requests], [messages], [due], [failed], [late], [arrived]] = await db.batch([
    db.select({ n: count().as('n') }).from(requested.as('requested')),
    db.select({ n: count().as('n') }).from(unread.as('unread')),
    db.select({ n: count().as('n') }).from(needingAttention.as('needingAttention')),
    // A single query for failed and late emails would use neither index.
    db.select({ n: count().as('n') }).from(failedEmails.as('failed')),
    db.select({ n: count().as('n') }).from(lateEmails.as('late')),
    db.select({ n: count().as('n') }).from(incoming.as('incoming')),
  ])
  const stuckEmails = Math.min((failed?.n ?? 0) + (late?.n ?? 0), MAX_COUNT)
  return {
    unreadMessages: messages?.n ?? 0,
    returnRequests: requests?.n ?? 0,
    refundsNeedingAttention: due?.n ?? 0,
    stuckEmails,
    unassignedPayments: arrived?.n ?? 0,
  }
}
