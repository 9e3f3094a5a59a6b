import type { ServiceContext } from '#server/context.ts'
import type { PaymentRow } from './payment-attempts.ts'
import type { PaymentLogLine } from './providers/provider.ts'

type PaymentFailure = {
  payment: PaymentRow
  orderNumber: string
  outcome: PaymentLogLine['outcome']
  error: string
}

export function logPayment(
  { payment: { id, provider }, orderNumber, outcome, error }: PaymentFailure,
  { log, clock }: ServiceContext,
): void {
  const at = new Date(clock()).toISOString()
  log({ level: 'error', at, payment: id, order: orderNumber, provider, outcome, reason: error })
}
