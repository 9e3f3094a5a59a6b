import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { changeRefund } from '#server/orders/request-refund.ts'
import { listPayments as listRows } from '#server/payments/list-payments.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import type { ServiceError } from '#server/platform/result.ts'
import { errors } from '#shared/errors.ts'
import { formatMoney } from '#shared/format.ts'
import { ToolError } from '../command.ts'
import { dayFrom } from './day.ts'
import type { ShopCommand } from './shop-command.ts'
import { formatDateTime, table } from './table.ts'

export const listPayments: ShopCommand = {
  usage: 'payments [list] [--day today]',
  summary: 'payments that need attention (open or refund due); with --day, everything received that day',
  words: [0, 0],
  options: { day: { type: 'string' } },
  async run({ options }, ctx) {
    const day = options.day === undefined ? undefined : dayFrom(options.day, ctx.clock())
    const found = await listRows({ period: day }, ctx)
    const empty = day ? 'No money came in.' : 'No payment needs attention.'
    return { text: paymentTable(found, empty), json: found }
  },
}

export const refundOrder: ShopCommand = {
  usage: 'refund <number> [--done]',
  summary: "refund an order's payment at the next run; --done: it was refunded by hand",
  words: [1, 1],
  options: { done: { type: 'boolean' } },
  async run({ words: [number = ''], options }, context) {
    const change = options.done === undefined ? 'refund' : 'complete'
    const name = number.trim().toUpperCase()
    const changed = await changeRefund({ number, change, actor: COMMAND_LINE }, context)
    if (!changed.ok) throw refused(changed.error, number)
    const { amountCents, id } = changed.data
    const amount = formatMoney(amountCents)
    const text =
      change === 'complete'
        ? `Marked ${amount} for order ${name} as refunded.`
        : `The shop will refund ${amount} for order ${name} at its next run, within five minutes.`
    return { text, json: { number: name, payment: id, refundState: change === 'complete' ? 'done' : 'due' } }
  },
}

export const recordPaid: ShopCommand = {
  usage: 'paid <number> --receipt <receipt>',
  summary: 'record a payment made another way; the order is placed at the next run',
  words: [1, 1],
  options: { receipt: { type: 'string' } },
  async run({ words: [number = ''], options: { receipt = '' } }, context) {
    const recorded = await recordManualPayment({ number, receipt, actor: COMMAND_LINE }, context)
    if (!recorded.ok) throw refused(recorded.error, number)
    const { order, receipt: proof } = recorded.data
    return {
      text: `Recorded ${formatMoney(order.totalCents)} for order ${order.number}, receipt ${proof}. The order will be placed at the shop's next run, within five minutes.`,
      json: { number: order.number, receipt: proof },
    }
  },
}

/** What the operator reads of a payment that was not changed. */
function refused({ code, message }: ServiceError, number: string): ToolError {
  return code === 'not_found' ? unknownOrder(number) : new ToolError(message ?? errors[code].message)
}

/** The refusal of a number that no order has. */
export function unknownOrder(number: string): ToolError {
  return new ToolError(`No order ${number}. List the latest: npm run shop -- orders`)
}

type ListedPayment = Omit<PaymentRow, 'callbackHash'> & { number?: string }

/** Payments as a table, with their orders' numbers where they have them. */
export function paymentTable(rows: readonly ListedPayment[], empty = 'No payment attempts yet.'): string {
  return table(
    rows,
    [
      ...(rows.some(({ number }) => number)
        ? [{ heading: 'Order', text: ({ number = '' }: ListedPayment) => number }]
        : []),
      { heading: 'Begun', text: ({ createdAtMs }) => formatDateTime(createdAtMs) },
      { heading: 'By', text: ({ provider }) => provider },
      { heading: 'State', text: ({ state }) => state },
      { heading: 'Amount', text: ({ amountCents }) => formatMoney(amountCents), isFigure: true },
      { heading: 'Receipt', text: ({ receipt }) => receipt ?? '-' },
      { heading: 'Reference', text: ({ reference }) => reference ?? '-' },
      { heading: 'Refund', text: ({ refundState }) => refundState?.replace('_', ' ') ?? '-' },
      {
        heading: 'Reason',
        text: ({ refundError, error, problem }) => refundError ?? error ?? problem ?? '-',
      },
    ],
    empty,
  )
}
