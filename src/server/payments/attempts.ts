import { and, asc, eq, inArray, isNotNull, or, type SQLWrapper } from 'drizzle-orm'
import type { Database } from '#server/platform/db/client.ts'
import { payments } from '#server/platform/db/schema.ts'
import { descriptorOf } from '#shared/payments/providers.ts'

export type PaymentRow = typeof payments.$inferSelect

const OPEN_STATES: readonly PaymentRow['state'][] = ['sending', 'pending', 'unknown']

/** {@link isOpen} for SQL. */
export const isOpenState = inArray(payments.state, [...OPEN_STATES])

/** Attempts that may have brought money nobody can count: not decided, and not given up asking about. */
export const isUndecided = and(
  isNotNull(payments.nextCheckAtMs),
  or(isOpenState, and(eq(payments.state, 'expired'), isNotNull(payments.error))),
)

/** Whether an attempt can still bring money while its order waits. */
export function isOpen({ state }: PaymentRow): boolean {
  return OPEN_STATES.includes(state)
}

/** The attempt that pays the order, or else the last one whose money came; undefined while there is none. */
export function acceptedPayment(all: readonly PaymentRow[]): PaymentRow | undefined {
  const settled = all.filter(({ state }) => state === 'settled')
  return settled.find(({ refundState }) => refundState === null) ?? settled.at(-1)
}

/** The statement that reads the attempts of some orders, the first one first. */
export function paymentsOf(db: Database, orderIds: SQLWrapper) {
  return db.select().from(payments).where(inArray(payments.orderId, orderIds)).orderBy(asc(payments.attempt))
}

/** How an order was paid: `M-Pesa, receipt SKJ7…` or `Visa ending in 4242`. */
export function paymentMethodLabel({ provider, cardBrand, cardLastFour, receipt }: PaymentRow): string {
  const { flow, name, label } = descriptorOf(provider)
  if (flow === 'prompt' || flow === 'manual') return receipt ? `${name}, receipt ${receipt}` : name
  return cardBrand && cardLastFour ? `${cardBrand} ending in ${cardLastFour}` : label
}
