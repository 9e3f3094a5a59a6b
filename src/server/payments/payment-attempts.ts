import { and, asc, eq, inArray, isNotNull, ne, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { Database } from '#server/platform/db/client.ts'
import { payments } from '#server/platform/db/schema.ts'
import { formatMoney } from '#shared/format.ts'
import { getProviderDescriptor, hasFlow, MANUAL_PAYMENT_LABELS } from '#shared/payments/providers.ts'
import { HOUR_MS, MINUTE_MS } from '#shared/time.ts'
import { OPEN_ATTEMPT_STATES } from './payment-transitions.ts'

export type PaymentRow = typeof payments.$inferSelect

export const byOpenState = inArray(payments.state, [...OPEN_ATTEMPT_STATES])

export const byUndecidedState = and(
  isNotNull(payments.nextCheckAtMs),
  or(byOpenState, and(eq(payments.state, 'expired'), isNotNull(payments.error))),
)

/** The amount received differs from the attempt's. The office lists these attempts until the operator resolves them. */
export const byMismatch = and(sql`${payments.problem} = 'amount_differs'`, ne(payments.state, 'settled'))

export function isOpen({ state }: Pick<PaymentRow, 'state'>): boolean {
  return OPEN_ATTEMPT_STATES.includes(state)
}

export function selectPayments(db: Database, orderIds: SQLWrapper) {
  return db.select().from(payments).where(inArray(payments.orderId, orderIds)).orderBy(asc(payments.attempt))
}

type PaymentMethodFields = Pick<
  PaymentRow,
  'provider' | 'manualType' | 'cardBrand' | 'cardLastFour' | 'receipt'
>

export function formatPaymentMethod(payment: PaymentMethodFields): string {
  const { provider, manualType, cardBrand, cardLastFour, receipt } = payment
  const { flow, name, label } = getProviderDescriptor(provider)
  if (flow === 'manual') {
    const type = manualType ? MANUAL_PAYMENT_LABELS[manualType] : name
    return receipt ? `${type}, reference ${receipt}` : type
  }
  if (flow === 'prompt') return receipt ? `${name}, receipt ${receipt}` : name
  return cardBrand && cardLastFour ? `${cardBrand} ending in ${cardLastFour}` : label
}

export function formatPaidAmount(payment: PaymentMethodFields & Pick<PaymentRow, 'amountCents'>): string {
  return `${formatMoney(payment.amountCents)} paid (${formatPaymentMethod(payment)})`
}

export function formatOriginalMethod(payment: PaymentMethodFields): string {
  const label = hasFlow(payment.provider, 'manual') ? '' : ` (${formatPaymentMethod(payment)})`
  return `your original payment method${label}`
}

const SECOND_MS = 1000
/** How often an attempt is checked, by its age. A payment can arrive long after its order expired. */
const CHECK_INTERVALS = [
  { untilMs: MINUTE_MS, everyMs: 10 * SECOND_MS },
  { untilMs: 5 * MINUTE_MS, everyMs: 30 * SECOND_MS },
  { untilMs: HOUR_MS, everyMs: 5 * MINUTE_MS },
  { untilMs: 24 * HOUR_MS, everyMs: HOUR_MS },
  { untilMs: 72 * HOUR_MS, everyMs: 6 * HOUR_MS },
] as const

export function getNextCheckAtMs(createdAtMs: number, nowMs: number): number | null {
  const check = CHECK_INTERVALS.find(({ untilMs }) => nowMs - createdAtMs < untilMs)
  return check ? nowMs + check.everyMs : null
}
