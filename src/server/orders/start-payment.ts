import { and, count, eq, gt, inArray, isNotNull, notExists, type SQL, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { nextCheckAtMs, type PaymentRow } from '#server/payments/attempts.ts'
import { type BeginResult, within } from '#server/payments/providers/provider.ts'
import { newId, sha256Hex } from '#server/platform/crypto.ts'
import { rowWhere } from '#server/platform/db/client.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Order } from '#shared/orders/contract.ts'
import type { Payment, PaymentState } from '#shared/payments/contract.ts'
import { mobileNumber } from '#shared/payments/payment.ts'
import { href } from '#shared/routes.ts'
import { applyPaymentResult } from './apply-payment-result.ts'
import { attemptOf, type OrderRecord } from './order-record.ts'
import { orderAndPayment } from './payment-state.ts'

const CALLBACK_TOKEN_BYTES = 32
/** The timeout of starting a payment; after it, the response is that it is under way. */
const ANSWER_WITHIN_MS = 1500
/** Prompts to one phone, from all accounts together. */
const PHONE_LIMIT = { prompts: 6, withinMs: 600_000 } as const

/** The answer of a call that starts a payment. `isPaid` is false while the shopper or the provider has something to do. */
export type StartedPayment = { order: Order; payment: PaymentState; isPaid: boolean }
export type PaymentError = ServiceError<'payment_declined' | 'payment_unavailable'>
/** A new attempt: its row, to be inserted before {@link startPayment} asks for any money. */
export type NewAttempt = { row: typeof payments.$inferInsert; callbackToken: string }

/** The next attempt of an order, `attempt` counting from 1. The callback's token is not stored, only its hash. */
export async function newAttempt(
  { orderId, attempt, amountCents, chosen }: AttemptInput,
  ctx: DataContext,
): Promise<NewAttempt> {
  const nowMs = ctx.clock()
  // Hexadecimal, because Daraja refuses addresses that hold words like "sql" or "exec".
  const callbackToken = ctx.randomBytes(CALLBACK_TOKEN_BYTES).toHex()
  const row = {
    id: newId(ctx),
    orderId,
    attempt,
    provider: chosen.provider ?? 'simulated',
    state: 'sending' as const,
    amountCents,
    phone: phoneOf(chosen),
    cardBrand: 'card' in chosen ? chosen.card.brand : null,
    cardLastFour: 'card' in chosen ? chosen.card.lastFour : null,
    callbackHash: await sha256Hex(callbackToken),
    createdAtMs: nowMs,
    nextCheckAtMs: nextCheckAtMs(nowMs, nowMs),
  }
  return { row, callbackToken }
}

type AttemptInput = { orderId: string; attempt: number; amountCents: number; chosen: Payment }

/** The phone that a chosen way asks, as 254XXXXXXXXX; null for ways that ask none. */
export function phoneOf(chosen: Payment): string | null {
  return chosen.provider === 'mpesa' ? (mobileNumber(chosen.phone) ?? null) : null
}

/** Prompts of one account within the same time, to all phones together. */
const ACCOUNT_PROMPTS = 30
/** No order that is older can still be paid. */
const DAY_MS = 86_400_000

/**
 * The statements that insert an attempt if its order is there. They fail the batch with `promptLimitReached` when its
 * phone or its account was prompted too often.
 */
export function insertAttempt({ row }: NewAttempt, ctx: DataContext) {
  const { db } = ctx
  const ofItsOrder = sql`from ${orders} where ${orders.id} = ${row.orderId}`
  const insert = db.insert(payments).select(rowWhere(payments, row, ofItsOrder))
  return row.phone
    ? [failUnless(mayPrompt(row.orderId, row.phone, ctx), 'promptLimitReached', ctx), insert]
    : [insert]
}

/** The condition that one more prompt is within the limits; an order that was not inserted prompts nobody. */
function mayPrompt(orderId: string, phone: string, { db, clock }: DataContext): SQL {
  const isRecent = gt(payments.createdAtMs, clock() - PHONE_LIMIT.withinMs)
  const prompts = db
    .select({ n: count() })
    .from(payments)
    .where(and(eq(payments.phone, phone), isRecent))
  const owner = db.select({ id: orders.userId }).from(orders).where(eq(orders.id, orderId))
  const ordersOfOwner = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.userId, sql`(${owner})`), gt(orders.createdAtMs, clock() - DAY_MS)))
  const promptsOfOwner = db
    .select({ n: count() })
    .from(payments)
    .where(and(inArray(payments.orderId, ordersOfOwner), isNotNull(payments.phone), isRecent))
  return sql`${notExists(owner)} or (${prompts}) < ${PHONE_LIMIT.prompts} and (${promptsOfOwner}) < ${ACCOUNT_PROMPTS}`
}

type StartInput = { record: OrderRecord; payment: PaymentRow; callbackToken: string; origin: string }

/**
 * Asks the provider for the money of a stored attempt, and applies its result. A slow provider is not awaited; its result
 * is applied in the background. Rejects when the database fails.
 */
export async function startPayment(
  { record, payment, callbackToken, origin }: StartInput,
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PaymentError>> {
  const provider = ctx.payments.providers.find(({ name }) => name === payment.provider)
  const addresses = {
    callbackUrl: `${origin}/api/payments/${callbackToken}`,
    returnUrl: new URL(href('checkout', {}, { order: record.row.number }), origin).href,
  }
  const requested: Promise<BeginResult> =
    provider?.begin(attemptOf(payment, record), addresses) ??
    Promise.resolve({ outcome: 'unknown', error: 'This provider is not configured.' })
  const applied = requested
    .catch((error): BeginResult => ({ outcome: 'unknown', error: String(error) }))
    .then((result) => applyPaymentResult({ record, payment, result, origin }, ctx))
  if (provider?.name === 'simulated') return resultOf(await applied, payment.id, ctx)
  const inTime = await within(ANSWER_WITHIN_MS, applied)
  if (!inTime) ctx.background(applied)
  return resultOf(inTime ?? record, payment.id, ctx)
}

/**
 * The order, or why it is not being paid. A provider that gave no usable answer is a failure too, although the order may
 * still be paid.
 */
function resultOf(
  record: OrderRecord,
  paymentId: string,
  ctx: ServiceContext,
): Result<StartedPayment, PaymentError> {
  const answer = orderAndPayment(record, ctx)
  const attempt = record.payments.find(({ id }) => id === paymentId)
  const isPaid = answer.payment.status === 'paid'
  if (isPaid || !attempt) return { ok: true, data: { ...answer, isPaid } }
  if (isUnanswered(attempt)) {
    const { message } = answer.payment
    return { ok: false, error: { code: 'payment_unavailable', message, details: answer } }
  }
  if (attempt.state !== 'declined') return { ok: true, data: { ...answer, isPaid } }
  const isBusy = attempt.problem === 'provider_busy'
  const code = isBusy ? 'payment_unavailable' : 'payment_declined'
  const message = attempt.message ?? answer.payment.message
  return { ok: false, error: { code, message, details: answer } }
}

/** Whether nothing can be done before a provider answers. A prompt may be on its way to the phone; a page is not. */
function isUnanswered({ state, provider }: PaymentRow): boolean {
  return state === 'unknown' || (state === 'sending' && provider === 'paystack')
}
