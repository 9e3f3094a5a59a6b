import { and, count, eq, gt, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/attempts.ts'
import { newId } from '#server/platform/crypto.ts'
import { changeThenRead, insertRowWhere, type Statements } from '#server/platform/db/client.ts'
import { guardViolation } from '#server/platform/db/guards.ts'
import { orderLines, orders } from '#server/platform/db/schema.ts'
import { tooManyRequests } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'
import { isInStock, selectUnitsLeft, type UnitsLeftRow } from '#server/stock/availability.ts'
import { reserveUnits } from '#server/stock/reservations.ts'
import type { Payment } from '#shared/payments/contract.ts'
import { insertAttempt, type NewAttempt, newAttempt, ORDER_EXPIRES_MS } from './new-attempt.ts'
import {
  byIdempotencyKey,
  type OrderLineRow,
  type OrderRecord,
  type OrderRow,
  selectOrderRecord,
  toOrderRecord,
} from './order-record.ts'
import { redeemPromotion } from './release.ts'

/** Orders of one account. Counted where they are written, so that posts of one key are one. */
const ORDER_LIMIT = { orders: 20, withinMs: 60_000 } as const
/** A taken order number is rare. */
const NUMBER_ATTEMPTS = 4

/** An order that has been priced, before it has an id, a number and a time. */
export type NewOrder = {
  row: Omit<
    OrderRow,
    | 'id'
    | 'number'
    | 'status'
    | 'createdAtMs'
    | 'expiresAtMs'
    | 'holdsPromotion'
    | 'paymentProvider'
    | 'paymentReference'
    | 'cardBrand'
    | 'cardLastFour'
  >
  lines: readonly Omit<OrderLineRow, 'orderId' | 'position'>[]
  /** How it is to be paid first. */
  chosen: Payment
}

type InsertedOrder = { record: OrderRecord; payment: PaymentRow; callbackToken: string }

/**
 * `key_taken`: a concurrent request placed the order under this key. `promotion_exhausted`: another order took the last
 * use. `too_many_requests`: of prompts to the phone; or of orders, if enough is left of every line.
 */
type InsertError =
  | { code: 'key_taken'; record: OrderRecord }
  | { code: 'promotion_exhausted' }
  | (typeof tooManyRequests & { left: readonly UnitsLeftRow[] })

/**
 * Inserts an order that awaits its payment, its lines, its reservations, the use of its promo code and its first attempt
 * to pay, in one batch. The same batch reads why nothing was inserted. Rejects when the database fails; the order may
 * have been inserted then, which a retry with the same key finds out.
 */
export async function insertOrder(
  { row: order, lines, chosen }: NewOrder,
  ctx: DataContext,
): Promise<Result<InsertedOrder, InsertError>> {
  for (let attempts = 1; ; attempts++) {
    const id = newId(ctx)
    const createdAtMs = ctx.clock()
    const expiresAtMs = createdAtMs + ORDER_EXPIRES_MS
    const row = { ...order, id, number: newOrderNumber(ctx), createdAtMs, expiresAtMs }
    const attempt = await newAttempt({ orderId: id, attempt: 1, amountCents: row.totalCents, chosen }, ctx)
    try {
      const [left, ...rows] = await changeThenRead(ctx.db, statements(row, lines, attempt, ctx), [
        selectUnitsLeft(
          lines.map(({ productId }) => productId),
          row.userId,
          ctx,
        ),
        ...selectOrderRecord(ctx.db, byIdempotencyKey(row.userId, row.idempotencyKey)),
      ])
      const record = toOrderRecord(rows)
      if (!record) return { ok: false, error: { ...tooManyRequests, left } }
      if (record.row.id !== id) return { ok: false, error: { code: 'key_taken', record } }
      const [payment] = record.payments
      if (!payment) throw new Error('An attempt that was just inserted cannot be read.')
      return { ok: true, data: { record, payment, callbackToken: attempt.callbackToken } }
    } catch (error) {
      const guard = guardViolation(error)?.guard
      if (guard === 'promotionExhausted') return { ok: false, error: { code: 'promotion_exhausted' } }
      if (guard === 'promptLimitReached') return { ok: false, error: { ...tooManyRequests, left: [] } }
      if (guard !== 'orderNumberTaken' || attempts === NUMBER_ATTEMPTS) throw error
    }
  }
}

/**
 * The order comes first. It is not inserted under a key that is taken, beyond the limit, or where units are short; then
 * no other statement finds it, and nothing is written.
 */
function statements(
  row: Omit<typeof orders.$inferInsert, 'status'>,
  lines: NewOrder['lines'],
  attempt: NewAttempt,
  ctx: DataContext,
): Statements {
  const { db } = ctx
  const isRecent = gt(orders.createdAtMs, row.createdAtMs - ORDER_LIMIT.withinMs)
  const recent = db
    .select({ n: count() })
    .from(orders)
    .where(and(eq(orders.userId, row.userId), isRecent))
  const mayBePlaced = sql`where (${recent}) < ${ORDER_LIMIT.orders} and ${isInStock(lines, row.userId)}`
  // As JSON, because D1 takes 100 bound parameters a statement.
  const line = (name: keyof NewOrder['lines'][number]) => sql`line.value ->> ${name}`
  const values = {
    orderId: orders.id,
    position: sql`line.key`,
    productId: line('productId'),
    title: line('title'),
    size: line('size'),
    image: line('image'),
    unitPriceCents: line('unitPriceCents'),
    qty: line('qty'),
  }
  const ofOrder = sql`from ${orders} join json_each(${JSON.stringify(lines)}) line where ${orders.id} = ${row.id}`
  return [
    db
      .insert(orders)
      .select(insertRowWhere(orders, { ...row, status: 'awaiting_payment' }, mayBePlaced))
      .onConflictDoNothing({ target: [orders.userId, orders.idempotencyKey] }),
    db.insert(orderLines).select(insertRowWhere(orderLines, values, ofOrder)),
    ...reserveUnits(row, ctx),
    ...(row.promoCode ? [redeemPromotion(row.id, { isReleased: false }, ctx)] : []),
    ...insertAttempt(attempt, ctx),
  ]
}

/** Digits and capitals without the pairs that are easily confused: 0 O, 1 I L, U V. */
export const ORDER_NUMBER_ALPHABET = '23456789ABCDEFGHJKMNPQRSTWXYZ'
const CHARACTERS = 6
/** Bytes from here on are skipped: they would make the first characters more likely. */
const FAIR_BYTES = 256 - (256 % ORDER_NUMBER_ALPHABET.length)

/** A random order number for people: `P-7K3M9Q`, one of some 600 million. */
export function newOrderNumber({ randomBytes }: DataContext): string {
  let characters = ''
  while (characters.length < CHARACTERS) {
    for (const byte of randomBytes(CHARACTERS)) {
      if (byte < FAIR_BYTES) characters += ORDER_NUMBER_ALPHABET.charAt(byte % ORDER_NUMBER_ALPHABET.length)
    }
  }
  return `P-${characters.slice(0, CHARACTERS)}`
}
