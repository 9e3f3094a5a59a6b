import { and, count, eq, gt, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/attempts.ts'
import { withTimeout } from '#server/payments/providers/call-provider.ts'
import type { StartResult } from '#server/payments/providers/provider.ts'
import { problemMessage } from '#server/payments/providers/registry.ts'
import { newId, sha256Hex } from '#server/platform/crypto.ts'
import { onlyIf, rowWhere } from '#server/platform/db/client.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Order } from '#shared/orders/contract.ts'
import { methodOf, type Payment, type PaymentState } from '#shared/payments/contract.ts'
import { mobileNumber } from '#shared/payments/payment.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import { href } from '#shared/routes.ts'
import { attemptOf, type OrderRecord } from './order-record.ts'
import { orderAndPayment } from './payment-state.ts'
import { nextCheckAtMs, recordOutcome } from './record-payment.ts'

const CALLBACK_TOKEN_BYTES = 32
/** The timeout of starting a payment; after it, the response is that it is under way. */
const ANSWER_WITHIN_MS = 1500
/** A phone belongs to somebody: no more prompts than these are sent to it, by whomever. */
const PHONE_LIMIT = { prompts: 6, withinMs: 600_000 } as const

/** The answer of a call that starts a payment. `isPaid` is false while the shopper or the provider has something to do. */
export type StartedPayment = { order: Order; payment: PaymentState; isPaid: boolean }
export type PaymentError = ServiceError<'payment_declined' | 'payment_unavailable'>
/** An attempt that is about to be made: its row, to be inserted before {@link begin} asks for any money. */
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
    provider: methodOf(chosen),
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

/** The phone that gets the prompt, as 254XXXXXXXXX; null for methods without one. */
export function phoneOf(chosen: Payment): string | null {
  return 'phone' in chosen ? (mobileNumber(chosen.phone) ?? null) : null
}

/** How many prompts one account sends within the same time, to whatever phones. */
const ACCOUNT_PROMPTS = 30
/** No order that is older can still be paid. */
const DAY_MS = 86_400_000

/**
 * The statement that inserts an attempt if its order is there; `payments.state` is broken when its phone or its account
 * was prompted too often.
 */
export function insertAttempt({ row }: NewAttempt, { db, clock }: DataContext) {
  const ofItsOrder = sql`from ${orders} where ${orders.id} = ${row.orderId}`
  const insert = (state: NewAttempt['row']['state'] | SQL) =>
    db.insert(payments).select(rowWhere(payments, { ...row, state }, ofItsOrder))
  if (!row.phone) return insert(row.state)
  const isRecent = gt(payments.createdAtMs, clock() - PHONE_LIMIT.withinMs)
  const prompts = db
    .select({ n: count() })
    .from(payments)
    .where(and(eq(payments.phone, row.phone), isRecent))
  const owner = db.select({ id: orders.userId }).from(orders).where(eq(orders.id, row.orderId))
  const ordersOfOwner = db
    .select({ id: orders.id })
    .from(orders)
    .where(and(eq(orders.userId, sql`(${owner})`), gt(orders.createdAtMs, clock() - DAY_MS)))
  const promptsOfOwner = db
    .select({ n: count() })
    .from(payments)
    .where(and(inArray(payments.orderId, ordersOfOwner), isNotNull(payments.phone), isRecent))
  const mayPrompt = sql`(${prompts}) < ${PHONE_LIMIT.prompts} and (${promptsOfOwner}) < ${ACCOUNT_PROMPTS}`
  return insert(onlyIf(mayPrompt, row.state))
}

/**
 * Asks the provider for the money of an attempt that is written down, and writes down the answer. A slow provider is
 * not awaited; its answer is recorded in the background. Rejects when the database fails.
 */
export async function begin(
  { record, payment, callbackToken, origin }: BeginInput,
  ctx: ServiceContext,
): Promise<Result<StartedPayment, PaymentError>> {
  const provider = ctx.payments.providers.find(({ name }) => name === payment.provider)
  const addresses = {
    callbackUrl: `${origin}/api/payments/${callbackToken}`,
    returnUrl: new URL(href('checkout', {}, { order: record.row.number }), origin).href,
  }
  const asked: Promise<StartResult> =
    provider?.startPayment(attemptOf(payment, record), addresses) ??
    Promise.resolve({ outcome: 'unknown', error: 'This provider is not configured.' })
  const recorded = asked
    .catch((error): StartResult => ({ outcome: 'unknown', error: String(error) }))
    .then((result) => recordOutcome({ record, payment, result, origin }, ctx))
  if (hasFlow(payment.provider, 'card')) return startedPayment(await recorded, payment.id, ctx)
  const inTime = await withTimeout(ANSWER_WITHIN_MS, recorded)
  if (!inTime) ctx.background(recorded)
  return startedPayment(inTime ?? record, payment.id, ctx)
}

type BeginInput = { record: OrderRecord; payment: PaymentRow; callbackToken: string; origin: string }

/**
 * What a call answers once an attempt has been recorded: the order, or in a sentence why it is not being paid. A
 * provider that gave no usable answer is a failure too, although the order may still be paid.
 */
export function startedPayment(
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
  const message = attempt.problem ? problemMessage(attempt.provider, attempt.problem) : answer.payment.message
  return { ok: false, error: { code, message, details: answer } }
}

/** Whether nothing can be done before a provider answers. A prompt may be on its way to the phone; a page is not. */
function isUnanswered({ state, provider }: PaymentRow): boolean {
  return state === 'unknown' || (state === 'sending' && hasFlow(provider, 'redirect'))
}
