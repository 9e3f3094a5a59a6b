import { and, count, eq, gt, inArray, isNotNull, notExists, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { nextCheckAtMs } from '#server/payments/attempts.ts'
import { newId, sha256Hex } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import { methodOf, type Payment } from '#shared/payments/contract.ts'
import { normaliseMobile } from '#shared/payments/payment.ts'

/** How long an order waits for its payment after the last attempt. */
export const ORDER_EXPIRES_MS = 30 * 60_000
const CALLBACK_TOKEN_BYTES = 32
/** Prompts to one phone, from all accounts together. */
const PHONE_LIMIT = { prompts: 6, withinMs: 600_000 } as const
/** Prompts of one account within the same time, to all phones together. */
const ACCOUNT_PROMPTS = 30
/** No order that is older can still be paid. */
const DAY_MS = 86_400_000

/** A new attempt: its row, to be inserted before `startPayment` asks for any money. */
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
  return 'phone' in chosen ? (normaliseMobile(chosen.phone) ?? null) : null
}

/**
 * The statements that insert an attempt if its order is there. They fail the batch with `promptLimitReached` when its
 * phone or its account was prompted too often.
 */
export function insertAttempt({ row }: NewAttempt, ctx: DataContext) {
  const { db } = ctx
  const ofItsOrder = sql`from ${orders} where ${orders.id} = ${row.orderId}`
  const insert = db.insert(payments).select(insertRowWhere(payments, row, ofItsOrder))
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
