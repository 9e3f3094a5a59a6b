import type { ServiceContext } from '#server/context.ts'
import { acceptedPayment, isOpen, type PaymentRow } from '#server/payments/attempts.ts'
import { formatKsh, kshOf } from '#shared/format.ts'
import type { Order } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { localPhone, MPESA_LIMITS_KSH, type PaymentProviderName } from '#shared/payments/payment.ts'
import { type OrderRecord, orderOf } from './order-record.ts'

/** How long one phone is left alone after a prompt; M-Pesa itself refuses the same amount for as long. */
export const PROMPT_PAUSE_MS = 120_000
/** A prompt without an answer by then was probably not received. */
const PROMPT_USUAL_MS = 60_000

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
  return { order: orderOf(row, lines, payments), payment: paymentStateOf(record, ctx) }
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
    provider: shown?.provider ?? 'simulated',
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

function canPay(way: PaymentProviderName, totalCents: number): boolean {
  return way !== 'mpesa' || kshOf(totalCents) <= MPESA_LIMITS_KSH.most
}

function statusOf(status: OrderRecord['row']['status'], isWaiting: boolean): PaymentState['status'] {
  if (status === 'awaiting_payment') return isWaiting ? 'waiting' : 'failed'
  return status === 'expired' || status === 'cancelled' ? status : 'paid'
}

function pollInMs(ageMs: number): number {
  return POLLS.find(({ untilMs }) => ageMs < untilMs)?.pollInMs ?? SLOWEST_POLL_MS
}

function messageOf(
  status: PaymentState['status'],
  { totalCents }: OrderRecord['row'],
  payment: PaymentRow | undefined,
  nowMs: number,
): string {
  const amount = formatKsh(kshOf(totalCents))
  switch (status) {
    case 'waiting':
      return payment ? waitingMessage(payment, amount, nowMs) : ''
    case 'failed':
      return payment?.message ?? 'The payment did not go through. Nothing was charged.'
    case 'paid':
      return payment ? `Your payment of ${amount} has arrived. Thank you!` : 'Your order is placed.'
    case 'expired':
      if (payment?.state === 'settled')
        return payment.refundState === 'done'
          ? `When your payment arrived, this order could no longer be placed, and ${amount} was given back to you.`
          : `When your payment arrived, this order could no longer be placed. We are giving ${amount} back to you.`
      return 'This order was not paid in time and has expired. Nothing was charged. If your money arrives after all, we place the order or give the money back.'
    case 'cancelled':
      if (payment?.state !== 'settled')
        return 'This order was cancelled. Nothing was charged. If you still pay, we give the money back.'
      return payment.refundState === 'done'
        ? `This order was cancelled, and ${amount} was given back to you.`
        : `This order was cancelled. We are giving ${amount} back to you.`
  }
}

function waitingMessage(
  { provider, phone, state, redirectTo, createdAtMs }: PaymentRow,
  amount: string,
  nowMs: number,
) {
  if (provider === 'paystack')
    return redirectTo
      ? `Please pay ${amount} on Paystack’s page.`
      : 'Paystack has not opened its page for your payment yet. Nothing was charged. Please wait a moment, or pay another way.'
  if (provider !== 'mpesa') return 'Your payment is on its way.'
  const number = localPhone(phone ?? '')
  if (state === 'unknown')
    return `M-Pesa has not confirmed the prompt to ${number}. If it appears, enter your PIN to pay ${amount}. Otherwise send it again, or pay another way.`
  const ask = `Check your phone ${number} and enter your M-Pesa PIN to pay ${amount}.`
  return nowMs - createdAtMs < PROMPT_USUAL_MS
    ? ask
    : `${ask} If no prompt has come, send it again, or pay another way.`
}
