import { formatMoney } from '#shared/format.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import {
  formatPaymentStatus,
  type OrderBalance,
  type OrderPaymentStatus,
  PAYMENT_STATUS_LABELS,
} from '#shared/orders/payment-status.ts'

const HIGHLIGHTED_STATUSES: readonly OrderPaymentStatus[] = ['unpaid', 'part_paid', 'refund_due', 'refunded']

/** Whether the payment badge already says what the order's status would. */
export function isUnpaid(status: OrderStatus, balance: OrderBalance): boolean {
  return status === 'awaiting_payment' && balance.status === 'unpaid'
}

type PaymentBadgeProps = {
  balance: OrderBalance
  isPacker: boolean
  isCashOnDelivery?: boolean
}

/** Packers see no amounts, except one that is collected on delivery. */
export function PaymentBadge({ balance, isPacker, isCashOnDelivery = false }: PaymentBadgeProps) {
  if (isCashOnDelivery && balance.dueCents > 0)
    return <span className="mark mark--due">Collect {formatMoney(balance.dueCents)}</span>
  const isDue = HIGHLIGHTED_STATUSES.includes(balance.status)
  return (
    <span className={isDue ? 'mark mark--due' : 'mark'}>
      {isPacker ? PAYMENT_STATUS_LABELS[balance.status] : formatPaymentStatus(balance)}
    </span>
  )
}
