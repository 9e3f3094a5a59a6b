import { inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import { payments } from '#server/platform/db/schema.ts'

type PaymentRow = typeof payments.$inferSelect
type AttemptState = PaymentRow['state']
type RefundState = PaymentRow['refundState']

/** Every change of an attempt to pay. Only `settled` is final: money can arrive after a decline or an expiry. */
const ATTEMPT_TRANSITIONS = {
  /** The provider accepted the request; the shopper has to act. */
  accept: { from: ['sending', 'unknown'], to: 'pending' },
  /** The provider gave no usable answer to the request. */
  lose: { from: ['sending'], to: 'unknown' },
  settle: { from: ['sending', 'pending', 'unknown', 'declined', 'expired'], to: 'settled' },
  decline: { from: ['sending', 'pending', 'unknown', 'declined', 'expired'], to: 'declined' },
  expire: { from: ['sending', 'pending', 'unknown'], to: 'expired' },
} as const satisfies Record<string, { from: readonly AttemptState[]; to: AttemptState }>

/** Every change of a settled payment's refund. Null: there is none. */
const REFUND_TRANSITIONS = {
  refund: { from: [null], to: 'due' },
  /** The operator has it sent again. */
  refundAgain: { from: ['due', 'by_hand'], to: 'due' },
  /** The receipt arrived, without which the provider couldn't refund. */
  resume: { from: ['by_hand'], to: 'due' },
  /** The provider accepted the request and reports the result later. */
  request: { from: ['due', 'requested'], to: 'requested' },
  /** The provider failed. */
  retry: { from: ['due', 'requested'], to: 'due' },
  /** Only a person can make this refund. */
  handOver: { from: ['due', 'requested'], to: 'by_hand' },
  complete: { from: ['due', 'requested'], to: 'done' },
  completeByHand: { from: ['due', 'requested', 'by_hand'], to: 'done' },
} as const satisfies Record<string, { from: readonly RefundState[]; to: NonNullable<RefundState> }>

type AttemptTransition = keyof typeof ATTEMPT_TRANSITIONS
export type RefundTransition = keyof typeof REFUND_TRANSITIONS

/** The states in which an attempt can still bring money while its order waits. */
export const OPEN_ATTEMPT_STATES: readonly AttemptState[] = ATTEMPT_TRANSITIONS.expire.from

/** The condition that a refund has been started and not completed. */
export const isRefundOpen: SQL = inArray(payments.refundState, [...REFUND_TRANSITIONS.completeByHand.from])

/** What an update of an attempt sets, and the condition that the attempt may make the transition. */
export function attemptTransition<Verb extends AttemptTransition>(verb: Verb) {
  const { from, to } = ATTEMPT_TRANSITIONS[verb]
  return { set: { state: to }, where: inArray(payments.state, [...from]) }
}

/** The state of an attempt that makes a transition where it may, and otherwise stays as it is. */
export function attemptStateAfter(verb: AttemptTransition): SQL<AttemptState> {
  const { set, where } = attemptTransition(verb)
  return sql<AttemptState>`case when ${where} then ${set.state} else ${payments.state} end`
}

/** What an update of a refund sets, and the condition that the refund may make the transition. */
export function refundTransition<Verb extends RefundTransition>(verb: Verb) {
  const from: readonly RefundState[] = REFUND_TRANSITIONS[verb].from
  const stored = from.filter((state) => state !== null)
  const isNone = from.includes(null) ? isNull(payments.refundState) : undefined
  const isStored = stored.length > 0 ? inArray(payments.refundState, stored) : undefined
  const where = or(isNone, isStored) ?? sql`false`
  return { set: { refundState: REFUND_TRANSITIONS[verb].to }, where }
}

/** Whether a refund in a state may make a transition. */
export function canRefund(state: RefundState, verb: RefundTransition): boolean {
  const from: readonly RefundState[] = REFUND_TRANSITIONS[verb].from
  return from.includes(state)
}
