import { and, asc, eq, gte, inArray, isNull, lt, ne, not, notInArray, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { hashErasedBlocks, selectErasedBlocks } from '#server/accounts/erased-blocks.ts'
import { DELETED_USER_ID, personalData } from '#server/accounts/personal-data.ts'
import { pullIncomingPayments } from '#server/books/pull-incoming.ts'
import { sendDueIncomingRefunds } from '#server/books/refund-incoming.ts'
import { updatePointerIfOutdated } from '#server/catalogue/catalogue-versions.ts'
import { expireExchanges } from '#server/orders/change-return.ts'
import { byCountedCashOrder } from '#server/orders/open-cash-orders.ts'
import { runScheduledPayments } from '#server/orders/scheduled-payments.ts'
import { FAILURE_TTL_MS } from '#server/platform/auth/login-attempts.ts'
import {
  accountEvents,
  attemptCounts,
  contactMessages,
  customerBlocks,
  customerNotes,
  orderEvents,
  orderNotes,
  orderReturns,
  orders,
  outbox,
  passwordResets,
  payments,
  reservationSources,
  sessions,
  stockAlerts,
  users,
  visitSpeeds,
} from '#server/platform/db/schema.ts'
import { deliverAllDueEmails } from '#server/platform/email/outbox.ts'
import { runEach } from '#server/platform/run-each.ts'
import { queueBackInStockEmails } from '#server/stock/alerts.ts'
import { deliverAlerts } from '#server/team/deliver-alerts.ts'
import { detectProblems, recordFailedRun } from '#server/team/detect-problems.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import { ORDER_RETENTION_YEARS, RETENTION_DAYS } from '#shared/retention.ts'
import { DAY_MS } from '#shared/time.ts'
import type { DataContext, ServiceContext } from './context.ts'

export async function runSchedule(ctx: ServiceContext): Promise<void> {
  try {
    await runHousekeeping(ctx)
  } catch (error) {
    await runEach(REPORT_STEPS, (step) => step(ctx))
    throw error
  }
}

type Step = (ctx: ServiceContext) => Promise<unknown>

const REPORT_STEPS: readonly Step[] = [recordFailedRun, deliverAlerts, deliverAllDueEmails]

const STEPS: readonly Step[] = [
  runScheduledPayments,
  expireExchanges,
  queueBackInStockEmails,
  detectProblems,
  deliverAlerts,
  deliverAllDueEmails,
  updatePointerIfOutdated,
  (ctx) => ctx.db.batch(deleteExpiredRowsStatements(ctx)),
  async (ctx) => hashErasedBlocks(await selectErasedBlocks(ctx), ctx),
  // These calls to providers can be slow. They come last, so that they don't delay the steps above.
  sendDueIncomingRefunds,
  pullIncomingPayments,
]

export function runHousekeeping(ctx: ServiceContext): Promise<void> {
  return runEach(STEPS, (step) => step(ctx))
}

const YEAR_MS = 365.25 * DAY_MS
/** Most rules delete at most this many rows per run. The next run continues. */
export const ROWS_PER_RUN = 500
const ORDERS_PER_RUN = 50
const OPEN_STATUSES: readonly OrderStatus[] = ['awaiting_payment', 'placed', 'packed', 'shipped', 'ready']

/** The About page states most of these retention periods. */
function deleteExpiredRowsStatements(ctx: DataContext) {
  const { db, clock } = ctx
  const nowMs = clock()
  const firstSpeedDay = new Date(nowMs - RETENTION_DAYS.visitSpeeds * DAY_MS).toISOString().slice(0, 10)
  const olderThan = (column: SQLiteColumn, days: number) => lt(column, nowMs - days * DAY_MS)
  const deleteBatch = (table: SQLiteTable, key: SQLiteColumn, condition: SQL | undefined) =>
    db.delete(table).where(inArray(key, db.select({ key }).from(table).where(condition).limit(ROWS_PER_RUN)))
  return [
    deleteBatch(attemptCounts, attemptCounts.key, lt(attemptCounts.lastAtMs, nowMs - FAILURE_TTL_MS)),
    deleteBatch(accountEvents, accountEvents.id, olderThan(accountEvents.atMs, RETENTION_DAYS.activity)),
    deleteBatch(sessions, sessions.id, lt(sessions.expiresAtMs, nowMs)),
    deleteBatch(
      passwordResets,
      passwordResets.codeHash,
      olderThan(passwordResets.expiresAtMs, RETENTION_DAYS.resetLink),
    ),
    deleteBatch(
      outbox,
      outbox.id,
      and(eq(outbox.status, 'sent'), olderThan(outbox.sentAtMs, RETENTION_DAYS.deliveredEmails)),
    ),
    deleteBatch(
      outbox,
      outbox.id,
      and(eq(outbox.status, 'failed'), olderThan(outbox.createdAtMs, RETENTION_DAYS.failedEmails)),
    ),
    deleteBatch(
      contactMessages,
      contactMessages.id,
      olderThan(contactMessages.createdAtMs, RETENTION_DAYS.messages),
    ),
    deleteBatch(stockAlerts, stockAlerts.id, olderThan(stockAlerts.createdAtMs, RETENTION_DAYS.stockAlerts)),
    deleteBatch(
      users,
      users.id,
      and(byIdInRun(nowMs), olderThan(users.createdAtMs, RETENTION_DAYS.unusedAccount), byUnusedAccount),
    ),
    db
      .delete(reservationSources)
      .where(inArray(reservationSources.orderId, selectSourcesOfClosedOrders(ctx))),
    db.delete(visitSpeeds).where(lt(visitSpeeds.day, firstSpeedDay)),
    ...eraseOldOrdersStatements(ctx),
  ] as const
}

function selectSourcesOfClosedOrders(ctx: DataContext) {
  return ctx.db
    .select({ id: reservationSources.orderId })
    .from(reservationSources)
    .innerJoin(orders, eq(orders.id, reservationSources.orderId))
    .where(and(ne(orders.status, 'awaiting_payment'), not(byCountedCashOrder(ctx))))
    .limit(ROWS_PER_RUN)
}

const RUN_INTERVAL_MS = 5 * 60_000
const ID_CHARACTERS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'
const AFTER_ALL_IDS = '~'

/**
 * Returns the id prefix of the accounts that this run checks. The runs take about two weeks to go through all 4,096
 * prefixes.
 */
export function getIdPrefixForRun(nowMs: number): string {
  const run = Math.floor(nowMs / RUN_INTERVAL_MS)
  const { length } = ID_CHARACTERS
  return ID_CHARACTERS.charAt(Math.floor(run / length) % length) + ID_CHARACTERS.charAt(run % length)
}

function byIdInRun(nowMs: number): SQL | undefined {
  const prefix = getIdPrefixForRun(nowMs)
  return and(gte(users.id, prefix), lt(users.id, prefix + AFTER_ALL_IDS))
}

const byUnusedAccount = and(
  isNull(users.emailVerifiedAtMs),
  ne(users.id, DELETED_USER_ID),
  ...[orders, sessions, passwordResets, accountEvents, customerNotes, customerBlocks].map(
    (table) => sql`not exists (select 1 from ${table} where ${table.userId} = ${users.id})`,
  ),
)

function eraseOldOrdersStatements({ db, clock }: DataContext) {
  const byOldOrder = and(
    lt(orders.createdAtMs, clock() - ORDER_RETENTION_YEARS * YEAR_MS),
    sql`${orders.firstName} <> ''`,
    notInArray(orders.status, [...OPEN_STATUSES]),
  )
  const oldOrders = db
    .select({ id: orders.id })
    .from(orders)
    .where(byOldOrder)
    .orderBy(asc(orders.createdAtMs), asc(orders.id))
    .limit(ORDERS_PER_RUN)
  const { userId: _, ...erasedFields } = personalData.orders.onDeletion.set
  return [
    db.delete(orderNotes).where(inArray(orderNotes.orderId, oldOrders)),
    db
      .update(orderReturns)
      .set(personalData.orderReturns.onDeletion.set)
      .where(inArray(orderReturns.orderId, oldOrders)),
    db
      .update(orderEvents)
      .set(personalData.orderEvents.onDeletion.set)
      .where(inArray(orderEvents.orderId, oldOrders)),
    db.update(payments).set(personalData.payments.onDeletion.set).where(inArray(payments.orderId, oldOrders)),
    db.update(orders).set(erasedFields).where(inArray(orders.id, oldOrders)),
  ] as const
}
