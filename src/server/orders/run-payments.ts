import { and, asc, eq, inArray, lte } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { paymentsOf } from '#server/payments/attempts.ts'
import { orders, payments, providerTokens } from '#server/platform/db/schema.ts'
import { publicOrigin } from '#server/platform/http/request.ts'
import { checkAttempt } from './check-payment.ts'
import { linesOf, tokensOf } from './order-record.ts'
import { refundDue } from './refund.ts'
import { expireOrders } from './release.ts'

const ATTEMPTS_PER_RUN = 50
/** Providers limit how much they are asked at once. */
const ATTEMPTS_AT_ONCE = 10

/**
 * The scheduled work on payments: asks about every attempt that is due, then lets unpaid orders expire, then gives
 * back what is due. Never asks a shopper for money. Rejects when the database fails.
 */
export async function runPayments(ctx: ServiceContext): Promise<void> {
  await checkDue(ctx)
  const isOver = and(eq(orders.status, 'awaiting_payment'), lte(orders.expiresAtMs, ctx.clock()))
  await expireOrders(isOver, ctx)
  await refundDue(ctx)
}

async function checkDue(ctx: ServiceContext): Promise<void> {
  const { db } = ctx
  const due = await db
    .select({ id: payments.id, orderId: payments.orderId })
    .from(payments)
    .where(lte(payments.nextCheckAtMs, ctx.clock()))
    .orderBy(asc(payments.nextCheckAtMs))
    .limit(ATTEMPTS_PER_RUN)
  for (let start = 0; start < due.length; start += ATTEMPTS_AT_ONCE)
    await checkSome(due.slice(start, start + ATTEMPTS_AT_ONCE), ctx)
}

async function checkSome(due: { id: string; orderId: string }[], ctx: ServiceContext): Promise<void> {
  const { db } = ctx
  const orderIds = due.map(({ orderId }) => orderId)
  const isOne = inArray(orders.id, orderIds)
  const ids = db.select({ id: orders.id }).from(orders).where(isOne)
  const [rows, lines, attempts, tokens] = await db.batch([
    db.select().from(orders).where(isOne),
    linesOf(db, ids),
    paymentsOf(db, ids),
    db.select().from(providerTokens),
  ])
  const origin = publicOrigin(ctx.config)
  await Promise.all(
    due.map(async ({ id, orderId }) => {
      const row = rows.find((order) => order.id === orderId)
      const payment = attempts.find((attempt) => attempt.id === id)
      if (!row || !payment) return
      const record = {
        row,
        lines: lines.filter((line) => line.orderId === orderId),
        payments: attempts.filter((attempt) => attempt.orderId === orderId),
        tokens: tokensOf(tokens),
      }
      await checkAttempt({ record, payment, origin }, ctx)
    }),
  )
}
