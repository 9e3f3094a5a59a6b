import type { ServiceContext } from '#server/context.ts'
import { acceptedPayment, isOpen, type PaymentRow } from '#server/payments/attempts.ts'
import { problemMessage, waitingMessage } from '#server/payments/providers/registry.ts'
import { centsToKsh, formatKsh } from '#shared/format.ts'
import type { Order } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { DEFAULT_METHOD, descriptorOf, type PaymentMethod } from '#shared/payments/providers.ts'
import { type OrderRecord, toOrder } from './order-record.ts'

/** The least time between two prompts to one phone; M-Pesa itself refuses the same amount for as long. */
export const PROMPT_PAUSE_MS = 120_000

/** When to ask again, by how long the attempt has been waiting. */
const POLLS = [
  { untilMs: 30_000, pollInMs: 2000 },
  { untilMs: PROMPT_PAUSE_MS, pollInMs: 4000 },
  { untilMs: 600_000, pollInMs: 15_000 },
] as const
const SLOWEST_POLL_MS = 30_000

/** The answer of every call about one order and its payment. */
export function orderAndPayment(
  record: OrderRecord,
  ctx: ServiceContext,
): { order: Order; payment: PaymentState } {
  const { row, lines, payments } = record
  return { order: toOrder(row, lines, payments), payment: paymentStateOf(record, ctx) }
}

/** The state of an order's payment, for the shopper. */
export function paymentStateOf(
  { row, payments }: OrderRecord,
  { clock, payments: { ways } }: ServiceContext,
): PaymentState {
  const nowMs = clock()
  const last = payments.at(-1)
  const open = payments.findLast(isOpen)
  const shown = acceptedPayment(payments) ?? open ?? last
  const isAwaiting = row.status === 'awaiting_payment'
  const status = statusOf(row.status, open !== undefined)
  return {
    number: row.number,
    status,
    message: messageOf(status, row, shown, nowMs),
    provider: shown?.provider ?? DEFAULT_METHOD,
    problem: status === 'failed' ? (last?.problem ?? null) : null,
    totalCents: row.totalCents,
    phone: shown?.phone ?? null,
    redirectTo: status === 'waiting' ? (open?.redirectTo ?? null) : null,
    ways: isAwaiting ? ways.filter((way) => canPay(way, row.totalCents)) : [],
    pollInMs: status === 'waiting' && open ? pollInMs(nowMs - open.createdAtMs) : null,
    promptAgainInMs: isAwaiting && last?.phone ? promptAgainInMs(last, nowMs) : null,
    expiresInMs: isAwaiting && row.expiresAtMs ? Math.max(row.expiresAtMs - nowMs, 0) : null,
  }
}

/** How long the phone of an attempt cannot be prompted again; 0 for not at all. */
export function promptAgainInMs({ createdAtMs, endedAtMs, state, problem }: PaymentRow, nowMs: number) {
  if (state !== 'declined') return Math.max(createdAtMs + PROMPT_PAUSE_MS - nowMs, 0)
  const isTooSoon = problem === 'same_amount'
  return isTooSoon ? Math.max((endedAtMs ?? createdAtMs) + PROMPT_PAUSE_MS - nowMs, 0) : 0
}

function canPay(way: PaymentMethod, totalCents: number): boolean {
  const { limitsKsh } = descriptorOf(way)
  return !limitsKsh || centsToKsh(totalCents) <= limitsKsh.most
}

function statusOf(status: OrderRecord['row']['status'], isWaiting: boolean): PaymentState['status'] {
  if (status === 'awaiting_payment') return isWaiting ? 'waiting' : 'failed'
  return status === 'expired' || status === 'cancelled' ? status : 'paid'
}

function pollInMs(ageMs: number): number {
  return POLLS.find(({ untilMs }) => ageMs < untilMs)?.pollInMs ?? SLOWEST_POLL_MS
}

const NOT_PAID = 'The payment didn’t go through. You haven’t been charged.'

function messageOf(
  status: PaymentState['status'],
  { totalCents }: OrderRecord['row'],
  payment: PaymentRow | undefined,
  nowMs: number,
): string {
  const amount = formatKsh(centsToKsh(totalCents))
  switch (status) {
    case 'waiting':
      return payment ? waitingMessageOf(payment, amount, nowMs) : ''
    case 'failed':
      return payment?.problem ? problemMessage(payment.provider, payment.problem) : NOT_PAID
    case 'paid':
      return payment ? `We’ve received your payment of ${amount}. Thank you!` : 'Your order is placed.'
    case 'expired':
      if (payment?.state === 'settled')
        return payment.refundState === 'done'
          ? `Your payment arrived too late for this order, so we refunded ${amount}.`
          : `Your payment arrived too late for this order. We’ve started a refund of ${amount}.`
      return 'This order expired because it wasn’t paid in time. You haven’t been charged. If your payment still arrives, we’ll place the order or refund you.'
    case 'cancelled':
      if (payment?.state !== 'settled')
        return 'This order was cancelled. You haven’t been charged. If you still pay, we’ll refund you.'
      return payment.refundState === 'done'
        ? `This order was cancelled, and we refunded ${amount}.`
        : `This order was cancelled. We’ve started a refund of ${amount}.`
  }
}

function waitingMessageOf(
  { provider, state, createdAtMs, ...attempt }: PaymentRow,
  amount: string,
  nowMs: number,
) {
  const { phone, redirectTo } = attempt
  const ageMs = nowMs - createdAtMs
  return waitingMessage(provider, { amount, phone, redirectTo, isUnknown: state === 'unknown', ageMs })
}
