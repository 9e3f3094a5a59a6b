import { and, count, eq, gt, inArray, isNotNull, notExists, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { nextCheckAtMs } from '#server/payments/payment-attempts.ts'
import { newId, sha256Hex } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import { type Payment, paymentMethodOf } from '#shared/payments/contract.ts'
import { normaliseMobile } from '#shared/payments/payment.ts'

export const ORDER_EXPIRES_MS = 30 * 60_000
const CALLBACK_TOKEN_BYTES = 32
/** Per phone, across all accounts. */
const PHONE_LIMIT = { prompts: 6, withinMs: 600_000 } as const
/** Per account, across all phones, within the same time. */
const ACCOUNT_PROMPTS = 30
const DAY_MS = 86_400_000

/** The row must be inserted before `startPayment` charges anyone. */
export type NewAttempt = { row: typeof payments.$inferInsert; callbackToken: string }

/** `attempt` counts from 1. Only the hash of the callback token is stored. */
export async function newAttempt(
  { orderId, attempt, amountCents, paymentDetails }: AttemptInput,
  ctx: DataContext,
): Promise<NewAttempt> {
  const nowMs = ctx.clock()
  // Hexadecimal: Daraja rejects URLs that contain words like "sql" or "exec".
  const callbackToken = ctx.randomBytes(CALLBACK_TOKEN_BYTES).toHex()
  const row = {
    id: newId(ctx),
    orderId,
    attempt,
    provider: paymentMethodOf(paymentDetails),
    state: 'sending' as const,
    amountCents,
    phone: promptPhone(paymentDetails),
    cardBrand: 'card' in paymentDetails ? paymentDetails.card.brand : null,
    cardLastFour: 'card' in paymentDetails ? paymentDetails.card.lastFour : null,
    callbackHash: await sha256Hex(callbackToken),
    createdAtMs: nowMs,
    nextCheckAtMs: nextCheckAtMs(nowMs, nowMs),
  }
  return { row, callbackToken }
}

type AttemptInput = { orderId: string; attempt: number; amountCents: number; paymentDetails: Payment }

export function promptPhone(paymentDetails: Payment): string | null {
  return 'phone' in paymentDetails ? (normaliseMobile(paymentDetails.phone) ?? null) : null
}

/**
 * Inserts an attempt if its order exists. The batch fails with `promptLimitReached` if the phone or the
 * account was prompted too often.
 */
export function insertAttempt({ row }: NewAttempt, ctx: DataContext) {
  const { db } = ctx
  const fromOrder = sql`from ${orders} where ${orders.id} = ${row.orderId}`
  const insert = db.insert(payments).select(insertRowWhere(payments, row, fromOrder))
  return row.phone
    ? [failUnless(mayPrompt(row.orderId, row.phone, ctx), 'promptLimitReached', ctx), insert]
    : [insert]
}

/** True as well if the order was not inserted, because then nobody is prompted. */
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
