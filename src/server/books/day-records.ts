import { and, eq, gte, inArray, lt, notExists, type SQL, sql } from 'drizzle-orm'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { closedDays, incomingPayments, orders, payments, statements } from '#server/platform/db/schema.ts'
import type { ShopPeriod } from '#shared/time.ts'
import { byStatementProvider, selectWithdrawals } from './reconcile-withdrawals.ts'
import type { StatementProvider } from './statement.ts'

export type ReconciliationInput = { provider: StatementProvider; day: ShopPeriod }

/**
 * A payment or withdrawal belongs to the day on which the provider lists it or, if the provider doesn't list it, to the
 * day on which the shop recorded it.
 */
export async function readDayRecords({ provider, day }: ReconciliationInput, ctx: OwnerContext) {
  const { db } = ctx
  const byListedDay = and(
    eq(incomingPayments.provider, provider),
    gte(incomingPayments.paidAtMs, day.startMs),
    lt(incomingPayments.paidAtMs, day.endMs),
  )
  const matchingEntry = db
    .select({ receipt: incomingPayments.receipt })
    .from(incomingPayments)
    .where(sql`${incomingPayments.receipt} in (${payments.receipt}, ${payments.reference})`)
  const byUnlistedDay = and(
    // The plus prevents SQLite from using the index on the state instead of the one on the time.
    sql`+${payments.state} = 'settled'`,
    gte(payments.endedAtMs, day.startMs),
    lt(payments.endedAtMs, day.endMs),
    byStatementProvider(provider),
    notExists(matchingEntry),
  )
  const listedPayments = db
    .select({ id: incomingPayments.paymentId })
    .from(incomingPayments)
    .where(byListedDay)
  const selectPayments = (where: SQL | undefined) =>
    db
      .select({ payment: payments, number: orders.number })
      .from(payments)
      .innerJoin(orders, eq(orders.id, payments.orderId))
      .where(where)
  const byCoveredDay = and(
    eq(statements.provider, provider),
    lt(statements.firstMs, day.endMs),
    gte(statements.lastMs, day.startMs),
  )
  const [listed, assigned, unlisted, [closed], coverage, withdrawn, ...unlistedOutgoing] = await db.batch([
    db.select().from(incomingPayments).where(byListedDay),
    selectPayments(inArray(payments.id, listedPayments)),
    selectPayments(byUnlistedDay),
    db
      .select()
      .from(closedDays)
      .where(and(eq(closedDays.provider, provider), eq(closedDays.day, day.name))),
    db.select().from(statements).where(byCoveredDay).limit(1),
    ...selectWithdrawals(provider, day, ctx),
  ])
  return {
    listed,
    /** The shop's payments that the listed ones are assigned to. */
    assigned,
    unlisted,
    withdrawn,
    unlistedOutgoing: unlistedOutgoing.flat(),
    closed,
    isCovered: coverage.length > 0 || listed.some(({ verifiedAtMs }) => verifiedAtMs !== null),
  }
}

export type DayRecords = Awaited<ReturnType<typeof readDayRecords>>
