import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import type { RefundState } from '#shared/payments/refunds.ts'
import { type DayRecords, type ReconciliationInput, readDayRecords } from './day-records.ts'
import { type SuggestedOrder, suggestOrders } from './list-incoming.ts'
import {
  type OutgoingPayment,
  suggestOtherRefunds,
  suggestOutgoingPayments,
} from './reconcile-withdrawals.ts'

/**
 * `suggested`: the shop hasn't recorded the entry, but an order, refund or returned payment fits it. This includes a
 * withdrawal that was matched to a refund that the operator has to make or check. `unchecked` becomes `unconfirmed` once
 * the day is covered.
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

export async function reconcileDay(input: ReconciliationInput, ctx: OwnerContext): Promise<Reconciliation> {
  const records = await readDayRecords(input, ctx)
  const entries = await createEntries(input, records, ctx)
  const { closed, isCovered } = records
  const snapshot: Record<string, string> = closed ? JSON.parse(closed.snapshot) : {}
  const keys = new Set(entries.map(({ key }) => key))
  return {
    entries: entries.map((entry) => ({
      ...entry,
      change: closed ? getChangeSinceClosing(entry, snapshot) : null,
    })),
    received: sumEntries(entries, 'in'),
    outgoing: sumEntries(entries, 'out'),
    otherCents: entries
      .filter(isFeeOrDismissed)
      .reduce((total, { providerCents }) => total + (providerCents ?? 0), 0),
    isCovered,
    closed: closed ? { atMs: closed.closedAtMs, actor: closed.actor } : null,
    removed: Object.keys(snapshot).filter((key) => !keys.has(key)),
  }
}

async function createEntries(
  { provider }: ReconciliationInput,
  { listed, assigned, unlisted, withdrawn, unlistedOutgoing, isCovered }: DayRecords,
  ctx: OwnerContext,
): Promise<ReconciliationEntry[]> {
  const unassigned = listed.filter((row) => row.paymentId === null && row.returnedAtMs === null)
  const unmatched = withdrawn
    .map(({ withdrawal }) => withdrawal)
    .filter((row) => row.matchedTo === null && !row.isFee && row.dismissedAtMs === null)
  const [orderSuggestions, refundSuggestions, otherRefunds] = await Promise.all([
    suggestOrders(unassigned, ctx),
    suggestOutgoingPayments(provider, unmatched, ctx),
    suggestOtherRefunds(withdrawn.filter(isManualRefund), ctx),
  ])
  const assignedById = new Map<string | null, ShopPayment>(assigned.map((row) => [row.payment.id, row]))
  const shopOnlyState = isCovered ? 'unconfirmed' : 'unchecked'
  const entries = [
    ...listed.map((row) =>
      createListedEntry(row, assignedById.get(row.paymentId), orderSuggestions.get(row.receipt) ?? []),
    ),
    ...unlisted.map((row) => createUnlistedEntry(row, shopOnlyState)),
    ...withdrawn.map((row) =>
      createWithdrawalEntry(row, [
        ...listMatchedRefunds(row),
        ...(otherRefunds.get(row.withdrawal.receipt) ?? []),
        ...(refundSuggestions.get(row.withdrawal.receipt) ?? []),
      ]),
    ),
    ...unlistedOutgoing.map((payment) => createUnlistedOutgoingEntry(payment, shopOnlyState)),
  ]
  return entries.toSorted((a, b) => a.atMs - b.atMs)
}

type ShopPayment = DayRecords['unlisted'][number]

function createListedEntry(
  row: DayRecords['listed'][number],
  match: ShopPayment | undefined,
  suggestions: readonly SuggestedOrder[],
): ReconciliationEntry {
  const { receipt, amountCents, paidAtMs } = row
  const shopCents = match?.payment.state === 'settled' ? match.payment.amountCents : null
  return {
    direction: 'in',
    key: receipt,
    atMs: paidAtMs,
    receipt,
    number: match?.number ?? null,
    // A returned payment counts as received, because its withdrawal is a separate entry.
    shopCents: row.returnedAtMs === null ? shopCents : amountCents,
    providerCents: amountCents,
    state: getListedPaymentState({ row, shopCents, isSuggested: suggestions.length > 0 }),
    suggestions,
  }
}

function createUnlistedEntry({ payment, number }: ShopPayment, state: EntryState): ReconciliationEntry {
  return {
    direction: 'in',
    key: payment.id,
    atMs: payment.endedAtMs ?? payment.createdAtMs,
    receipt: payment.receipt,
    number,
    shopCents: payment.amountCents,
    providerCents: null,
    state,
    suggestions: [],
  }
}

const isManualRefund = ({ refundState }: Pick<DayRecords['withdrawn'][number], 'refundState'>) =>
  refundState === 'by_hand'

function listMatchedRefunds(row: DayRecords['withdrawn'][number]): OutgoingPayment[] {
  const { matchedTo, atMs, amountCents } = row.withdrawal
  if (matchedTo === null || !isManualRefund(row)) return []
  return [{ key: matchedTo, atMs, amountCents, number: row.number, receipt: null }]
}

function createWithdrawalEntry(
  row: DayRecords['withdrawn'][number],
  suggestions: readonly OutgoingPayment[],
): ReconciliationEntry {
  const { receipt, amountCents, isFee, atMs, details } = row.withdrawal
  return {
    direction: 'out',
    key: `${isFee ? 'fee' : 'out'} ${receipt} ${amountCents}`,
    atMs,
    receipt,
    number: row.number,
    details,
    providerCents: amountCents,
    suggestions,
    ...getWithdrawalState(row, suggestions.length > 0),
  }
}

function createUnlistedOutgoingEntry(
  { key, atMs, amountCents, number, receipt }: OutgoingPayment,
  state: EntryState,
): ReconciliationEntry {
  return {
    direction: 'out',
    key,
    atMs,
    receipt,
    number,
    details: null,
    shopCents: amountCents,
    providerCents: null,
    state,
    suggestions: [],
  }
}

function isFeeOrDismissed({ state }: ReconciliationEntry): boolean {
  return state === 'fee' || state === 'dismissed'
}

function sumEntries(
  entries: readonly ReconciliationEntry[],
  direction: ReconciliationEntry['direction'],
): ComparedTotals {
  const compared = entries.filter((entry) => entry.direction === direction && !isFeeOrDismissed(entry))
  const sum = (side: keyof ComparedTotals) => compared.reduce((total, entry) => total + (entry[side] ?? 0), 0)
  return { shopCents: sum('shopCents'), providerCents: sum('providerCents') }
}

type ListedPayment = {
  row: Pick<DayRecords['listed'][number], 'amountCents' | 'returnedAtMs'>
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
  refundState: RefundState | null
  returnedAtMs: number | null
}

function getWithdrawalState(
  { withdrawal, refundedCents, refundState, returnedAtMs }: WithdrawalStateInput,
  isSuggested: boolean,
): { state: EntryState; shopCents: number | null } {
  const { isFee, amountCents, dismissedAtMs } = withdrawal
  if (isFee) return { state: 'fee', shopCents: null }
  if (refundedCents !== null && !isManualRefund({ refundState }))
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
