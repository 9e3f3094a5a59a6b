import { and, between, desc, eq, getTableColumns, gt, ne, or, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { incomingPayments, incomingRefunds, incomingSources, orders } from '#server/platform/db/schema.ts'
import { parseAccountReference } from '#shared/orders/account-reference.ts'
import { DAY_MS, MINUTE_MS } from '#shared/time.ts'
import {
  byReceipt,
  byUnassignedState,
  type IncomingPaymentInput,
  type IncomingPaymentRow,
} from './incoming-payments.ts'

const MAX_LISTED_PAYMENTS = 50
const MAX_SUGGESTIONS = 3
const ORDER_LOOKBACK_MS = 2 * DAY_MS
/** Daraja's clock and the shop's may differ by this much. */
export const CLOCK_SKEW_MS = 5 * MINUTE_MS

export type SuggestedOrder = Pick<
  typeof orders.$inferSelect,
  'number' | 'firstName' | 'lastName' | 'createdAtMs'
> & { dueCents: number }
type IncomingRefund = Pick<typeof incomingRefunds.$inferSelect, 'state' | 'error'>
export type UnassignedPayment = IncomingPaymentRow & {
  suggestions: readonly SuggestedOrder[]
  refund: IncomingRefund | undefined
}

export async function listUnassignedPayments({ db }: OwnerContext): Promise<{
  payments: UnassignedPayment[]
  sources: (typeof incomingSources.$inferSelect)[]
}> {
  const [rows, sources, refunds] = await db.batch([
    db
      .select()
      .from(incomingPayments)
      .where(byUnassignedState)
      .orderBy(desc(incomingPayments.paidAtMs))
      .limit(MAX_LISTED_PAYMENTS),
    db.select().from(incomingSources),
    db.select().from(incomingRefunds).where(ne(incomingRefunds.state, 'done')).limit(MAX_LISTED_PAYMENTS),
  ])
  const suggestions = await suggestOrders(rows, { db })
  return {
    payments: rows.map((row) => ({
      ...row,
      suggestions: suggestions.get(row.receipt) ?? [],
      refund: refunds.find(({ provider, receipt }) => provider === row.provider && receipt === row.receipt),
    })),
    sources,
  }
}

export function readUnassignedPayment(
  { provider, receipt }: Omit<IncomingPaymentInput, 'actor'>,
  { db }: OwnerContext,
): Promise<(IncomingPaymentRow & { refundState: IncomingRefund['state'] | null }) | undefined> {
  return db
    .select({ ...getTableColumns(incomingPayments), refundState: incomingRefunds.state })
    .from(incomingPayments)
    .leftJoin(
      incomingRefunds,
      and(eq(incomingRefunds.provider, provider), eq(incomingRefunds.receipt, receipt)),
    )
    .where(and(byReceipt(provider, receipt), byUnassignedState))
    .get()
}

/** The keys are the payments' receipts. */
export async function suggestOrders(
  rows: readonly IncomingPaymentRow[],
  { db }: Pick<DataContext, 'db'>,
): Promise<Map<string, SuggestedOrder[]>> {
  if (rows.length === 0) return new Map()
  const times = rows.map(({ paidAtMs }) => paidAtMs)
  const numbers = rows
    .map(({ account }) => parseAccountReference(account ?? ''))
    .filter((number) => number !== undefined)
  const amounts = rows.map(({ amountCents }) => amountCents)
  const dueCents = sql<number>`${orders.totalCents} - ${orders.creditedCents} - ${orders.paidCents}`
  const byValues = (column: typeof orders.number | typeof dueCents, values: readonly unknown[]) =>
    sql`${column} in (select value from json_each(${JSON.stringify(values)}))`
  const candidates = await db
    .select({
      number: orders.number,
      firstName: orders.firstName,
      lastName: orders.lastName,
      dueCents: dueCents.as('due'),
      createdAtMs: orders.createdAtMs,
    })
    .from(orders)
    .where(
      and(
        ne(orders.status, 'cancelled'),
        // `dueCents` is correct only for orders without refunds.
        eq(orders.refundCents, 0),
        gt(dueCents, 0),
        between(
          orders.createdAtMs,
          Math.min(...times) - ORDER_LOOKBACK_MS,
          Math.max(...times) + CLOCK_SKEW_MS,
        ),
        or(byValues(orders.number, numbers), byValues(dueCents, amounts)),
      ),
    )
    .orderBy(desc(orders.createdAtMs))
  return new Map(rows.map((row) => [row.receipt, findSuggestedOrders(row, candidates)]))
}

function findSuggestedOrders(
  row: IncomingPaymentRow,
  candidates: readonly SuggestedOrder[],
): SuggestedOrder[] {
  const number = parseAccountReference(row.account ?? '')
  const namedOrders = candidates.filter((order) => order.number === number)
  if (namedOrders.length > 0) return namedOrders
  const sinceMs = row.paidAtMs - ORDER_LOOKBACK_MS
  return candidates
    .filter(({ dueCents, createdAtMs }) => dueCents === row.amountCents && createdAtMs >= sinceMs)
    .filter(({ createdAtMs }) => createdAtMs <= row.paidAtMs + CLOCK_SKEW_MS)
    .slice(0, MAX_SUGGESTIONS)
}
