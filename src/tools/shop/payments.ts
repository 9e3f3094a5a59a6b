import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { changeRefund, requestRefund } from '#server/orders/request-refund.ts'
import { listPayments as listRows } from '#server/payments/list-payments.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import type { RefundRow } from '#server/payments/refunds.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import type { ServiceError } from '#server/platform/result.ts'
import { kshToCents } from '#shared/checkout/pricing.ts'
import { errors } from '#shared/errors.ts'
import { formatMoney } from '#shared/format.ts'
import { MANUAL_PAYMENT_TYPES } from '#shared/payments/providers.ts'
import { OFFICE_REFUND_REASONS } from '#shared/payments/refunds.ts'
import { ToolError } from '../command.ts'
import { parseDay } from './day.ts'
import type { ShopCommand } from './shop-command.ts'
import { formatDateTime, table } from './table.ts'

export const listPayments: ShopCommand = {
  usage: 'payments [list] [--day today]',
  summary: 'payments that need attention (open or refund due); with --day, everything received that day',
  words: [0, 0],
  options: { day: { type: 'string' } },
  async run({ options }, ctx) {
    const day = options.day === undefined ? undefined : parseDay(options.day, ctx.clock())
    const payments = await listRows({ period: day }, ctx)
    const empty = day ? 'No payments received that day.' : 'No payments need attention.'
    return { text: paymentTable(payments, empty), json: payments }
  },
}

export const refundOrder: ShopCommand = {
  usage: `orders refund <number> [--amount 500] [--reason ${OFFICE_REFUND_REASONS.join('|')}] [--done]`,
  summary:
    'refund a payment at the next run, in full or --amount in KSH; --done: you’ve already made the open refund by hand',
  words: [1, 1],
  options: { amount: { type: 'string' }, reason: { type: 'string' }, done: { type: 'boolean' } },
  async run({ words: [number = ''], options }, context) {
    const name = number.trim().toUpperCase()
    if (options.done !== undefined) {
      const changed = await changeRefund({ number, change: 'complete', actor: COMMAND_LINE }, context)
      if (!changed.ok) throw toToolError(changed.error, number)
      const { amountCents, id } = changed.data
      const text = `Marked ${formatMoney(amountCents)} for order ${name} as refunded.`
      return { text, json: { number: name, refund: id, state: 'done' } }
    }
    const amountCents = options.amount === undefined ? undefined : kshToCents(Number(options.amount))
    const reason = parseReason(options.reason)
    const requested = await requestRefund({ number, amountCents, reason, actor: COMMAND_LINE }, context)
    // Everything has been requested: retry what failed.
    const isExhausted = !requested.ok && requested.error.code === 'refund_not_possible'
    const started = isExhausted
      ? await changeRefund({ number, change: 'restart', actor: COMMAND_LINE }, context)
      : requested
    if (!started.ok) throw toToolError(started.error, number)
    const { amountCents: cents } = started.data
    const text = `The shop will refund ${formatMoney(cents)} for order ${name} at its next run, within five minutes.`
    return { text, json: { number: name, amountCents: cents, state: 'due' } }
  },
}

function parseReason(word: string | undefined) {
  const reason = OFFICE_REFUND_REASONS.find((name) => name === word)
  if (reason || word === undefined) return reason
  throw new ToolError(`"${word}" isn't a reason. Use one of: ${OFFICE_REFUND_REASONS.join(', ')}.`)
}

export const recordPaid: ShopCommand = {
  usage: `paid <number> --by ${MANUAL_PAYMENT_TYPES.join('|')} [--reference <receipt>]`,
  summary: 'record that the amount due was paid another way; takes effect at the next run',
  words: [1, 1],
  options: { by: { type: 'string' }, reference: { type: 'string' } },
  async run({ words: [number = ''], options: { by, reference: entered = '' } }, context) {
    const type = MANUAL_PAYMENT_TYPES.find((name) => name === by)
    if (!type) throw new ToolError(`Say how it was paid: --by ${MANUAL_PAYMENT_TYPES.join(', --by ')}.`)
    const input = { number, type, reference: entered, actor: COMMAND_LINE }
    const recorded = await recordManualPayment(input, context)
    if (!recorded.ok) throw toToolError(recorded.error, number)
    const { order, amountCents, reference } = recorded.data
    const proof = reference === null ? '' : `, reference ${reference}`
    return {
      text: `Recorded ${formatMoney(amountCents)} for order ${order.number}${proof}. The payment takes effect at the shop's next run, within five minutes.`,
      json: { number: order.number, amountCents, reference },
    }
  },
}

function toToolError({ code, message }: ServiceError, number: string): ToolError {
  return code === 'not_found' ? unknownOrder(number) : new ToolError(message ?? errors[code].message)
}

export function unknownOrder(number: string): ToolError {
  return new ToolError(`No order ${number}. List the latest: npm run shop -- orders`)
}

type ListedPayment = Omit<PaymentRow, 'callbackHash'> & {
  number?: string
  refunds: readonly Omit<RefundRow, 'callbackHash'>[]
}

export function paymentTable(rows: readonly ListedPayment[], empty = 'No payment attempts yet.'): string {
  return table(
    rows,
    {
      ...(rows.some(({ number }) => number) && { Order: ({ number = '' }: ListedPayment) => number }),
      Started: ({ createdAtMs }) => formatDateTime(createdAtMs),
      By: ({ provider }) => provider,
      State: ({ state }) => state,
      Amount: ({ amountCents }) => formatMoney(amountCents),
      Receipt: ({ receipt }) => receipt ?? '-',
      Reference: ({ reference }) => reference ?? '-',
      Refunds: ({ refunds }) =>
        refunds
          .map(({ amountCents, state }) => `${formatMoney(amountCents)} ${state.replace('_', ' ')}`)
          .join(', ') || '-',
      Reason: ({ refunds, error, problem }) =>
        refunds.find((refund) => refund.error)?.error ?? error ?? problem ?? '-',
    },
    empty,
  )
}
