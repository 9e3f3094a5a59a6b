import { and, asc, eq, inArray, isNotNull, lte, ne, notExists } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { selectPayments } from '#server/payments/payment-attempts.ts'
import { getAttemptTransition } from '#server/payments/payment-transitions.ts'
import { selectRefunds } from '#server/payments/refunds.ts'
import { orders, payments, providerTokens } from '#server/platform/db/schema.ts'
import { getPublicOrigin } from '#server/platform/http/request.ts'
import { byPartPayment } from './amount-due.ts'
import { ORDER_EXPIRES_MS } from './new-payment-attempt.ts'
import { selectOrderLines, toTokenMap } from './order-record.ts'
import { sendDueRefunds } from './process-refunds.ts'
import { checkAttempt } from './query-payment.ts'
import { expireOrdersStatements, releaseReservationsStatements } from './release-order.ts'

const ATTEMPTS_PER_RUN = 50
/** Providers limit concurrent queries. */
const CONCURRENT_CHECKS = 10

/** If one part fails, the others still run. */
export async function runScheduledPayments(ctx: ServiceContext): Promise<void> {
  await checkDueAttempts(ctx)
    .finally(() => expireDueOrders(ctx))
    .finally(() => sendDueRefunds(ctx))
}

async function expireDueOrders(ctx: ServiceContext): Promise<void> {
  const byExpiry = lte(orders.expiresAtMs, ctx.clock())
  const byOverduePartPayment = and(byPartPayment, byExpiry)
  await ctx.db.batch([
    // A partly paid order doesn't expire, because the operator either collects the rest or refunds the payment.
    ...releaseReservationsStatements(byOverduePartPayment, ctx),
    ctx.db.update(orders).set({ expiresAtMs: null }).where(byOverduePartPayment),
    ...expireOrdersStatements(byExpiry, ctx),
    expireAttemptsStatement(ctx),
  ])
}

/**
 * Expires old attempts of orders that don't expire themselves, such as placed and partly paid ones. Expired attempts
 * are still checked.
 */
function expireAttemptsStatement({ db, clock }: ServiceContext) {
  const awaiting = db
    .select({ id: orders.id })
    .from(orders)
    .where(
      and(
        eq(orders.id, payments.orderId),
        eq(orders.status, 'awaiting_payment'),
        isNotNull(orders.expiresAtMs),
      ),
    )
  const { set, where } = getAttemptTransition('expire')
  const byAge = lte(payments.createdAtMs, clock() - ORDER_EXPIRES_MS)
  return db
    .update(payments)
    .set(set)
    .where(and(where, byAge, ne(payments.provider, 'cash-on-delivery'), notExists(awaiting)))
}

async function checkDueAttempts(ctx: ServiceContext): Promise<void> {
  const { db } = ctx
  const dueAttempts = await db
    .select({ id: payments.id, orderId: payments.orderId })
    .from(payments)
    .where(lte(payments.nextCheckAtMs, ctx.clock()))
    .orderBy(asc(payments.nextCheckAtMs))
    .limit(ATTEMPTS_PER_RUN)
  const checks: PromiseSettledResult<void>[] = []
  for (let start = 0; start < dueAttempts.length; start += CONCURRENT_CHECKS)
    checks.push(
      ...(await checkAttemptsConcurrently(dueAttempts.slice(start, start + CONCURRENT_CHECKS), ctx)),
    )
  const failed = checks.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

async function checkAttemptsConcurrently(
  due: { id: string; orderId: string }[],
  ctx: ServiceContext,
): Promise<PromiseSettledResult<void>[]> {
  const { db } = ctx
  const orderIds = due.map(({ orderId }) => orderId)
  const byId = inArray(orders.id, orderIds)
  const ids = db.select({ id: orders.id }).from(orders).where(byId)
  const [rows, lines, attempts, refunds, tokens] = await db.batch([
    db.select().from(orders).where(byId),
    selectOrderLines(db, ids),
    selectPayments(db, ids),
    selectRefunds(db, ids),
    db.select().from(providerTokens),
  ])
  const origin = getPublicOrigin(ctx.config)
  return Promise.allSettled(
    due.map(async ({ id, orderId }) => {
      const row = rows.find((order) => order.id === orderId)
      const payment = attempts.find((attempt) => attempt.id === id)
      if (!row || !payment) return
      const record = {
        row,
        lines: lines.filter((line) => line.orderId === orderId),
        payments: attempts.filter((attempt) => attempt.orderId === orderId),
        refunds: refunds.filter((refund) => refund.orderId === orderId),
        tokens: toTokenMap(tokens),
      }
      await checkAttempt({ record, payment, origin }, ctx)
    }),
  )
}
