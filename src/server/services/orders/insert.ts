import { and, count, eq, gt, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { Payment } from '#shared/contract/orders.ts'
import { newId } from '../../crypto.ts'
import { brokenConstraint } from '../../db/errors.ts'
import { orderLines, orders, promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { tooManyRequests } from '../../rate-limit.ts'
import type { Result } from '../../result.ts'
import { ORDER_EXPIRES_MS } from '../payments/pay-order.ts'
import { insertAttempt, type NewAttempt, newAttempt } from '../payments/start-attempt.ts'
import { isOutOfStock, takeUnits } from '../stock/holds.ts'
import { changeOrder, type OrderRecord, onlyIf } from './order-with-payments.ts'
import type { OrderLineRow, OrderRow } from './stored-order.ts'

/** Orders of one account. Counted where they are written, so that posts of one key are one. */
const ORDER_LIMIT = { orders: 20, withinMs: 60_000 } as const
/** D1 takes 100 bound parameters a statement, and a line has 8. */
const LINES_PER_STATEMENT = 12
/** How many order numbers are attempted when one is already taken, which is rare. */
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

/**
 * `key_taken`: the user has placed an order under this key meanwhile. `promotion_exhausted`: another order took the
 * last use. `out_of_stock`: there are too few units. `too_many_requests`: of orders, or of prompts to the phone.
 */
type RecordError = { code: 'key_taken' | 'promotion_exhausted' | 'out_of_stock' } | typeof tooManyRequests

type RecordDeps = Pick<Deps, 'db' | 'clock' | 'randomBytes'>

/**
 * Writes an order that awaits its payment, its lines, the units it holds, the use of its code and its first attempt
 * to pay in one batch: all or nothing. Rejects when the database fails; the order may then have been written or not, and the same key tells.
 */
export async function recordOrder(
  { row: order, lines, chosen }: NewOrder,
  deps: RecordDeps,
): Promise<Result<{ record: OrderRecord; attempt: NewAttempt }, RecordError>> {
  for (let attempts = 1; ; attempts++) {
    const id = newId(deps)
    const createdAtMs = deps.clock()
    const expiresAtMs = createdAtMs + ORDER_EXPIRES_MS
    const row = { ...order, id, number: newOrderNumber(deps), createdAtMs, expiresAtMs }
    const attempt = await newAttempt({ orderId: id, attempt: 1, amountCents: row.totalCents, chosen }, deps)
    try {
      const record = await changeOrder(deps.db, id, statements(row, lines, attempt, deps))
      return { ok: true, data: { record, attempt } }
    } catch (error) {
      const broken = brokenConstraint(error) ?? ''
      if (broken.includes('orders.idempotency_key')) return { ok: false, error: { code: 'key_taken' } }
      if (broken.includes('promotions_within_limit'))
        return { ok: false, error: { code: 'promotion_exhausted' } }
      if (isOutOfStock(broken)) return { ok: false, error: { code: 'out_of_stock' } }
      if (broken.includes('orders.status') || broken.includes('payments.state'))
        return { ok: false, error: tooManyRequests }
      if (!broken.includes('orders.number') || attempts === NUMBER_ATTEMPTS) throw error
    }
  }
}

/** The order comes first: of two requests with one key, the later must fail on the key, not on a code that the first used up. */
function statements(
  row: Omit<typeof orders.$inferInsert, 'status'>,
  lines: NewOrder['lines'],
  attempt: NewAttempt,
  deps: RecordDeps,
): [BatchItem<'sqlite'>, ...BatchItem<'sqlite'>[]] {
  const { db } = deps
  const placed = lines.map((line, position) => ({ ...line, orderId: row.id, position }))
  const chunks = Array.from({ length: Math.ceil(placed.length / LINES_PER_STATEMENT) }, (_, index) =>
    placed.slice(index * LINES_PER_STATEMENT, (index + 1) * LINES_PER_STATEMENT),
  )
  const isRecent = gt(orders.createdAtMs, row.createdAtMs - ORDER_LIMIT.withinMs)
  const recent = db
    .select({ n: count() })
    .from(orders)
    .where(and(eq(orders.userId, row.userId), isRecent))
  const status = onlyIf(sql`(${recent}) < ${ORDER_LIMIT.orders}`, 'awaiting_payment' as const)
  return [
    db.insert(orders).values({ ...row, status }),
    ...chunks.map((chunk) => db.insert(orderLines).values(chunk)),
    ...takeUnits(row, deps),
    ...(row.promoCode
      ? [
          db
            .update(promotions)
            .set({ uses: sql`${promotions.uses} + 1` })
            .where(eq(promotions.code, row.promoCode)),
        ]
      : []),
    insertAttempt(attempt, deps),
  ]
}

/** Digits and capitals without the pairs that are easily confused: 0 O, 1 I L, U V. */
export const ORDER_NUMBER_ALPHABET = '23456789ABCDEFGHJKMNPQRSTWXYZ'
const CHARACTERS = 6
/** Bytes from here on are skipped: they would make the first characters more likely. */
const FAIR_BYTES = 256 - (256 % ORDER_NUMBER_ALPHABET.length)

/** A random order number for people: `P-7K3M9Q`, one of some 600 million. */
export function newOrderNumber({ randomBytes }: Pick<Deps, 'randomBytes'>): string {
  let characters = ''
  while (characters.length < CHARACTERS) {
    for (const byte of randomBytes(CHARACTERS)) {
      if (byte < FAIR_BYTES) characters += ORDER_NUMBER_ALPHABET.charAt(byte % ORDER_NUMBER_ALPHABET.length)
    }
  }
  return `P-${characters.slice(0, CHARACTERS)}`
}
