import { floorToKsh } from '#shared/format.ts'
import { RETURN_DAYS } from '#shared/retention.ts'
import { shop } from '#shared/shop.ts'
import { DAY_MS } from '#shared/time.ts'
import type { OrderStatus } from './order-status.ts'

export const RETURN_STATES = [
  'requested',
  'expected',
  'received',
  'completed',
  'declined',
  'cancelled',
  'expired',
] as const
export type ReturnState = (typeof RETURN_STATES)[number]

export const RETURN_KINDS = ['return', 'exchange'] as const
export type ReturnKind = (typeof RETURN_KINDS)[number]

export const RETURN_REASON_LABELS = {
  size: 'Wrong size',
  faulty: 'Faulty or damaged',
  different: 'Not as described',
  changed_mind: 'Changed my mind',
  other: 'Something else',
} as const
export type ReturnReason = keyof typeof RETURN_REASON_LABELS
export const RETURN_REASONS = Object.keys(RETURN_REASON_LABELS) as [ReturnReason, ...ReturnReason[]]

const RETURN_TRANSITIONS = {
  approve: { from: ['requested'], to: 'expected' },
  decline: { from: ['requested'], to: 'declined' },
  receive: { from: ['expected'], to: 'received' },
  complete: { from: ['received'], to: 'completed' },
  /** The customer no longer wants an exchange whose difference isn't paid, so its items are refunded. */
  turnIntoReturn: { from: ['received'], to: 'received' },
  cancel: { from: ['requested', 'expected'], to: 'cancelled' },
  cancelByShopper: { from: ['requested', 'expected'], to: 'cancelled' },
  /** The replacement's reservation has ended, so the exchange expires. */
  expire: { from: ['expected'], to: 'expired' },
} as const satisfies Record<string, { from: readonly ReturnState[]; to: ReturnState }>

export type ReturnTransition = keyof typeof RETURN_TRANSITIONS

export function getReturnTransitionStates<Transition extends ReturnTransition>(transition: Transition) {
  return RETURN_TRANSITIONS[transition]
}

export function canTransition(state: ReturnState, transition: ReturnTransition): boolean {
  const from: readonly ReturnState[] = RETURN_TRANSITIONS[transition].from
  return from.includes(state)
}

export const OPEN_RETURN_STATES = [
  'requested',
  'expected',
  'received',
] as const satisfies readonly ReturnState[]

export function isOpenReturn({ state }: { state: ReturnState }): boolean {
  return OPEN_RETURN_STATES.some((openState) => openState === state)
}

/** Returns in these states ended without changing the order. */
export const VOID_RETURN_STATES = [
  'declined',
  'cancelled',
  'expired',
] as const satisfies readonly ReturnState[]

export const RETURN_WINDOW_MS = RETURN_DAYS * DAY_MS

export const RETURN_NOTE_MAX_CHARACTERS = 500

export const RETURN_STATE_LABELS: Record<ReturnState, string> = {
  requested: 'Requested',
  expected: 'Approved, waiting for the items',
  received: 'Items received',
  completed: 'Completed',
  declined: 'Declined',
  cancelled: 'Cancelled',
  expired: 'Expired',
}

export const RETURN_DECISION_PROMISE = `We’ll reply ${shop.replyPromise}.`

export const RETURN_KIND_LABELS: Record<ReturnKind, string> = { return: 'Return', exchange: 'Exchange' }

/** For the shopper. The office shows {@link RETURN_STATE_LABELS}. */
export function formatReturnStatus({ kind, state }: { kind: ReturnKind; state: ReturnState }): string {
  if (state === 'expected') return `${RETURN_KIND_LABELS[kind]} approved: send us the items`
  return `${RETURN_KIND_LABELS[kind]} ${RETURN_STATE_LABELS[state].toLowerCase()}`
}

/** The operator can create a return in these statuses. A shopper can request one only after delivery. */
const RETURNABLE_STATUSES: readonly OrderStatus[] = ['shipped', 'ready', 'delivered']

export function isReturnable(status: OrderStatus): boolean {
  return RETURNABLE_STATUSES.includes(status)
}

/** Returns the deadline for a return request. Returns undefined before delivery and after the deadline. */
export function getReturnDeadlineMs(deliveredAtMs: number | undefined, nowMs: number): number | undefined {
  const untilMs = deliveredAtMs === undefined ? undefined : deliveredAtMs + RETURN_WINDOW_MS
  return untilMs !== undefined && nowMs < untilMs ? untilMs : undefined
}

export type RefundTerms = {
  dueCents: number
  /** How much of the order's payments can still be refunded. */
  refundableCents: number
  /** The price of the goods that no completed return includes. */
  keptGoodsCents: number
  /** What these goods cost, with VAT, net of the discount, without shipping. */
  keptValueCents: number
}

/**
 * Divides the value of goods that are returned at this price: their share of what the kept goods cost, in whole
 * shillings. `creditedCents` is taken off the amount due, and the rest can be refunded. The last return of an order gets
 * all that is left.
 */
export function divideReturnValue(
  goodsCents: number,
  { dueCents, refundableCents, keptGoodsCents, keptValueCents }: RefundTerms,
): { valueCents: number; creditedCents: number; refundCents: number } {
  const valueCents =
    keptGoodsCents === 0 ? 0 : floorToKsh(Math.floor((keptValueCents * goodsCents) / keptGoodsCents))
  const creditedCents = Math.min(valueCents, dueCents)
  return {
    valueCents,
    creditedCents,
    refundCents: floorToKsh(Math.min(valueCents - creditedCents, refundableCents)),
  }
}

/** Identifies a line of an order, which can have two lines of an item at different prices. */
export type LineKey = { productId: number; unitPriceCents: number }
export type ReturnedUnits = LineKey & { qty: number }

type Replacement = { replacementId: number | null; replacementPriceCents: number | null }
type ReturnOnOrder = {
  kind: ReturnKind
  state: ReturnState
  lines: readonly (ReturnedUnits & Replacement)[]
}

/** Adds to each line how many of its units can still be returned. */
export function listReturnableLines<Line extends ReturnedUnits>(
  lines: readonly Line[],
  returns: readonly ReturnOnOrder[],
): (Line & { returnableQty: number })[] {
  // Exchanges count only until their items are received, because receiving them changes the order's lines.
  const claimedLines = returns
    .filter(({ kind, state }) => ['requested', 'expected'].includes(state) || isReceivedReturn(kind, state))
    .flatMap((orderReturn) => orderReturn.lines)
  const unavailableLines = [...claimedLines, ...listUndeliveredReplacements(returns)]
  return lines.map((line) => ({
    ...line,
    returnableQty: Math.max(line.qty - countUnits(unavailableLines, line), 0),
  }))
}

/** Returns how many of the line's units the shop has back, and how many the shopper doesn't have yet. */
export function countMovedUnits(
  line: LineKey,
  returns: readonly ReturnOnOrder[],
): { returned: number; undelivered: number } {
  const returned = returns.filter(({ kind, state }) => isReceivedReturn(kind, state))
  return {
    returned: countUnits(
      returned.flatMap(({ lines }) => lines),
      line,
    ),
    undelivered: countUnits(listUndeliveredReplacements(returns), line),
  }
}

/** Receiving an exchange's items adds its replacements to the order. Completing it hands them over. */
function listUndeliveredReplacements(returns: readonly ReturnOnOrder[]): ReturnedUnits[] {
  return returns
    .filter(({ kind, state }) => kind === 'exchange' && state === 'received')
    .flatMap(({ lines }) => lines)
    .flatMap(({ qty, replacementId, replacementPriceCents }) =>
      replacementId === null || replacementPriceCents === null
        ? []
        : [{ qty, productId: replacementId, unitPriceCents: replacementPriceCents }],
    )
}

function countUnits(units: readonly ReturnedUnits[], line: LineKey): number {
  return units.filter((unit) => isSameLine(unit, line)).reduce((sum, { qty }) => sum + qty, 0)
}

function isReceivedReturn(kind: ReturnKind, state: ReturnState): boolean {
  return kind === 'return' && (state === 'received' || state === 'completed')
}

export function isSameLine(a: LineKey, b: LineKey): boolean {
  return a.productId === b.productId && a.unitPriceCents === b.unitPriceCents
}
