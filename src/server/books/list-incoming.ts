import { and, between, desc, inArray, isNull, or } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { incomingPayments, incomingSources, orders } from '#server/platform/db/schema.ts'
import { parseOrderNumber } from '#shared/orders/order-number.ts'
import { statusesBefore } from '#shared/orders/order-status.ts'
import type { IncomingRow } from './incoming-payments.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const MAX_ROWS = 50
const MAX_SUGGESTIONS = 3
/** A customer pays after ordering, and within this time. */
const PAID_WITHIN_MS = 2 * DAY_MS
/** Daraja's clock and ours can differ. */
const CLOCK_MARGIN_MS = 5 * MINUTE_MS

type Suggestion = Pick<
  typeof orders.$inferSelect,
  'number' | 'firstName' | 'lastName' | 'totalCents' | 'createdAtMs'
>
export type OpenIncoming = IncomingRow & { suggestions: readonly Suggestion[] }

const isOpenIncoming = and(isNull(incomingPayments.paymentId), isNull(incomingPayments.returnedAtMs))

/** Payments that belong to no order yet, the newest first, with the orders they may be for. */
export async function listOpenIncoming({ db }: DataContext): Promise<{
  payments: OpenIncoming[]
  sources: (typeof incomingSources.$inferSelect)[]
}> {
  const [rows, sources] = await db.batch([
    db
      .select()
      .from(incomingPayments)
      .where(isOpenIncoming)
      .orderBy(desc(incomingPayments.paidAtMs))
      .limit(MAX_ROWS),
    db.select().from(incomingSources),
  ])
  if (rows.length === 0) return { payments: [], sources }
  const times = rows.map(({ paidAtMs }) => paidAtMs)
  const numbers = rows
    .map(({ account }) => parseOrderNumber(account ?? ''))
    .filter((number) => number !== undefined)
  const amounts = rows.map(({ amountCents }) => amountCents)
  const firstMs = Math.min(...times) - PAID_WITHIN_MS
  const candidates = await db
    .select({
      number: orders.number,
      firstName: orders.firstName,
      lastName: orders.lastName,
      totalCents: orders.totalCents,
      createdAtMs: orders.createdAtMs,
    })
    .from(orders)
    .where(
      and(
        inArray(orders.status, [...statusesBefore('settle', 'placed')]),
        between(orders.createdAtMs, firstMs, Math.max(...times) + CLOCK_MARGIN_MS),
        or(inArray(orders.number, numbers), inArray(orders.totalCents, amounts)),
      ),
    )
    .orderBy(desc(orders.createdAtMs))
  return { payments: rows.map((row) => ({ ...row, suggestions: suggestionsFor(row, candidates) })), sources }
}

function suggestionsFor(row: IncomingRow, candidates: readonly Suggestion[]): Suggestion[] {
  const number = parseOrderNumber(row.account ?? '')
  const named = candidates.filter((order) => order.number === number)
  if (named.length > 0) return named
  const sinceMs = row.paidAtMs - PAID_WITHIN_MS
  return candidates
    .filter(({ totalCents, createdAtMs }) => totalCents === row.amountCents && createdAtMs >= sinceMs)
    .filter(({ createdAtMs }) => createdAtMs <= row.paidAtMs + CLOCK_MARGIN_MS)
    .slice(0, MAX_SUGGESTIONS)
}
