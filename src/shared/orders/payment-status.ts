import { formatMoney } from '#shared/format.ts'
import { getProviderDescriptor, type PaymentProviderName } from '#shared/payments/providers.ts'
import { isCreditReason, type RefundReason, type RefundState } from '#shared/payments/refunds.ts'
import type { OrderStatus } from './order-status.ts'

export const ORDER_PAYMENT_STATUSES = [
  'unpaid',
  'part_paid',
  'paid',
  'refund_due',
  'partly_refunded',
  'refunded',
] as const
export type OrderPaymentStatus = (typeof ORDER_PAYMENT_STATUSES)[number]

export type OrderBalance = {
  status: OrderPaymentStatus
  /** The amount received, before refunds. Cash that wasn't collected after all counts as neither. */
  paidCents: number
  refundedCents: number
  /** Refunds that aren't complete, plus any amount paid beyond the order's cost that isn't being refunded yet. */
  refundDueCents: number
  dueCents: number
}

type OrderBalanceInput = {
  order: { status: OrderStatus; totalCents: number; creditedCents: number }
  payments: readonly { state: string; amountCents: number }[]
  refunds: readonly { state: RefundState; reason: RefundReason; amountCents: number }[]
}

export function calculateOrderBalance({ order, payments, ...all }: OrderBalanceInput): OrderBalance {
  const isClosed = order.status === 'cancelled' || order.status === 'expired'
  const refunds = all.refunds.filter(({ reason }) => reason !== 'not_collected')
  const uncollectedCents = sum(all.refunds) - sum(refunds)
  const paidCents = sum(payments.filter(({ state }) => state === 'settled')) - uncollectedCents
  const requestedCents = sum(refunds)
  const refundedCents = sum(refunds.filter(({ state }) => state === 'done'))
  const creditCents = order.creditedCents + sum(refunds.filter(({ reason }) => isCreditReason(reason)))
  const owedCents = isClosed ? 0 : Math.max(order.totalCents - creditCents, 0)
  const balanceCents = owedCents - (paidCents - requestedCents)
  const dueCents = Math.max(balanceCents, 0)
  const refundDueCents = requestedCents - refundedCents + Math.max(-balanceCents, 0)
  const sums = { paidCents, refundedCents, refundDueCents, dueCents }
  return { status: getPaymentStatus(sums, { order, isClosed, refunds }), ...sums }
}

function getPaymentStatus(
  { paidCents, refundedCents, refundDueCents, dueCents }: Omit<OrderBalance, 'status'>,
  { order, isClosed, refunds }: Pick<OrderBalanceInput, 'order' | 'refunds'> & { isClosed: boolean },
): OrderPaymentStatus {
  if (refundDueCents > 0) return 'refund_due'
  if (dueCents > 0) return paidCents > refundedCents ? 'part_paid' : 'unpaid'
  if (paidCents === 0) return isClosed || order.creditedCents > 0 ? 'unpaid' : 'paid'
  // An edit can make an order free, which refunds all that was paid. It still has to be packed.
  if (paidCents === refundedCents) return isClosed || order.totalCents > 0 ? 'refunded' : 'paid'
  return refunds.some(({ reason }) => isCreditReason(reason)) ? 'partly_refunded' : 'paid'
}

const sum = (rows: readonly { amountCents: number }[]) =>
  rows.reduce((total, { amountCents }) => total + amountCents, 0)

export const PAYMENT_STATUS_LABELS: Record<OrderPaymentStatus, string> = {
  unpaid: 'Not paid',
  part_paid: 'Partly paid',
  paid: 'Paid',
  refund_due: 'Refund due',
  partly_refunded: 'Partly refunded',
  refunded: 'Refunded',
}

export function formatPaymentStatus({ status, refundDueCents, dueCents }: OrderBalance): string {
  if (status === 'part_paid') return `${formatMoney(dueCents)} due`
  const name = PAYMENT_STATUS_LABELS[status]
  return status === 'refund_due' ? `${name}: ${formatMoney(refundDueCents)}` : name
}

/** Counts refunds in progress too. */
export function isFullyRefunded({ status, paidCents, refundedCents, refundDueCents }: OrderBalance): boolean {
  return status !== 'paid' && paidCents > 0 && paidCents === refundedCents + refundDueCents
}

/** Returns why an order needs a confirmation before it is packed or sent. */
export function findPackingProblem(balance: OrderBalance): string | undefined {
  const { refundedCents, refundDueCents, dueCents } = balance
  if (isFullyRefunded(balance))
    return refundDueCents > 0
      ? `A refund of ${formatMoney(refundDueCents)} for this order is in progress.`
      : `${formatMoney(refundedCents)} of this order has been refunded.`
  return dueCents > 0 ? `${formatMoney(dueCents)} of this order hasn’t been paid.` : undefined
}

export const NOTHING_TO_PAY_MESSAGE = 'There’s nothing to pay.'
export const NOTHING_LEFT_TO_PAY_MESSAGE = 'There’s nothing left to pay for this order.'

type PaidOrder = {
  totals: { totalCents: number }
  card: { brand: string; lastFour: string } | null
  payment: { provider: PaymentProviderName; receipt: string | null } | null
  balance: OrderBalance
}

export function listPaymentLines({ totals, card, payment, balance }: PaidOrder): string[] {
  if (!payment) return card ? [formatCardLine(card)] : []
  if (totals.totalCents === 0 && balance.paidCents === 0) return [NOTHING_TO_PAY_MESSAGE]
  const { provider, receipt } = payment
  const { flow, label } = getProviderDescriptor(provider)
  const paymentLine =
    flow === 'card' && card ? formatCardLine(card) : `${label}: ${receipt ? `receipt ${receipt}` : 'paid'}`
  return [paymentLine, ...listBalanceLines(balance)]
}

export function listBalanceLines({
  paidCents,
  refundedCents,
  refundDueCents,
  dueCents,
}: OrderBalance): string[] {
  return [
    ...(dueCents > 0 && paidCents > refundedCents ? [`${formatMoney(dueCents)} still to pay`] : []),
    ...(refundedCents > 0 ? [`${formatMoney(refundedCents)} refunded`] : []),
    ...(refundDueCents > 0 ? [`Refund of ${formatMoney(refundDueCents)} in progress`] : []),
  ]
}

function formatCardLine({ brand, lastFour }: { brand: string; lastFour: string }): string {
  return `Card: ${brand} ending in ${lastFour}`
}
