import type { ServiceContext } from '#server/context.ts'
import { isOpen, type PaymentRow } from '#server/payments/payment-attempts.ts'
import { getProblemMessage, getWaitingMessage } from '#server/payments/providers/registry.ts'
import { findSettledPayment, omitUncollectedCash } from '#server/payments/refunds.ts'
import { centsToKsh, formatMoney } from '#shared/format.ts'
import type { Order } from '#shared/orders/contract.ts'
import { NOTHING_LEFT_TO_PAY_MESSAGE, NOTHING_TO_PAY_MESSAGE } from '#shared/orders/payment-status.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { formatUnbrokenPhone } from '#shared/payments/payment.ts'
import {
  DEFAULT_METHOD,
  getProviderDescriptor,
  hasFlow,
  type PaymentMethod,
} from '#shared/payments/providers.ts'
import { calculateBalance, type OrderRecord, toOrder } from './order-record.ts'

/** How long after a prompt M-Pesa can reject another one for the same amount to the same phone. */
export const PROMPT_PAUSE_MS = 120_000

const POLL_INTERVALS = [
  { untilMs: 30_000, intervalMs: 2000 },
  { untilMs: PROMPT_PAUSE_MS, intervalMs: 4000 },
  { untilMs: 600_000, intervalMs: 15_000 },
] as const
const SLOWEST_POLL_INTERVAL_MS = 30_000

export function toOrderAndPayment(
  record: OrderRecord,
  ctx: ServiceContext,
): { order: Order; payment: PaymentState } {
  const payment = toPaymentState(record, ctx)
  const message = [payment.message, getPaybillInstructions(payment, ctx)].filter(Boolean).join('\n')
  return { order: toOrder(record), payment: { ...payment, message } }
}

function getPaybillInstructions(
  { number, status, dueCents }: Pick<PaymentState, 'number' | 'status' | 'dueCents'>,
  { content, payments: { providers } }: ServiceContext,
): string {
  if (!content.current().showsPaybillInstructions) return ''
  if (status !== 'waiting' && status !== 'failed') return ''
  const incoming = providers.map((provider) => provider.incoming).find((source) => source)
  return incoming?.instructions({ number, amount: formatMoney(dueCents) }) ?? ''
}

export function toPaymentState(
  record: OrderRecord,
  { clock, payments: { methods } }: ServiceContext,
): PaymentState {
  const { row, refunds } = record
  const payments = omitUncollectedCash(record.payments, refunds)
  const nowMs = clock()
  const { dueCents, refundDueCents } = calculateBalance(record)
  const attempts = listAttemptsSincePaid(payments)
  const last = attempts.at(-1)
  const openAttempt = attempts.findLast(
    (attempt) => isOpen(attempt) && !hasFlow(attempt.provider, 'on-delivery'),
  )
  const isUnpaid = dueCents > 0
  const settled = findSettledPayment(payments, refunds)
  const current = isUnpaid ? (openAttempt ?? last ?? settled) : (settled ?? openAttempt ?? last)
  const status = toPaymentStatus(row.status, { isUnpaid, hasOpenAttempt: openAttempt !== undefined })
  const declineMessage = openAttempt && last?.problem ? getProblemMessage(last.provider, last.problem) : ''
  const mismatchMessage = getMismatchMessage(
    status,
    formatMoney(dueCents || row.totalCents - row.creditedCents),
    payments,
  )
  const collected = { ...record, payments }
  const messageInput = {
    status,
    record: collected,
    payment: current,
    dueCents,
    isRefundDue: refundDueCents > 0,
    nowMs,
  }
  const isUndeliveredCash = row.isCashOnDelivery && isUnpaid && row.status !== 'delivered'
  const isPayingEarly = isUndeliveredCash && (openAttempt || last?.problem)
  const cashReminder = isPayingEarly ? 'Otherwise, you’ll pay the rider.' : ''
  const statusMessage = [declineMessage, getStatusMessage(messageInput), cashReminder]
    .filter(Boolean)
    .join('\n')
  return {
    number: row.number,
    status,
    message: mismatchMessage ?? statusMessage,
    provider: current?.provider ?? DEFAULT_METHOD,
    problem: status === 'failed' || (declineMessage && !mismatchMessage) ? (last?.problem ?? null) : null,
    totalCents: row.totalCents,
    dueCents,
    phone: current?.phone ?? null,
    redirectTo: status === 'waiting' ? (openAttempt?.redirectTo ?? null) : null,
    methods: isUnpaid
      ? methods.filter((method) => !hasFlow(method, 'on-delivery') && isAmountWithinLimits(method, dueCents))
      : [],
    pollInMs: status === 'waiting' && openAttempt ? getPollIntervalMs(nowMs - openAttempt.createdAtMs) : null,
    promptAgainInMs: isUnpaid && current?.phone ? getPromptCooldownMs(current, nowMs) : null,
    expiresInMs:
      row.status === 'awaiting_payment' && row.expiresAtMs && row.paidCents === 0
        ? Math.max(row.expiresAtMs - nowMs, 0)
        : null,
  }
}

export function listAttemptsSincePaid(payments: readonly PaymentRow[]): readonly PaymentRow[] {
  return payments.slice(payments.findLastIndex(({ state }) => state === 'settled') + 1)
}

export function getPromptCooldownMs({ createdAtMs, endedAtMs, state, problem }: PaymentRow, nowMs: number) {
  if (state !== 'declined') return Math.max(createdAtMs + PROMPT_PAUSE_MS - nowMs, 0)
  const mustWait = problem === 'same_amount'
  return mustWait ? Math.max((endedAtMs ?? createdAtMs) + PROMPT_PAUSE_MS - nowMs, 0) : 0
}

export function isAmountWithinLimits(method: PaymentMethod, amountCents: number): boolean {
  const { limitsKsh } = getProviderDescriptor(method)
  if (!limitsKsh || amountCents === 0) return true
  const amountKsh = centsToKsh(amountCents)
  return amountKsh >= limitsKsh.min && amountKsh <= limitsKsh.max
}

function toPaymentStatus(
  status: OrderRecord['row']['status'],
  { isUnpaid, hasOpenAttempt }: { isUnpaid: boolean; hasOpenAttempt: boolean },
): PaymentState['status'] {
  if (isUnpaid) return hasOpenAttempt ? 'waiting' : 'failed'
  return status === 'expired' || status === 'cancelled' ? status : 'paid'
}

function getPollIntervalMs(ageMs: number): number {
  return POLL_INTERVALS.find(({ untilMs }) => ageMs < untilMs)?.intervalMs ?? SLOWEST_POLL_INTERVAL_MS
}

export const PAID_TOO_LATE_MESSAGE =
  'Your payment arrived too late: by then, an item had sold out, a price had changed or the promo code had ended.'

const NOT_STARTED_MESSAGE = 'This order isn’t paid yet.'
const NOT_PAID_MESSAGE = 'The payment didn’t go through. You haven’t been charged.'

/** The usual message would tell shoppers who paid a different amount that they weren't charged. */
function getMismatchMessage(
  status: PaymentState['status'],
  amount: string,
  payments: OrderRecord['payments'],
): string | undefined {
  const isMismatch = payments.some(
    ({ problem, state }) => problem === 'amount_differs' && state !== 'settled',
  )
  if (!isMismatch || status === 'paid') return undefined
  return `We’ve received a payment that doesn’t match the amount due of ${amount}. We’re looking into it and will contact you.`
}

type StatusMessageInput = {
  status: PaymentState['status']
  record: OrderRecord
  payment: PaymentRow | undefined
  dueCents: number
  isRefundDue: boolean
  nowMs: number
}

function getStatusMessage({
  status,
  record,
  payment,
  dueCents,
  isRefundDue,
  nowMs,
}: StatusMessageInput): string {
  const { row, payments } = record
  const amount = formatMoney(dueCents || row.totalCents - row.creditedCents)
  const paidCents = payments.reduce(
    (sum, { state, amountCents }) => sum + (state === 'settled' ? amountCents : 0),
    0,
  )
  const paidAmount = formatMoney(paidCents)
  const refundStarted = `We’ve started a refund of ${paidAmount}.${row.email ? ' We’ll email you when it’s complete.' : ''}`
  switch (status) {
    case 'waiting':
      return payment ? toWaitingMessage(payment, amount, nowMs) : ''
    case 'failed':
      if (payment?.problem) return getProblemMessage(payment.provider, payment.problem)
      if (row.isCashOnDelivery && payment) return getOnDeliveryMessage(amount)
      if (row.status !== 'awaiting_payment') return `${amount} is still due for this order.`
      if (row.paidCents > row.refundCents)
        return `We’ve received ${formatMoney(row.paidCents - row.refundCents)}. ${amount} is still due for this order.`
      return payment ? NOT_PAID_MESSAGE : NOT_STARTED_MESSAGE
    case 'paid':
      if (row.totalCents === 0) return NOTHING_TO_PAY_MESSAGE
      if (row.creditedCents > 0 && payment?.state !== 'settled') return NOTHING_LEFT_TO_PAY_MESSAGE
      return payment
        ? `We’ve received your payment of ${amount}. Thank you!`
        : 'We’ve received your order. Thank you!'
    case 'expired':
      if (payment?.state === 'settled')
        return isRefundDue
          ? `${PAID_TOO_LATE_MESSAGE} ${refundStarted}`
          : `${PAID_TOO_LATE_MESSAGE} We’ve refunded ${paidAmount}.`
      return 'It wasn’t paid for in time. You haven’t been charged. If your payment does arrive, we’ll either go ahead with your order or refund you.'
    case 'cancelled':
      if (row.totalCents === 0 && paidCents === 0) return 'You haven’t been charged.'
      if (payment?.state !== 'settled')
        return 'You haven’t been charged. If a payment still arrives, we’ll refund it.'
      return isRefundDue ? refundStarted : `We’ve refunded ${paidAmount}.`
  }
}

function getOnDeliveryMessage(amount: string): string {
  const attempt = { amount, phone: null, redirectTo: null, isUnknown: false, ageMs: 0 }
  return getWaitingMessage('cash-on-delivery', attempt)
}

function toWaitingMessage(
  { provider, state, createdAtMs, ...attempt }: PaymentRow,
  amount: string,
  nowMs: number,
) {
  const { phone, redirectTo } = attempt
  const ageMs = nowMs - createdAtMs
  return getWaitingMessage(provider, { amount, phone, redirectTo, isUnknown: state === 'unknown', ageMs })
}

/**
 * A signed link may have been forwarded, so its holder sees neither the idempotency key nor the email address, and only
 * the end of the phone number.
 */
export function redactForLinkHolder({ order, payment }: { order: Order; payment: PaymentState }) {
  const { phone, message } = payment
  const local = formatUnbrokenPhone(phone ?? '')
  return {
    // The page only checks whether there is an address.
    order: { ...order, key: '', email: order.email && '•••' },
    payment: {
      ...payment,
      phone: null,
      message: local ? message.replaceAll(local, `••••\u00a0•••\u00a0${local.slice(-3)}`) : message,
    },
  }
}
