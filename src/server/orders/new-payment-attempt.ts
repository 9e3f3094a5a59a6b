import { and, eq, exists, notExists, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { getNextCheckAtMs } from '#server/payments/payment-attempts.ts'
import { newId, sha256Hex, toHex } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { orders, payments, users } from '#server/platform/db/schema.ts'
import { getPaymentMethod, type Payment } from '#shared/payments/contract.ts'
import { normaliseMobile } from '#shared/payments/payment.ts'
import { byPromptLimits } from './prompt-limits.ts'

export const ORDER_EXPIRES_MS = 30 * 60_000
const CALLBACK_TOKEN_BYTES = 32

/** Insert the row before calling `startPayment`, or a failure could leave a charge without a record. */
export type NewAttempt = {
  row: typeof payments.$inferInsert & { phone: string | null }
  userId: string
  callbackToken: string
  isByOwner: boolean
}

/** `attempt` counts from 1. The row contains only the hash of the callback token. */
export async function createPaymentAttempt(
  {
    orderId,
    userId,
    attempt,
    amountCents,
    paymentDetails,
    isDueImmediately = false,
    isByOwner,
  }: PaymentAttemptInput,
  ctx: DataContext,
): Promise<NewAttempt> {
  const nowMs = ctx.clock()
  // The token is hexadecimal, because Daraja rejects URLs that contain words like "sql" or "exec".
  const callbackToken = toHex(ctx.randomBytes(CALLBACK_TOKEN_BYTES))
  const row = {
    id: newId(ctx),
    orderId,
    attempt,
    provider: getPaymentMethod(paymentDetails),
    state: 'sending' as const,
    amountCents,
    phone: getPromptPhone(paymentDetails),
    cardBrand: 'card' in paymentDetails ? paymentDetails.card.brand : null,
    cardLastFour: 'card' in paymentDetails ? paymentDetails.card.lastFour : null,
    callbackHash: await sha256Hex(callbackToken),
    createdAtMs: nowMs,
    nextCheckAtMs: isDueImmediately ? nowMs : getNextCheckAtMs(nowMs, nowMs),
  }
  return { row, userId, callbackToken, isByOwner }
}

type PaymentAttemptInput = {
  orderId: string
  userId: string
  attempt: number
  amountCents: number
  paymentDetails: Payment
  isDueImmediately?: boolean
  /** Whether the order's owner started the attempt. If so, its phone number prefills the owner's next checkout. */
  isByOwner: boolean
}

export function getPromptPhone(paymentDetails: Payment): string | null {
  return 'phone' in paymentDetails ? (normaliseMobile(paymentDetails.phone) ?? null) : null
}

/** The batch fails with `promptLimitReached` if the account has sent or the phone has received too many prompts. */
export function insertAttemptStatements({ row, userId, isByOwner }: NewAttempt, ctx: DataContext) {
  const { db } = ctx
  const fromOrder = sql`from ${orders} where ${orders.id} = ${row.orderId}`
  const insert = db.insert(payments).select(insertRowWhere(payments, row, fromOrder))
  if (!row.phone) return [insert]
  const order = db.select({ id: orders.id }).from(orders).where(eq(orders.id, row.orderId))
  // If the order wasn't inserted, the attempt won't be either, so the limits don't apply.
  const byAllowedPrompt = sql`${notExists(order)} or (${byPromptLimits({ userId, phone: row.phone }, ctx)})`
  const statements = [failUnless(byAllowedPrompt, 'promptLimitReached', ctx), insert]
  if (!isByOwner) return statements
  const byOwner = and(eq(users.id, userId), exists(order))
  return [...statements, db.update(users).set({ mpesaPhone: row.phone }).where(byOwner)]
}
