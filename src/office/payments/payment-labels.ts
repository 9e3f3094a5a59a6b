import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import type { PaymentProblem } from '#shared/payments/payment.ts'
import type { RefundState } from '#shared/payments/refunds.ts'

export const PAYMENT_STATE_LABELS: Record<PaymentRow['state'], string> = {
  sending: 'Starting',
  pending: 'Waiting for customer',
  unknown: 'Checking',
  settled: 'Paid',
  declined: 'Declined',
  expired: 'Expired',
}

/** The order's page explains `amount_differs`, and the state says `declined`. */
export const PAYMENT_PROBLEM_LABELS: Partial<Record<PaymentProblem, string>> = {
  no_funds: 'Not enough money in the account',
  wrong_pin: 'Wrong PIN',
  cancelled: 'Cancelled by the customer',
  unreachable: 'Couldn’t reach the phone',
  timed_out: 'The prompt timed out',
  same_amount: 'Same amount from the same phone twice within two minutes',
  phone_busy: 'Another payment from this phone was in progress',
  invalid_phone: 'This phone number isn’t registered with M-Pesa',
  amount_limit: 'This payment method doesn’t allow this amount',
  provider_busy: 'The payment provider was busy',
  refunded: 'Refunded by the payment provider',
}

export const REFUND_STATE_LABELS: Record<RefundState, string> = {
  due: 'Refund due',
  requested: 'Refund in progress',
  by_hand: 'Refund manually',
  done: 'Refunded',
}
