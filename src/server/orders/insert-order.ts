import { and, count, eq, exists, gt, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import { commitAuditedThenRead } from '#server/platform/db/audit.ts'
import { changeThenRead, insertRowWhere, type Statements } from '#server/platform/db/client.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { orderLines, orders, users } from '#server/platform/db/schema.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { byAvailability, selectUnitsLeft, type UnitsLeftRow } from '#server/stock/availability.ts'
import { insertReservationSourcesStatement } from '#server/stock/reservation-limits.ts'
import { reserveUnitsStatements } from '#server/stock/reservations.ts'
import type { Payment } from '#shared/payments/contract.ts'
import { shop } from '#shared/shop.ts'
import type { Actor } from '#shared/team/roles.ts'
import { type BlockLookup, byBlockedBuyer, selectBlocks } from './blocked-customers.ts'
import {
  createPaymentAttempt,
  insertAttemptStatements,
  type NewAttempt,
  ORDER_EXPIRES_MS,
} from './new-payment-attempt.ts'
import {
  byIdempotencyKey,
  type OrderLineRow,
  type OrderRecord,
  type OrderRow,
  selectOrderRecord,
  toOrderRecord,
} from './order-record.ts'
import { readPromptLimitError } from './prompt-limits.ts'
import { releaseOtherOrdersStatements, reservePromotionStatements } from './release-order.ts'

/** The limit per account. Only stored orders count, so retries with the same idempotency key count once. */
const ORDER_LIMIT = { orders: 20, withinMs: 60_000 } as const
const MAX_NUMBER_ATTEMPTS = 4

export type NewOrder = {
  row: Omit<
    OrderRow,
    | 'id'
    | 'number'
    | 'status'
    | 'createdAtMs'
    | 'expiresAtMs'
    | 'hasPromotionUse'
    | 'isCashOnDelivery'
    | 'paidCents'
    | 'refundCents'
    | 'creditedCents'
    | 'creditRefundCents'
    | 'firstPaidAtMs'
    | 'isRefunded'
    | 'revision'
    | 'paymentProvider'
    | 'paymentReference'
    | 'cardBrand'
    | 'cardLastFour'
  >
  lines: readonly Omit<OrderLineRow, 'orderId' | 'position'>[]
  buyer: BlockLookup
  paymentDetails: Payment | null
  /** The hashes from `hashReservationSources`. Empty for orders that the operator creates. */
  reservationSources: readonly string[]
  /** Whether the order releases the reservations of the customer's earlier unpaid orders. */
  releasesEarlierOrders: boolean
  expiresInMs?: number
  placedBy?: { actor: Actor; customer: typeof users.$inferInsert }
}

type InsertedOrder = { record: OrderRecord; callbackToken: string }

/**
 * `key_taken`: another request with this key inserted `record`. `too_many_requests`: a limit is reached, or fewer units
 * are left than the order needs.
 */
export type InsertOrderError =
  | { code: 'key_taken'; record: OrderRecord }
  | { code: 'promotion_exhausted' | 'promotion_used' }
  | { code: 'customer_blocked' }
  | (ServiceError<'too_many_requests'> & { unitsLeft: readonly UnitsLeftRow[] })

/** If this throws, the order may have been inserted, so retry with the same key. */
export async function insertOrder(
  { row: order, paymentDetails, expiresInMs = ORDER_EXPIRES_MS, placedBy, ...more }: NewOrder,
  ctx: DataContext,
): Promise<Result<InsertedOrder, InsertOrderError>> {
  for (let numberTries = 1; ; numberTries++) {
    const id = newId(ctx)
    const createdAtMs = ctx.clock()
    const expiresAtMs = createdAtMs + expiresInMs
    const row = { ...order, id, number: generateOrderNumber(ctx), createdAtMs, expiresAtMs }
    const { userId } = row
    const attempt =
      paymentDetails &&
      (await createPaymentAttempt(
        {
          orderId: id,
          userId,
          attempt: 1,
          amountCents: row.totalCents,
          paymentDetails,
          isDueImmediately: placedBy !== undefined,
          isByOwner: placedBy === undefined,
        },
        ctx,
      ))
    const reads = [
      selectUnitsLeft(
        more.lines.map(({ productId }) => productId),
        userId,
        ctx,
      ),
      selectBlocks(more.buyer, ctx),
      ...selectOrderRecord(ctx.db, byIdempotencyKey(userId, row.idempotencyKey)),
    ] as const
    const changes = insertOrderStatements({ row, attempt, ...more }, ctx)
    try {
      const [unitsLeft, blocks, ...rows] = placedBy
        ? await insertAudited({ row, changes, reads, placedBy }, ctx)
        : await changeThenRead(ctx.db, changes, reads)
      const record = toOrderRecord(rows)
      if (!record && blocks.length > 0) return { ok: false, error: { code: 'customer_blocked' } }
      if (!record) return { ok: false, error: { ...tooManyRequestsError, unitsLeft } }
      if (record.row.id !== id) return { ok: false, error: { code: 'key_taken', record } }
      return { ok: true, data: { record, callbackToken: attempt?.callbackToken ?? '' } }
    } catch (error) {
      const guard = getGuardViolation(error)?.guard
      if (guard === 'promotionExhausted') return { ok: false, error: { code: 'promotion_exhausted' } }
      if (guard === 'promotionUsed') return { ok: false, error: { code: 'promotion_used' } }
      if (guard === 'promptLimitReached' && attempt?.row.phone) {
        const limit = await readPromptLimitError({ userId: row.userId, phone: attempt.row.phone }, ctx)
        return { ok: false, error: { ...limit, unitsLeft: [] } }
      }
      if (guard !== 'orderNumberTaken' || numberTries === MAX_NUMBER_ATTEMPTS) throw error
    }
  }
}

type AuditedInsert<Reads extends readonly BatchItem<'sqlite'>[]> = {
  row: Pick<typeof orders.$inferInsert, 'id' | 'number'>
  changes: Statements
  reads: readonly [...Reads]
  placedBy: NonNullable<NewOrder['placedBy']>
}

async function insertAudited<Reads extends readonly BatchItem<'sqlite'>[]>(
  { row, changes, reads, placedBy: { actor, customer } }: AuditedInsert<Reads>,
  ctx: DataContext,
) {
  const { db } = ctx
  const statements = [
    db.insert(users).values(customer).onConflictDoNothing(),
    ...changes,
    failUnless(
      exists(db.select({ id: orders.id }).from(orders).where(eq(orders.id, row.id))),
      'orderNotInserted',
      ctx,
    ),
  ] as const
  const audit = { actor, action: 'order.create', subject: row.number } as const
  try {
    return await commitAuditedThenRead({ statements, audit, reads }, ctx)
  } catch (error) {
    if (getGuardViolation(error)?.guard !== 'orderNotInserted') throw error
    const nothing = db.select({ id: orders.id }).from(orders).where(sql`0`)
    return await changeThenRead(db, [nothing], reads)
  }
}

type InsertOrderInput = Pick<NewOrder, 'lines' | 'buyer' | 'reservationSources' | 'releasesEarlierOrders'> & {
  row: Omit<typeof orders.$inferInsert, 'status'>
  attempt: NewAttempt | null
}

/**
 * If the key is taken, the order limit is reached, units are short or the customer is blocked, the first statement
 * inserts no order. The others then have no effect.
 */
function insertOrderStatements(
  { row, lines, buyer, attempt, reservationSources, releasesEarlierOrders }: InsertOrderInput,
  ctx: DataContext,
): Statements {
  const { db } = ctx
  const byRecentTime = gt(orders.createdAtMs, row.createdAtMs - ORDER_LIMIT.withinMs)
  const recent = db
    .select({ n: count() })
    .from(orders)
    .where(and(eq(orders.userId, row.userId), byRecentTime))
  const whereClause = sql`where (${recent}) < ${ORDER_LIMIT.orders} and ${byAvailability(lines, row.userId, ctx)} and not ${byBlockedBuyer(buyer)}`
  // The lines are passed as JSON because D1 allows only 100 bound parameters per statement.
  const lineField = (name: keyof NewOrder['lines'][number]) => sql`line.value ->> ${name}`
  const values = {
    orderId: orders.id,
    position: sql`line.key`,
    productId: lineField('productId'),
    title: lineField('title'),
    size: lineField('size'),
    image: lineField('image'),
    unitPriceCents: lineField('unitPriceCents'),
    qty: lineField('qty'),
  }
  const fromOrder = sql`from ${orders} join json_each(${JSON.stringify(lines)}) line where ${orders.id} = ${row.id}`
  return [
    db
      .insert(orders)
      .select(
        insertRowWhere(orders, { ...row, status: 'awaiting_payment', hasPromotionUse: false }, whereClause),
      )
      .onConflictDoNothing({ target: [orders.userId, orders.idempotencyKey] }),
    db.insert(orderLines).select(insertRowWhere(orderLines, values, fromOrder)),
    insertReservationSourcesStatement(row, reservationSources, ctx),
    ...(releasesEarlierOrders ? releaseOtherOrdersStatements(row, ctx) : []),
    ...reserveUnitsStatements(row, ctx),
    ...(row.promoCode ? reservePromotionStatements(row, ctx) : []),
    ...(attempt ? insertAttemptStatements(attempt, ctx) : []),
  ]
}

/** Leaves out characters that are easily confused: 0 O, 1 I L, U V. */
export const ORDER_NUMBER_ALPHABET = '23456789ABCDEFGHJKMNPQRSTWXYZ'
const ORDER_NUMBER_CHARACTERS = 6
/** Bytes from this value up are skipped, so that every character is equally likely. */
const UNBIASED_BYTE_LIMIT = 256 - (256 % ORDER_NUMBER_ALPHABET.length)

export function generateOrderNumber({ randomBytes }: DataContext): string {
  let characters = ''
  while (characters.length < ORDER_NUMBER_CHARACTERS) {
    for (const byte of randomBytes(ORDER_NUMBER_CHARACTERS)) {
      if (byte < UNBIASED_BYTE_LIMIT)
        characters += ORDER_NUMBER_ALPHABET.charAt(byte % ORDER_NUMBER_ALPHABET.length)
    }
  }
  return `${shop.orderPrefix}-${characters.slice(0, ORDER_NUMBER_CHARACTERS)}`
}
