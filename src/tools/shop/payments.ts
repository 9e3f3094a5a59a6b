import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { changeRefund, requestRefund } from '#server/orders/request-refund.ts'
import { type ListedPayment, listPayments } from '#server/payments/list-payments.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'
import { MANUAL_PAYMENT_TYPES } from '#shared/payments/providers.ts'
import { OFFICE_REFUND_REASONS } from '#shared/payments/refunds.ts'
import { ToolError } from '../command.ts'
import { actor, parseChoice, parseDay, type ShopCommand, unwrapResult } from './shop-command.ts'
import { formatTable } from './table.ts'

export const listPaymentsCommand: ShopCommand = {
  usage: '[--day today]',
  summary: 'payments that need attention (open or refund due); with --day, everything received that day',
  async run({ options }, ctx) {
    const day = options.day === undefined ? undefined : parseDay(options.day, ctx.clock())
    const payments = await listPayments({ period: day }, ctx)
    const empty = day ? 'No payments received that day.' : 'No payments need attention.'
    return { text: formatPaymentTable(payments, empty), json: payments }
  },
}

export const requestRefundCommand: ShopCommand = {
  usage: `<number> [--amount 500] [--reason ${OFFICE_REFUND_REASONS.join('|')}] [--done]`,
  summary:
    "refund a payment on the next run, in full or --amount in KSH; --done: you've already made the open refund manually",
  async run({ positionals: [word = ''], options }, ctx) {
    const number = word.trim().toUpperCase()
    if (options.done !== undefined) {
      const completed = await changeRefund({ number, change: 'complete', actor }, ctx)
      const { amountCents, id } = unwrapResult(completed, number)
      const text = `Marked ${formatMoney(amountCents)} for order ${number} as refunded.`
      return { text, json: { number, refund: id, state: 'done' } }
    }
    const amountCents = options.amount === undefined ? undefined : kshToCents(Number(options.amount))
    const reason = parseChoice('reason', options.reason, OFFICE_REFUND_REASONS)
    const requested = await requestRefund({ number, amountCents, reason, actor }, ctx)
    // If nothing is left to refund, a failed refund is restarted.
    const isNothingLeft = !requested.ok && requested.error.code === 'refund_not_possible'
    const refundResult = isNothingLeft
      ? await changeRefund({ number, change: 'restart', actor }, ctx)
      : requested
    const { amountCents: cents } = unwrapResult(refundResult, number)
    const text = `Requested a refund of ${formatMoney(cents)} for order ${number}. On its next run, within five minutes, the shop starts it or asks you to make it manually.`
    return { text, json: { number, amountCents: cents, state: 'due' } }
  },
}

export const recordPaymentCommand: ShopCommand = {
  usage: `<number> --by ${MANUAL_PAYMENT_TYPES.join('|')} [--reference …]`,
  summary: 'record that the amount due was paid another way; takes effect on the next run',
  async run({ positionals: [number = ''], options: { by, reference: entered = '' } }, ctx) {
    const type = parseChoice('payment type', by, MANUAL_PAYMENT_TYPES)
    if (!type) throw new ToolError(`Choose how it was paid: --by ${MANUAL_PAYMENT_TYPES.join(', --by ')}.`)
    const recorded = await recordManualPayment({ number, type, reference: entered, actor }, ctx)
    const { order, amountCents, reference } = unwrapResult(recorded, number)
    const referenceText = reference === null ? '' : `, reference ${reference}`
    return {
      text: `Recorded ${formatMoney(amountCents)} for order ${order.number}${referenceText}. The payment takes effect on the shop's next run, within five minutes.`,
      json: { number: order.number, amountCents, reference },
    }
  },
}

type Row = Omit<ListedPayment, 'number'> & { number?: string }

export function formatPaymentTable(rows: readonly Row[], empty = 'No payment attempts yet.'): string {
  return formatTable(
    rows,
    {
      ...(rows.some(({ number }) => number) && { Order: ({ number = '' }: Row) => number }),
      Started: 'createdAtMs',
      By: 'provider',
      State: 'state',
      Amount: 'amountCents',
      Receipt: 'receipt',
      Reference: 'reference',
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
