import { and, asc, eq, inArray, lte, type SQL } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/attempts.ts'
import { withTimeout } from '#server/payments/providers/call-provider.ts'
import type { QueryResult } from '#server/payments/providers/provider.ts'
import { authenticate, type Credential } from '#server/platform/auth/sessions.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Order } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { attemptOf, type OrderRecord, orderRecordOf, readOrderRecord } from './order-record.ts'
import { orderAndPayment } from './payment-state.ts'
import { recordOutcome } from './record-payment.ts'

/** The timeout of a provider's query; after it, the last known state is returned. */
const ANSWER_WITHIN_MS = 1500
/** How long whoever queries the provider does so alone; longer than its call can take. */
const CLAIM_MS = 30_000

/** An own order, as a request names it. */
export type OwnOrder = { credential: Credential | null; number: string }

/** The order of whoever is signed in by a credential; `not_found` for anybody else's. One round trip. */
export async function findOwnOrder(
  { credential, number }: OwnOrder,
  ctx: ServiceContext,
): Promise<Result<OrderRecord, ServiceError<'unauthorized' | 'not_found'>>> {
  const authenticated = await authenticate({ credential }, ctx, (userId) =>
    readOrderRecord(ctx.db, isOwn(userId, number)),
  )
  if (!authenticated.ok) return authenticated
  const record = orderRecordOf(authenticated.data.read)
  return record ? { ok: true, data: record } : { ok: false, error: { code: 'not_found' } }
}

function isOwn(userId: SQL, number: string): SQL | undefined {
  return and(eq(orders.userId, userId), eq(orders.number, number.toUpperCase()))
}

/**
 * The statement that takes the attempt of an order whose provider is to be queried now, if there is one. Of requests
 * at the same moment one gets it: a provider limits how often it is asked.
 */
export function claimDue(isOrder: SQL | undefined, { db, clock }: DataContext) {
  const orderIds = db.select({ id: orders.id }).from(orders).where(isOrder)
  const due = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(inArray(payments.orderId, orderIds), lte(payments.nextCheckAtMs, clock())))
    .orderBy(asc(payments.nextCheckAtMs))
    .limit(1)
  return db
    .update(payments)
    .set({ nextCheckAtMs: clock() + CLAIM_MS })
    .where(inArray(payments.id, due))
    .returning({ id: payments.id })
}

/**
 * An own order and the state of its payment. The provider is queried when that is due, and its answer is recorded
 * down; without an answer in time, what is known is returned.
 */
export async function getPayment(
  { origin, credential, number }: OwnOrder & { origin: string },
  ctx: ServiceContext,
): Promise<Result<{ order: Order; payment: PaymentState }, ServiceError<'unauthorized' | 'not_found'>>> {
  const authenticated = await authenticate({ credential }, ctx, (userId) => {
    const isOrder = isOwn(userId, number)
    return [...readOrderRecord(ctx.db, isOrder), claimDue(isOrder, ctx)] as const
  })
  if (!authenticated.ok) return authenticated
  const [rows, lines, attempts, tokens, [claimed]] = authenticated.data.read
  const record = orderRecordOf([rows, lines, attempts, tokens])
  if (!record) return { ok: false, error: { code: 'not_found' } }
  return { ok: true, data: orderAndPayment(await checkClaimed({ record, claimed, origin }, ctx), ctx) }
}

/**
 * An order with its provider's answer about the attempt that was claimed with it (see {@link claimDue}); without a
 * claim, or an answer in time, the order as it was.
 */
export async function checkClaimed(
  { record, claimed, origin }: { record: OrderRecord; claimed: { id: string } | undefined; origin: string },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const payment = record.payments.find(({ id }) => id === claimed?.id)
  if (!payment) return record
  const checked = checkAttempt({ record, payment, origin }, ctx)
  const inTime = await withTimeout(ANSWER_WITHIN_MS, checked)
  if (!inTime) ctx.background(checked)
  return inTime ?? record
}

/** Queries a provider for an attempt and records the result. Rejects when the database fails. */
export async function checkAttempt(
  { record, payment, origin }: { record: OrderRecord; payment: PaymentRow; origin: string },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const result = await queryProvider({ record, payment }, ctx)
  return recordOutcome({ record, payment, result, origin }, ctx)
}

/** The state of an attempt by its provider. Never rejects. */
export async function queryProvider(
  { record, payment }: { record: OrderRecord; payment: PaymentRow },
  { payments: { providers } }: ServiceContext,
): Promise<QueryResult> {
  const provider = providers.find(({ name }) => name === payment.provider)
  if (!provider) return { outcome: 'unknown', error: 'This provider is not configured.' }
  try {
    return await provider.queryPayment(attemptOf(payment, record))
  } catch (error) {
    return { outcome: 'unknown', error: String(error) }
  }
}
