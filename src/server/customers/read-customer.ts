import { and, count, desc, eq, inArray, isNotNull, ne, notInArray, or, sql, sum } from 'drizzle-orm'
import { DELETED_USER_ID } from '#server/accounts/personal-data.ts'
import type { MessageRow } from '#server/contact/messages.ts'
import { selectBlockHashKey } from '#server/orders/blocked-customers.ts'
import { type ListedOrder, withLines } from '#server/orders/office-board.ts'
import type { OrderRow } from '#server/orders/order-record.ts'
import { type OrderReturn, selectReturns, toReturns } from '#server/orders/order-returns.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import {
  contactMessages,
  customerBlocks,
  customerNotes,
  orders,
  refunds,
  users,
} from '#server/platform/db/schema.ts'
import { getVisibleFields } from '#shared/orders/fields.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import { SALE_REFUND_REASONS } from '#shared/payments/refunds.ts'
import { byBlockOf } from './block-customer.ts'

const MAX_ROWS = 50
const NON_SALE_STATUSES: OrderStatus[] = ['awaiting_payment', 'expired', 'cancelled']

export type CustomerDetails = {
  user: Pick<typeof users.$inferSelect, 'id' | 'name' | 'email' | 'phone' | 'createdAtMs'>
  block: typeof customerBlocks.$inferSelect | undefined
  orders: readonly ListedOrder[]
  /**
   * The orders that were placed and not cancelled; with cash on delivery, once money was received. `netCents` is the
   * sum of their totals, less completed refunds for `SALE_REFUND_REASONS`.
   */
  totals: { orders: number; netCents: number }
  addresses: readonly string[]
  returns: readonly (OrderReturn & { number: string })[]
  messages: readonly MessageRow[]
  notes: readonly (typeof customerNotes.$inferSelect)[]
}

export async function readCustomer(id: string, ctx: OwnerContext): Promise<CustomerDetails | undefined> {
  const { db } = ctx
  const byUser = eq(users.id, id)
  const bySale = and(
    eq(orders.userId, id),
    notInArray(orders.status, NON_SALE_STATUSES),
    or(eq(orders.isCashOnDelivery, false), isNotNull(orders.firstPaidAtMs)),
  )
  const email = sql`(select ${users.email} from ${users} where ${byUser})`
  const own = db.select({ id: orders.id }).from(orders).where(eq(orders.userId, id))
  const [returns, returnedLines, [user], [hash], rows, [sold], [refunded], messages, notes] = await db.batch([
    ...selectReturns(db, own),
    db
      .select()
      .from(users)
      .where(and(byUser, ne(users.id, DELETED_USER_ID))),
    selectBlockHashKey(ctx),
    db.select().from(orders).where(eq(orders.userId, id)).orderBy(desc(orders.createdAtMs)).limit(MAX_ROWS),
    db
      .select({
        orders: count(),
        cents: sum(sql`${orders.totalCents} - ${orders.creditedCents}`).mapWith(Number),
      })
      .from(orders)
      .where(bySale),
    db
      .select({ cents: sum(refunds.amountCents).mapWith(Number) })
      .from(orders)
      .innerJoin(refunds, eq(refunds.orderId, orders.id))
      .where(and(bySale, eq(refunds.state, 'done'), inArray(refunds.reason, SALE_REFUND_REASONS))),
    db
      .select()
      .from(contactMessages)
      .where(sql`lower(${contactMessages.email}) = ${email}`)
      .orderBy(desc(contactMessages.createdAtMs))
      .limit(MAX_ROWS),
    db
      .select()
      .from(customerNotes)
      .where(eq(customerNotes.userId, id))
      .orderBy(desc(customerNotes.atMs))
      .limit(MAX_ROWS),
  ])
  if (!user) return undefined
  const block = await db
    .select()
    .from(customerBlocks)
    .where(await byBlockOf(user, hash?.key))
    .get()
  return {
    user,
    block,
    orders: await withLines(rows, ctx),
    totals: { orders: sold?.orders ?? 0, netCents: (sold?.cents ?? 0) - (refunded?.cents ?? 0) },
    addresses: [...new Set(rows.flatMap(toAddressLines))],
    returns: toReturns(returns, returnedLines).map((orderReturn) => ({
      ...orderReturn,
      number: rows.find((row) => row.id === orderReturn.orderId)?.number ?? '',
    })),
    messages,
    notes,
  }
}

function toAddressLines(row: OrderRow): string[] {
  if (row.pickup !== null) return []
  const { name, address } = getVisibleFields(row, 'office')
  return [[name, ...address].join(', ')]
}
