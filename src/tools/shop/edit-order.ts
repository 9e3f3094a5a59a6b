import { editOrder } from '#server/orders/edit-order.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { errors } from '#shared/errors.ts'
import { formatMoney } from '#shared/format.ts'
import type { WantedLine } from '#shared/orders/edited-lines.ts'
import { EDITABLE_FIELDS, type EditableField } from '#shared/orders/fields.ts'
import catalogueFile from '../../../public/Items.json' with { type: 'json' }
import { ToolError } from '../command.ts'
import { unknownOrder } from './payments.ts'
import type { ShopCommand } from './shop-command.ts'

const optionName = (field: EditableField) =>
  field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const editOrderCommand: ShopCommand = {
  usage:
    'orders edit <number> [--items 107:2,5:1] [--address "…"] [--phone "…"] [--landmark "…"] [--gift-note "…"]',
  summary: 'change an order until it is sent; --items lists every item number and its quantity',
  words: [1, 1],
  options: Object.fromEntries(
    ['items', ...EDITABLE_FIELDS.map(optionName)].map((name) => [name, { type: 'string' }]),
  ),
  async run({ words: [number = ''], options }, context) {
    const fields = Object.fromEntries(
      EDITABLE_FIELDS.flatMap((field) => {
        const text = options[optionName(field)]
        return text === undefined ? [] : [[field, text]]
      }),
    )
    const lines = options.items === undefined ? {} : { lines: parseItems(options.items) }
    const shop = { fetch: async () => Response.json(catalogueFile) }
    const edited = await editOrder({ number, fields, ...lines, actor: COMMAND_LINE }, { ...context, shop })
    if (!edited.ok) {
      const { code, message, fieldErrors = {} } = edited.error
      if (code === 'not_found') throw unknownOrder(number)
      throw new ToolError(Object.values(fieldErrors).join(' ') || (message ?? errors[code].message))
    }
    const { row } = edited.data
    return {
      text: `Order ${row.number} changed. Its total is ${formatMoney(row.totalCents)}.`,
      json: { number: row.number, totalCents: row.totalCents },
    }
  },
}

export function parseItems(text: string): WantedLine[] {
  return text.split(',').map((part) => {
    const [, id, qty] = /^\s*(\d{1,15}):(\d{1,2})\s*$/.exec(part) ?? []
    if (!id || !qty) throw new ToolError(`--items must be like 107:2,5:1, not "${text}".`)
    return { id: Number(id), qty: Number(qty) }
  })
}
