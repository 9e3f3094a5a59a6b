import { inArray, type SQL, sql } from 'drizzle-orm'
import { payments, refunds } from '#server/platform/db/schema.ts'
import type { RefundState } from '#shared/payments/refunds.ts'

type AttemptState = (typeof payments.$inferSelect)['state']

/** Only `settled` is final, because payments can arrive after a decline or expiry. */
const ATTEMPT_TRANSITIONS = {
  accept: { from: ['sending', 'unknown'], to: 'pending' },
  markUnknown: { from: ['sending'], to: 'unknown' },
  settle: { from: ['sending', 'pending', 'unknown', 'declined', 'expired'], to: 'settled' },
  decline: { from: ['sending', 'pending', 'unknown', 'declined', 'expired'], to: 'declined' },
  expire: { from: ['sending', 'pending', 'unknown'], to: 'expired' },
} as const satisfies Record<string, { from: readonly AttemptState[]; to: AttemptState }>

const REFUND_TRANSITIONS = {
  restart: { from: ['due', 'by_hand'], to: 'due' },
  /** Applies once the payment's receipt has arrived, because the provider may need it for the refund. */
  resume: { from: ['by_hand'], to: 'due' },
  request: { from: ['due', 'requested'], to: 'requested' },
  retry: { from: ['due', 'requested'], to: 'due' },
  requireManual: { from: ['due', 'requested'], to: 'by_hand' },
  complete: { from: ['due', 'requested', 'by_hand'], to: 'done' },
} as const satisfies Record<string, { from: readonly RefundState[]; to: RefundState }>

type AttemptTransition = keyof typeof ATTEMPT_TRANSITIONS
export type RefundTransition = keyof typeof REFUND_TRANSITIONS

export const OPEN_ATTEMPT_STATES: readonly AttemptState[] = ATTEMPT_TRANSITIONS.expire.from

export const byOpenRefundState: SQL = sql`${refunds.state} <> 'done'`

export function getAttemptTransition<Transition extends AttemptTransition>(transition: Transition) {
  const { from, to } = ATTEMPT_TRANSITIONS[transition]
  return { set: { state: to }, where: inArray(payments.state, [...from]) }
}

export function getStateAfterTransition(transition: AttemptTransition): SQL<AttemptState> {
  const { set, where } = getAttemptTransition(transition)
  return sql<AttemptState>`case when ${where} then ${set.state} else ${payments.state} end`
}

export function getRefundTransition<Transition extends RefundTransition>(transition: Transition) {
  const { from, to } = REFUND_TRANSITIONS[transition]
  return { set: { state: to }, where: inArray(refunds.state, [...from]) }
}

export function canTransitionRefund(state: RefundState, transition: RefundTransition): boolean {
  const from: readonly RefundState[] = REFUND_TRANSITIONS[transition].from
  return from.includes(state)
}
