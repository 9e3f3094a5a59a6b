import { readLatestContent } from '#server/content/edit-content.ts'
import { editOrder } from '#server/orders/edit-order.ts'
import { placeOfficeOrder } from '#server/orders/place-office-order.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { newId } from '#server/platform/crypto.ts'
import { formatServiceError } from '#server/platform/result.ts'
import { centsToKsh, formatMoney } from '#shared/format.ts'
import type { RequestedLine } from '#shared/orders/edited-lines.ts'
import { EDITABLE_FIELDS } from '#shared/orders/fields.ts'
import type { OfficeOrderValues } from '#shared/orders/office-order.ts'
import {
  DEFAULT_PAYMENT_LINK_HOURS,
  OFFICE_ORDER_FIELDS,
  PAYMENT_LINK_HOURS,
} from '#shared/orders/office-order.ts'
import { MANUAL_PAYMENT_TYPES } from '#shared/payments/providers.ts'
import { formatDateTime } from '#shared/time.ts'
import { ToolError } from '../command.ts'
import { actor, parseChoice, type ShopCommand, unwrapResult } from './shop-command.ts'

function toOptionName(field: string): string {
  return field === 'state' ? 'county' : field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

export const createOrderCommand: ShopCommand = {
  usage:
    '--items 107:2,5:1 --first-name "…" --phone "…" --address "…" [--county Nairobi] [--last-name "…"] [--email …] [--address2 "…"] [--landmark "…"] [--gift-note "…"] [--method pickup] [--promo CODE] [--hours 24] [--paid cash|till|bank | --on-delivery] [--reference …]',
  summary: 'create an order for a customer on the phone; the office shows its payment link',
  async run({ options }, context) {
    const content = await readLatestContent(context)
    const ctx = { ...context, content: { current: () => content } }
    const values = OFFICE_ORDER_FIELDS.map((field) => [field, options[toOptionName(field)] ?? ''])
    const paid = parseChoice('payment type', options.paid, MANUAL_PAYMENT_TYPES)
    const paysOnDelivery = options['on-delivery'] !== undefined
    if (paid && paysOnDelivery) throw new ToolError('Use either --paid or --on-delivery.')
    const order = {
      key: newId(ctx),
      values: Object.fromEntries([...values, ['state', options.county ?? 'Nairobi']]) as OfficeOrderValues,
      method: parseChoice('method', options.method, ['pickup', 'delivery']) ?? 'delivery',
      lines: parseItems(options.items ?? ''),
      promoCode: (options.promo ?? '').toUpperCase(),
      hours: parseChoice('number of hours', options.hours, PAYMENT_LINK_HOURS) ?? DEFAULT_PAYMENT_LINK_HOURS,
      paysOnDelivery,
      actor,
    }
    // The total is wrong on purpose, because the rejection contains the correct one.
    const quote = await placeOfficeOrder({ ...order, expectedTotalKsh: 0 }, ctx)
    const quotedCents = quote.ok ? 0 : readQuotedTotalCents(quote.error.details)
    const placed = quotedCents
      ? await placeOfficeOrder({ ...order, expectedTotalKsh: centsToKsh(quotedCents) }, ctx)
      : quote
    const { number, totalCents, expiresAtMs } = unwrapResult(placed).record.row
    const created = `Order ${number} created: ${formatMoney(totalCents)}`
    const reference = options.reference ?? ''
    const payment = paid && (await recordManualPayment({ number, type: paid, reference, actor }, ctx))
    if (payment && !payment.ok)
      throw new ToolError(`${created}, but its payment wasn't recorded. ${formatServiceError(payment.error)}`)
    const deadline = paysOnDelivery ? 'on delivery' : `by ${formatDateTime(expiresAtMs ?? 0)}`
    const terms = paid ? 'paid' : `to be paid ${deadline}`
    return { text: `${created}, ${terms}.`, json: { number, totalCents } }
  },
}

function readQuotedTotalCents(details: Readonly<Record<string, unknown>> | undefined): number | undefined {
  return (details as { totals?: { totalCents: number } } | undefined)?.totals?.totalCents
}

export const editOrderCommand: ShopCommand = {
  usage: '<number> [--items 107:2,5:1] [--address "…"] [--phone "…"] [--landmark "…"] [--gift-note "…"]',
  summary: "change an order that hasn't been sent; --items lists every item number and its quantity",
  async run({ positionals: [number = ''], options }, ctx) {
    const entered = EDITABLE_FIELDS.map((field) => [field, options[toOptionName(field)]] as const)
    const fields = Object.fromEntries(entered.filter(([, text]) => text !== undefined))
    const lines = options.items === undefined ? {} : { lines: parseItems(options.items) }
    const { row } = unwrapResult(await editOrder({ number, fields, ...lines, actor }, ctx), number)
    return {
      text: `Order ${row.number} changed. Its total is ${formatMoney(row.totalCents)}.`,
      json: { number: row.number, totalCents: row.totalCents },
    }
  },
}

export function parseItems(text: string): RequestedLine[] {
  return text.split(',').map((part) => {
    const [, id, qty] = /^\s*(\d{1,15}):(\d{1,2})\s*$/.exec(part) ?? []
    if (!id || !qty) throw new ToolError(`--items must look like 107:2,5:1, not "${text}".`)
    return { id: Number(id), qty: Number(qty) }
  })
}
