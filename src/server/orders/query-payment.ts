import { and, asc, inArray, lte, type SQL } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import { withTimeout } from '#server/payments/providers/call-provider.ts'
import type { PaymentQueryResult, SettledResult } from '#server/payments/providers/provider.ts'
import { createSessionQuery, UNAUTHORIZED } from '#server/platform/auth/sessions.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Order } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { applyPaymentResult } from './apply-payment-result.ts'
import { byOwnOrder, ORDER_NOT_FOUND, type OwnOrder } from './find-own-order.ts'
import { type OrderRecord, selectOrderRecord, toOrderRecord, toPaymentAttempt } from './order-record.ts'
import { toOrderAndPayment } from './payment-state.ts'

const QUERY_TIMEOUT_MS = 1500
const CHECK_CLAIM_MS = 30_000

/** Claims a due check, so that only one of several concurrent requests queries the provider. */
export function claimDueAttemptStatement(byOrder: SQL | undefined, { db, clock }: DataContext) {
  const orderIds = db.select({ id: orders.id }).from(orders).where(byOrder)
  const dueAttempt = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(inArray(payments.orderId, orderIds), lte(payments.nextCheckAtMs, clock())))
    .orderBy(asc(payments.nextCheckAtMs))
    .limit(1)
  return db
    .update(payments)
    .set({ nextCheckAtMs: clock() + CHECK_CLAIM_MS })
    .where(inArray(payments.id, dueAttempt))
    .returning({ id: payments.id })
}

/** Queries the provider first if a check is due. If the query is slow, it continues after the response. */
export async function refreshPayment(
  { origin, credential, number }: OwnOrder & { origin: string },
  ctx: ServiceContext,
): Promise<Result<{ order: Order; payment: PaymentState }, ServiceError<'unauthorized' | 'not_found'>>> {
  if (!credential) return UNAUTHORIZED
  const session = await createSessionQuery(credential, ctx)
  const byOrder = byOwnOrder(session.userId, number)
  const [sessionRows, [claimed], ...rows] = await ctx.db.batch([
    session.select,
    claimDueAttemptStatement(byOrder, ctx),
    ...selectOrderRecord(ctx.db, byOrder),
  ])
  if (!session.readLiveSession(sessionRows)) return UNAUTHORIZED
  const record = toOrderRecord(rows)
  if (!record) return ORDER_NOT_FOUND
  return {
    ok: true,
    data: toOrderAndPayment(await checkClaimedAttempt({ record, claimed, origin }, ctx), ctx),
  }
}

export async function checkClaimedAttempt(
  { record, claimed, origin }: { record: OrderRecord; claimed: { id: string } | undefined; origin: string },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const payment = record.payments.find(({ id }) => id === claimed?.id)
  if (!payment) return record
  const checked = checkAttempt({ record, payment, origin }, ctx)
  const inTime = await withTimeout(QUERY_TIMEOUT_MS, checked)
  if (!inTime) ctx.waitUntil(checked)
  return inTime ?? record
}

export async function checkAttempt(
  { record, payment, origin }: { record: OrderRecord; payment: PaymentRow; origin: string },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const result = await queryProvider({ record, payment }, ctx)
  return applyPaymentResult({ record, payment, result, origin }, ctx)
}

export async function queryProvider(
  { record, payment }: { record: OrderRecord; payment: PaymentRow },
  { payments: { providers } }: ServiceContext,
): Promise<PaymentQueryResult> {
  const free = createFreeResult(payment)
  if (free) return free
  const provider = providers.find(({ name }) => name === payment.provider)
  if (!provider) return { outcome: 'unknown', error: 'This payment provider isn’t configured.' }
  try {
    return await provider.queryPayment(toPaymentAttempt(payment, record))
  } catch (error) {
    return { outcome: 'unknown', error: String(error) }
  }
}

/** Settles an amount of 0 without the provider, which would reject it. */
export function createFreeResult({ id, amountCents }: PaymentRow): SettledResult | undefined {
  return amountCents === 0 ? { outcome: 'settled', reference: id, receipt: null } : undefined
}
