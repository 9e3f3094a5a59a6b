import { latestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { latestContent } from '#server/content/edit-content.ts'
import { placeOfficeOrder } from '#server/orders/place-office-order.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import { newId } from '#server/platform/crypto.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { deliveryTerms } from '#shared/checkout/delivery.ts'
import { errors } from '#shared/errors.ts'
import { centsToKsh, formatMoney } from '#shared/format.ts'
import {
  DEFAULT_PAYMENT_LINK_HOURS,
  OFFICE_ORDER_FIELDS,
  type OfficeOrderValues,
  PAYMENT_LINK_HOURS,
} from '#shared/orders/office-order.ts'
import { MANUAL_PAYMENT_TYPES } from '#shared/payments/providers.ts'
import { delivery } from '#shared/shop.ts'
import { formatDateTime } from '#shared/time.ts'
import catalogueFile from '../../../public/Items.json' with { type: 'json' }
import { ToolError } from '../command.ts'
import { parseItems } from './edit-order.ts'
import type { ShopCommand } from './shop-command.ts'

const optionName = (field: string) =>
  field === 'state' ? 'county' : field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const OPTIONS = [
  ...['items', 'method', 'promo', 'hours', 'paid', 'reference'],
  ...OFFICE_ORDER_FIELDS.map(optionName),
]

export const createOrderCommand: ShopCommand = {
  usage:
    'orders create --items 107:2,5:1 --first-name "…" --phone "…" --address "…" [--county Nairobi] [--last-name "…"] [--email …] [--landmark "…"] [--gift-note "…"] [--method pickup] [--promo CODE] [--hours 24] [--paid cash|till|bank | --on-delivery] [--reference …]',
  summary: 'create an order for a customer on the phone; find its payment link on its office page',
  words: [0, 0],
  options: {
    ...Object.fromEntries(OPTIONS.map((name) => [name, { type: 'string' as const }])),
    'on-delivery': { type: 'boolean' },
  },
  async run({ options }, context) {
    const entries = OFFICE_ORDER_FIELDS.map((field) => [field, options[optionName(field)] ?? ''])
    const values = { state: 'Nairobi', ...Object.fromEntries(entries.filter(([, text]) => text)) }
    const empty = Object.fromEntries(OFFICE_ORDER_FIELDS.map((field) => [field, '']))
    const hours = PAYMENT_LINK_HOURS.find((choice) => String(choice) === options.hours)
    if (options.hours !== undefined && !hours)
      throw new ToolError(`--hours must be one of: ${PAYMENT_LINK_HOURS.join(', ')}.`)
    const paid = MANUAL_PAYMENT_TYPES.find((type) => type === options.paid)
    if (options.paid !== undefined && !paid)
      throw new ToolError(`--paid must be one of: ${MANUAL_PAYMENT_TYPES.join(', ')}.`)
    const paysOnDelivery = options['on-delivery'] !== undefined
    if (paid && paysOnDelivery) throw new ToolError('Use either --paid or --on-delivery.')
    const input = {
      key: newId(context),
      values: { ...empty, ...values } as OfficeOrderValues,
      method: options.method === 'pickup' ? ('pickup' as const) : ('delivery' as const),
      lines: parseItems(options.items ?? ''),
      promoCode: (options.promo ?? '').toUpperCase(),
      hours: hours ?? DEFAULT_PAYMENT_LINK_HOURS,
      paysOnDelivery,
      actor: COMMAND_LINE,
    }
    const shop = { fetch: async () => Response.json(catalogueFile) }
    const catalogue = { load: () => latestCatalogue({ ...context, shop }) }
    const content = await latestContent(context)
    const ctx = {
      ...context,
      delivery: deliveryTerms(delivery),
      catalogue,
      content: { current: () => content },
    }
    const quoted = await placeOfficeOrder({ ...input, expectedTotalKsh: 0 }, ctx)
    const total = quoted.ok ? undefined : totalOf(quoted.error.details)
    const placed =
      total === undefined
        ? quoted
        : await placeOfficeOrder({ ...input, expectedTotalKsh: centsToKsh(total) }, ctx)
    if (!placed.ok) {
      const { code, message, fieldErrors = {} } = placed.error
      throw new ToolError(Object.values(fieldErrors).join('. ') || (message ?? errors[code].message))
    }
    const { number, totalCents, expiresAtMs } = placed.data.record.row
    if (paid) {
      const reference = options.reference ?? ''
      const recorded = await recordManualPayment(
        { number, type: paid, reference, actor: COMMAND_LINE },
        context,
      )
      if (!recorded.ok)
        throw new ToolError(
          `Order ${number} was created, but its payment wasn’t recorded: ${recorded.error.message ?? errors[recorded.error.code].message}`,
        )
    }
    const until = paid
      ? 'paid'
      : paysOnDelivery
        ? 'to be paid on delivery'
        : `to be paid by ${formatDateTime(expiresAtMs ?? 0)}`
    return {
      text: `Order ${number} created: ${formatMoney(totalCents)}, ${until}.`,
      json: { number, totalCents },
    }
  },
}

function totalOf(details: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const { totals } = (details ?? {}) as { totals?: { totalCents: number } }
  return totals?.totalCents
}
