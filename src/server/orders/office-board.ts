import { and, asc, count, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { NotPermittedError } from '#server/platform/db/audit.ts'
import { formatCursor, parseCursor } from '#server/platform/db/page-cursor.ts'
import { orderCounts, orderLines, orders } from '#server/platform/db/schema.ts'
import { ORDER_STATUSES, type OrderStatus } from '#shared/orders/order-status.ts'
import type { OrderBalance } from '#shared/orders/payment-status.ts'
import type { Actor } from '#shared/team/roles.ts'
import { selectListedRefunds, withBalances } from './list-balances.ts'
import type { OrderLineRow, OrderRow } from './order-record.ts'

/**
 * Orders with `isRefunded` are in `done`, whatever their status. `pay` also contains the delivered orders that aren't
 * fully paid, which are in `done` too.
 */
export const ORDER_STAGES = {
  pay: ['awaiting_payment'],
  pack: ['placed'],
  send: ['packed'],
  'on-the-way': ['shipped', 'ready'],
  done: ['delivered', 'cancelled', 'expired'],
} as const satisfies Record<string, readonly OrderStatus[]>

export type OrderStage = keyof typeof ORDER_STAGES

export const PACKER_STAGES: readonly OrderStage[] = ['pack', 'send']

const OLDEST_FIRST_STAGES: readonly OrderStage[] = ['pack', 'send', 'on-the-way']

export const BOARD_PAGE_SIZE = 20

const MAX_COUNTED_DUE = 100

/** Must imply the condition of the index `orders_delivered_due`. */
const byDueAfterDelivery = sql`${orders.status} = 'delivered'
  and max(${orders.totalCents} - ${orders.creditedCents} - ${orders.creditRefundCents}, 0) > ${orders.paidCents} - ${orders.refundCents}`

export type ListedOrder = Pick<
  OrderRow,
  | 'id'
  | 'number'
  | 'status'
  | 'revision'
  | 'firstName'
  | 'lastName'
  | 'address'
  | 'state'
  | 'pickup'
  | 'isCashOnDelivery'
  | 'totalCents'
  | 'creditedCents'
  | 'paidCents'
  | 'refundCents'
  | 'createdAtMs'
> & {
  lines: Pick<OrderLineRow, 'title' | 'size' | 'qty'>[]
  balance: OrderBalance
}

export const listedColumns = {
  id: orders.id,
  number: orders.number,
  status: orders.status,
  revision: orders.revision,
  firstName: orders.firstName,
  lastName: orders.lastName,
  address: orders.address,
  state: orders.state,
  pickup: orders.pickup,
  isCashOnDelivery: orders.isCashOnDelivery,
  totalCents: orders.totalCents,
  creditedCents: orders.creditedCents,
  paidCents: orders.paidCents,
  refundCents: orders.refundCents,
  createdAtMs: orders.createdAtMs,
}

/** Pass `next` as `after` to read the next page. It's null on the last page. */
export type BoardPage = { orders: ListedOrder[]; next: string | null }

export async function readBoard(
  { stage, after, viewer }: { stage: OrderStage; after: string | undefined; viewer: Actor },
  ctx: DataContext,
): Promise<BoardPage> {
  if (viewer.role === 'packer' && !PACKER_STAGES.includes(stage))
    throw new NotPermittedError(`orders ${stage}`)
  const { db } = ctx
  const isOldestFirst = OLDEST_FIRST_STAGES.includes(stage)
  const cursor = parseCursor(after)
  const direction = isOldestFirst ? asc : desc
  const byCursor =
    cursor &&
    sql`(${orders.createdAtMs}, ${orders.number}) ${sql.raw(isOldestFirst ? '>' : '<')} (${cursor.atMs}, ${cursor.id})`
  const selectPage = (where: SQL | undefined) =>
    db
      .select(listedColumns)
      .from(orders)
      .where(and(where, byCursor))
      .orderBy(direction(orders.createdAtMs), direction(orders.number))
      .limit(BOARD_PAGE_SIZE + 1)
  const byStatus = (isRefunded: boolean) => (status: OrderStatus) =>
    and(eq(orders.status, status), eq(orders.isRefunded, isRefunded))
  const conditions = [
    ...ORDER_STAGES[stage].map(byStatus(false)),
    ...(stage === 'done' ? ORDER_STATUSES.map(byStatus(true)) : []),
    ...(stage === 'pay' ? [byDueAfterDelivery] : []),
  ]
  const [first, ...others] = conditions.map(selectPage)
  const pages = first ? await db.batch([first, ...others]) : []
  const sorted = pages.flat().toSorted((a, b) => {
    const order = a.createdAtMs - b.createdAtMs || (a.number < b.number ? -1 : 1)
    return isOldestFirst ? order : -order
  })
  const visible = sorted.slice(0, BOARD_PAGE_SIZE)
  const last = sorted.length > BOARD_PAGE_SIZE ? visible.at(-1) : undefined
  return {
    orders: await withLines(visible, ctx),
    next: last ? formatCursor(last.createdAtMs, last.number) : null,
  }
}

export async function listLatestOrders(
  { status, limit }: { status: OrderStatus | undefined; limit: number },
  ctx: OwnerContext,
) {
  const { db } = ctx
  const latest = db
    .select({ ...listedColumns, email: orders.email })
    .from(orders)
    .where(status && eq(orders.status, status))
    .orderBy(desc(orders.createdAtMs))
    .limit(limit)
  const listed = latest.as('listed')
  const ids = db.select({ id: listed.id }).from(listed)
  const [rows, refunds] = await db.batch([latest, selectListedRefunds(ids, ctx)])
  return withBalances(rows, refunds)
}

export async function withLines(
  rows: readonly Omit<ListedOrder, 'lines' | 'balance'>[],
  ctx: DataContext,
): Promise<ListedOrder[]> {
  const { db } = ctx
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const refundedIds = rows.filter(({ refundCents }) => refundCents > 0).map(({ id }) => id)
  const [lines, refunds] = await db.batch([
    db
      .select({
        orderId: orderLines.orderId,
        position: orderLines.position,
        title: orderLines.title,
        size: orderLines.size,
        qty: orderLines.qty,
      })
      .from(orderLines)
      .where(inArray(orderLines.orderId, ids)),
    selectListedRefunds(sql`${refundedIds}`, ctx),
  ])
  return withBalances(rows, refunds).map((row) => ({
    ...row,
    // The lines are sorted here, because sorting in SQLite would increase the number of rows read, which D1 bills.
    lines: lines.filter(({ orderId }) => orderId === row.id).toSorted((a, b) => a.position - b.position),
  }))
}

export async function countByStage({ db }: DataContext): Promise<Record<OrderStage, number>> {
  const dueAfterDelivery = db
    .select({ id: orders.id })
    .from(orders)
    .where(byDueAfterDelivery)
    .limit(MAX_COUNTED_DUE)
    .as('due')
  const [rows, [due]] = await db.batch([
    db.select().from(orderCounts),
    db.select({ orders: count() }).from(dueAfterDelivery),
  ])
  const countOrders = (stage: OrderStage) => {
    const statuses: readonly OrderStatus[] = ORDER_STAGES[stage]
    return rows.filter(({ status }) => statuses.includes(status)).reduce((sum, row) => sum + row.orders, 0)
  }
  return {
    pay: countOrders('pay') + (due?.orders ?? 0),
    pack: countOrders('pack'),
    send: countOrders('send'),
    'on-the-way': countOrders('on-the-way'),
    done: countOrders('done'),
  }
}
