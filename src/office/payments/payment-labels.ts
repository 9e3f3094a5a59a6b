import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import type { RefundState } from '#shared/payments/refunds.ts'

export const PAYMENT_STATE_LABELS: Record<PaymentRow['state'], string> = {
  sending: 'Starting',
  pending: 'Waiting for customer',
  unknown: 'Checking',
  settled: 'Paid',
  declined: 'Declined',
  expired: 'Expired',
}

export const REFUND_STATE_LABELS: Record<RefundState, string> = {
  due: 'Refund due',
  requested: 'Refund in progress',
  by_hand: 'Refund manually',
  done: 'Refunded',
}
