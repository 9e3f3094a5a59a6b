import { and, eq, gte, inArray, lt, notExists, type SQL, sql } from 'drizzle-orm'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { closedDays, incomingPayments, orders, payments, statements } from '#server/platform/db/schema.ts'
import type { ShopPeriod } from '#shared/time.ts'
import { type SuggestedOrder, suggestOrders } from './list-incoming.ts'
import {
  byStatementProvider,
  type OutgoingPayment,
  selectWithdrawals,
  suggestOutgoingPayments,
} from './reconcile-withdrawals.ts'
import type { StatementProvider } from './statement.ts'

/**
 * `suggested`: the shop hasn't recorded the entry, but an order, refund or returned payment fits it. `unchecked`
 * becomes `unconfirmed` once the day is covered.
 */
export type EntryState =
  | 'matched'
  | 'differs'
  | 'returned'
  | 'suggested'
  | 'unknown'
  | 'unconfirmed'
  | 'unchecked'
  | 'fee'
  | 'dismissed'

type ReconciliationEntry = {
  key: string
  atMs: number
  receipt: string | null
  number: string | null
  /** Both amounts are positive, even for withdrawals. */
  shopCents: number | null
  providerCents: number | null
  state: EntryState
} & (
  | { direction: 'in'; suggestions: readonly SuggestedOrder[] }
  | { direction: 'out'; details: string | null; suggestions: readonly OutgoingPayment[] }
)

export type DayEntry = ReconciliationEntry & { change: 'added' | 'changed' | null }

type ComparedTotals = { shopCents: number; providerCents: number }

export type Reconciliation = {
  entries: readonly DayEntry[]
  received: ComparedTotals
  outgoing: ComparedTotals
  /** The sum of fees and dismissed withdrawals. */
  otherCents: number
  /** Whether a statement overlaps the day, or the provider has listed a payment of that day. */
  isCovered: boolean
  closed: { atMs: number; actor: string } | null
  /** The keys of entries that have been removed since the day was closed. */
  removed: readonly string[]
}

type ReconciliationInput = { provider: StatementProvider; day: ShopPeriod }

/**
 * An entry belongs to the day on which the provider lists it or, if the provider doesn't list it, to the day on which
 * the shop recorded it.
 */
export async function reconcileDay(
  { provider, day }: ReconciliationInput,
  ctx: OwnerContext,
): Promise<Reconciliation> {
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
  const selectPaid = (where: SQL | undefined) =>
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
  const [listed, paid, unlisted, [closed], coverage, withdrawn, ...sent] = await db.batch([
    db.select().from(incomingPayments).where(byListedDay),
    selectPaid(inArray(payments.id, listedPayments)),
    selectPaid(byUnlistedDay),
    db
      .select()
      .from(closedDays)
      .where(and(eq(closedDays.provider, provider), eq(closedDays.day, day.name))),
    db.select().from(statements).where(byCoveredDay).limit(1),
    ...selectWithdrawals(provider, day, ctx),
  ])
  const isCovered = coverage.length > 0 || listed.some(({ verifiedAtMs }) => verifiedAtMs !== null)
  const shopOnlyState = isCovered ? 'unconfirmed' : 'unchecked'
  const isOpen = (row: (typeof listed)[number]) => row.paymentId === null && row.returnedAtMs === null
  const unmatched = withdrawn
    .map(({ withdrawal }) => withdrawal)
    .filter((row) => row.matchedTo === null && !row.isFee && row.dismissedAtMs === null)
  const [orderSuggestions, refundSuggestions] = await Promise.all([
    suggestOrders(listed.filter(isOpen), ctx),
    suggestOutgoingPayments(provider, unmatched, ctx),
  ])
  const paidById = new Map(paid.map((row) => [row.payment.id, row]))
  const entries: ReconciliationEntry[] = [
    ...listed.map((row): ReconciliationEntry => {
      const { receipt, amountCents: providerCents, paidAtMs: atMs } = row
      const match = row.paymentId === null ? undefined : paidById.get(row.paymentId)
      const shopCents = match?.payment.state === 'settled' ? match.payment.amountCents : null
      const suggestions = orderSuggestions.get(receipt) ?? []
      // A returned payment counts as received, because its withdrawal is a separate entry.
      const receivedCents = row.returnedAtMs === null ? shopCents : providerCents
      const state = getListedPaymentState({ row, shopCents, isSuggested: suggestions.length > 0 })
      const common = {
        direction: 'in',
        key: receipt,
        receipt,
        atMs,
        providerCents,
        state,
        suggestions,
      } as const
      return { ...common, shopCents: receivedCents, number: match?.number ?? null }
    }),
    ...unlisted.map(
      ({ payment, number }): ReconciliationEntry => ({
        direction: 'in',
        key: payment.id,
        receipt: payment.receipt,
        number,
        suggestions: [],
        atMs: payment.endedAtMs ?? payment.createdAtMs,
        state: shopOnlyState,
        shopCents: payment.amountCents,
        providerCents: null,
      }),
    ),
    ...withdrawn.map((row): ReconciliationEntry => {
      const { receipt, amountCents: providerCents, isFee, atMs, details } = row.withdrawal
      const suggestions = refundSuggestions.get(receipt) ?? []
      const key = `${isFee ? 'fee' : 'out'} ${receipt} ${providerCents}`
      const common = { direction: 'out', key, receipt, atMs, providerCents, details, suggestions } as const
      return { ...common, number: row.number, ...getWithdrawalState(row, suggestions.length > 0) }
    }),
    ...sent.flat().map(
      ({ key, atMs, amountCents, number, receipt }): ReconciliationEntry => ({
        direction: 'out',
        key,
        atMs,
        number,
        receipt,
        details: null,
        suggestions: [],
        shopCents: amountCents,
        providerCents: null,
        state: shopOnlyState,
      }),
    ),
  ]
  entries.sort((a, b) => a.atMs - b.atMs)
  const snapshot: Record<string, string> = closed ? JSON.parse(closed.snapshot) : {}
  const keys = new Set(entries.map(({ key }) => key))
  const isOther = ({ state }: ReconciliationEntry) => state === 'fee' || state === 'dismissed'
  const sum = (direction: ReconciliationEntry['direction']) => {
    const own = entries.filter((entry) => entry.direction === direction && !isOther(entry))
    const sumSide = (side: keyof ComparedTotals) =>
      own.reduce((total, entry) => total + (entry[side] ?? 0), 0)
    return { shopCents: sumSide('shopCents'), providerCents: sumSide('providerCents') }
  }
  return {
    entries: entries.map((entry) => ({
      ...entry,
      change: closed ? getChangeSinceClosing(entry, snapshot) : null,
    })),
    received: sum('in'),
    outgoing: sum('out'),
    otherCents: entries.filter(isOther).reduce((total, { providerCents }) => total + (providerCents ?? 0), 0),
    isCovered,
    closed: closed ? { atMs: closed.closedAtMs, actor: closed.actor } : null,
    removed: Object.keys(snapshot).filter((key) => !keys.has(key)),
  }
}

type ListedPayment = {
  row: Pick<typeof incomingPayments.$inferSelect, 'amountCents' | 'returnedAtMs' | 'paymentId'>
  shopCents: number | null
  isSuggested: boolean
}

function getListedPaymentState({ row, shopCents, isSuggested }: ListedPayment): EntryState {
  if (shopCents !== null) return shopCents === row.amountCents ? 'matched' : 'differs'
  if (row.returnedAtMs !== null) return 'returned'
  return isSuggested ? 'suggested' : 'unknown'
}

type WithdrawalStateInput = {
  withdrawal: { isFee: boolean; amountCents: number; dismissedAtMs: number | null }
  refundedCents: number | null
  returnedAtMs: number | null
}

function getWithdrawalState(
  { withdrawal, refundedCents, returnedAtMs }: WithdrawalStateInput,
  isSuggested: boolean,
): { state: EntryState; shopCents: number | null } {
  const { isFee, amountCents, dismissedAtMs } = withdrawal
  if (isFee) return { state: 'fee', shopCents: null }
  if (refundedCents !== null)
    return { state: refundedCents === amountCents ? 'matched' : 'differs', shopCents: refundedCents }
  if (returnedAtMs !== null) return { state: 'matched', shopCents: amountCents }
  if (dismissedAtMs !== null) return { state: 'dismissed', shopCents: null }
  return { state: isSuggested ? 'suggested' : 'unknown', shopCents: null }
}

type RecordedEntry = Pick<ReconciliationEntry, 'key' | 'shopCents' | 'providerCents' | 'state'>

/** Stores `unchecked` as `unconfirmed`, so that uploading a statement later doesn't count as a change. */
export const toSnapshot = ({ shopCents, providerCents, state }: RecordedEntry) =>
  `${shopCents} ${providerCents} ${state === 'unchecked' ? 'unconfirmed' : state}`

function getChangeSinceClosing(entry: RecordedEntry, snapshot: Record<string, string>): DayEntry['change'] {
  const before = snapshot[entry.key]
  if (before === undefined) return 'added'
  return before === toSnapshot(entry) ? null : 'changed'
}
