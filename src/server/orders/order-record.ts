import { and, asc, eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { type PaymentRow, selectPayments } from '#server/payments/payment-attempts.ts'
import type { AccessToken, PaymentAttempt } from '#server/payments/providers/provider.ts'
import { findSettledPayment, type RefundRow, selectRefunds } from '#server/payments/refunds.ts'
import { type AuditEntry, commitAuditedThenRead } from '#server/platform/db/audit.ts'
import { changeThenRead, type Database, type Statements } from '#server/platform/db/client.ts'
import { orderLines, orders, providerTokens } from '#server/platform/db/schema.ts'
import { calculateRoundingCents } from '#shared/checkout/pricing.ts'
import type { Order } from '#shared/orders/contract.ts'
import { calculateOrderBalance } from '#shared/orders/payment-status.ts'

export type OrderRow = typeof orders.$inferSelect
export type OrderLineRow = typeof orderLines.$inferSelect

/** Where emails about the order go. */
export const recipientEmail = sql<string>`coalesce(${orders.confirmationEmail}, ${orders.email})`

export function byIdempotencyKey(userId: string | SQL, key: string) {
  return and(eq(orders.userId, userId), eq(orders.idempotencyKey, key))
}

export function selectOrderLines(db: Database, orderIds: SQLWrapper) {
  return db
    .select()
    .from(orderLines)
    .where(inArray(orderLines.orderId, orderIds))
    .orderBy(asc(orderLines.position))
}

export type OrderRows = Pick<OrderRecord, 'row' | 'lines' | 'payments' | 'refunds'>

/** `lines`, `payments` and `refunds` may include those of other orders. */
export function toOrder({ row, lines, ...all }: OrderRows): Order {
  const isOwn = ({ orderId }: { orderId: string }) => orderId === row.id
  const payments = all.payments.filter(isOwn)
  const refunds = all.refunds.filter(isOwn)
  const payment = findSettledPayment(payments, refunds)
  const { cardBrand, cardLastFour } = payment ?? payments.at(-1) ?? {}
  const { subtotalCents, discountCents, shippingCents, vatCents, totalCents } = row
  const roundingCents = calculateRoundingCents(row)
  return {
    key: row.idempotencyKey,
    number: row.number,
    status: row.status,
    placedAtMs: row.createdAtMs,
    lines: lines.filter(isOwn).map(({ productId, title, size, image, unitPriceCents, qty }) => ({
      productId,
      title,
      size,
      image,
      unitPriceCents,
      qty,
    })),
    totals: { subtotalCents, discountCents, shippingCents, vatCents, roundingCents, totalCents },
    vatPercent: row.vatPercent,
    deliveryZone: row.deliveryZone,
    pickup: row.pickup,
    promoCode: row.promoCode,
    email: row.confirmationEmail ?? row.email,
    card: cardBrand && cardLastFour ? { brand: cardBrand, lastFour: cardLastFour } : null,
    payment: payment
      ? { provider: payment.provider, receipt: payment.receipt, refund: toRefundStatus(payment, refunds) }
      : null,
    balance: calculateOrderBalance({ order: row, payments, refunds }),
  }
}

function toRefundStatus({ id }: PaymentRow, refunds: readonly RefundRow[]): 'due' | 'done' | null {
  const own = refunds.filter(({ paymentId }) => paymentId === id)
  if (own.length === 0) return null
  return own.every(({ state }) => state === 'done') ? 'done' : 'due'
}

export function calculateBalance({
  row,
  payments,
  refunds,
}: Pick<OrderRecord, 'row' | 'payments' | 'refunds'>) {
  return calculateOrderBalance({ order: row, payments, refunds })
}

/** `payments` are sorted by attempt, `refunds` by time. `tokens` is keyed by provider. */
export type OrderRecord = {
  row: OrderRow
  lines: readonly OrderLineRow[]
  payments: readonly PaymentRow[]
  refunds: readonly RefundRow[]
  tokens: ReadonlyMap<string, AccessToken>
}

/** Pass the rows to {@link toOrderRecord}. */
export function selectOrderRecord(db: Database, byOrder: SQL | undefined) {
  const id = db.select({ id: orders.id }).from(orders).where(byOrder)
  return [
    db.select().from(orders).where(byOrder),
    selectOrderLines(db, id),
    selectPayments(db, id),
    selectRefunds(db, id),
    db.select().from(providerTokens),
  ] as const
}

export type SelectedOrderRows = Readonly<BatchResponse<[...ReturnType<typeof selectOrderRecord>]>>

export function toOrderRecord([[row], lines, payments, refunds, tokens]: SelectedOrderRows):
  | OrderRecord
  | undefined {
  return row && { row, lines, payments, refunds, tokens: toTokenMap(tokens) }
}

/** Matches the number as people enter it, whatever its case. */
export function byOrderNumber(number: string): SQL {
  return eq(orders.number, number.trim().toUpperCase())
}

export async function readOrderRecord(number: string, { db }: DataContext): Promise<OrderRecord | undefined> {
  return toOrderRecord(await db.batch(selectOrderRecord(db, byOrderNumber(number))))
}

export async function readOrderRecordById(id: string, { db }: DataContext): Promise<OrderRecord | undefined> {
  return toOrderRecord(await db.batch(selectOrderRecord(db, eq(orders.id, id))))
}

export function toTokenMap(rows: readonly (typeof providerTokens.$inferSelect)[]) {
  return new Map(rows.map(({ provider, token, expiresAtMs }) => [provider, { value: token, expiresAtMs }]))
}

export async function commitOrderChange(
  orderId: string,
  statements: Statements,
  { db }: DataContext,
): Promise<OrderRecord> {
  const reads = selectOrderRecord(db, eq(orders.id, orderId))
  return requireRecord(orderId, await changeThenRead(db, statements, reads))
}

type AuditedOrderChange = { id: string; statements: Statements; audit: AuditEntry }

export async function commitAuditedOrderChange(
  { id, statements, audit }: AuditedOrderChange,
  ctx: DataContext,
): Promise<OrderRecord> {
  const reads = selectOrderRecord(ctx.db, eq(orders.id, id))
  return requireRecord(id, await commitAuditedThenRead({ statements, audit, reads }, ctx))
}

function requireRecord(orderId: string, rows: SelectedOrderRows): OrderRecord {
  const record = toOrderRecord(rows)
  if (!record) throw new Error(`Order ${orderId} doesn’t exist.`)
  return record
}

export function toPaymentAttempt(
  payment: PaymentRow,
  { row, tokens }: Pick<OrderRecord, 'row' | 'tokens'>,
): PaymentAttempt {
  const { id, amountCents, phone, reference, provider } = payment
  const token = tokens.get(provider) ?? null
  return { id, orderNumber: row.number, email: row.email, amountCents, phone, reference, token }
}
