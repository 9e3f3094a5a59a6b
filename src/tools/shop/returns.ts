import { eq } from 'drizzle-orm'
import {
  approveReturn,
  cancelReturn,
  completeReturn,
  declineReturn,
  receiveReturn,
} from '#server/orders/change-return.ts'
import { createReturn, describeReturn } from '#server/orders/create-return.ts'
import { readReturnContext } from '#server/orders/order-returns.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { orders } from '#server/platform/db/schema.ts'
import { errors } from '#shared/errors.ts'
import { CENTS } from '#shared/format.ts'
import type { WantedLine } from '#shared/orders/edited-lines.ts'
import { RETURN_REASON_NAMES, returnableLines } from '#shared/orders/returns.ts'
import catalogueFile from '../../../public/Items.json' with { type: 'json' }
import { ToolError } from '../command.ts'
import { parseItems } from './edit-order.ts'
import { unknownOrder } from './payments.ts'
import type { CommandInput, ShopCommand } from './shop-command.ts'

type Context = Parameters<ShopCommand['run']>[1]
const STEPS = ['create', 'approve', 'decline', 'receive', 'complete', 'cancel'] as const

export const returnCommand: ShopCommand = {
  usage:
    'orders return <number> <create|approve|decline|receive|complete|cancel> [--items 107:1] [--exchange 108] [--reason size] [--refund 1500] [--keep-out] [--message "…"]',
  summary:
    'return or exchange items of a sent order: --exchange names the replacement, --keep-out doesn’t restock',
  words: [2, 2],
  options: {
    ...{ items: { type: 'string' }, exchange: { type: 'string' }, reason: { type: 'string' } },
    ...{ refund: { type: 'string' }, 'keep-out': { type: 'boolean' }, message: { type: 'string' } },
  },
  async run({ words: [number = '', word = ''], options }, context) {
    const step = STEPS.find((name) => name === word)
    if (!step) throw new ToolError(`Choose a step: ${STEPS.join(', ')}.`)
    const changed = await change(number, step, options, context)
    if (!changed.ok) {
      const { code, message } = changed.error
      if (code === 'not_found' && !message) throw unknownOrder(number)
      throw new ToolError(message ?? errors[code].message)
    }
    const { id, state } = changed.data
    return { text: `${describeReturn(changed.data)}: ${state}.`, json: { id, state } }
  },
}

async function change(
  number: string,
  step: (typeof STEPS)[number],
  options: CommandInput['options'],
  context: Context,
) {
  const one = { number, actor: COMMAND_LINE }
  const withCatalogue = { ...context, shop: { fetch: async () => Response.json(catalogueFile) } }
  const replacement = options.exchange === undefined ? undefined : Number(options.exchange)
  const found = await readReturnContext(eq(orders.number, number.trim().toUpperCase()), context)
  if (!found) throw unknownOrder(number)
  const lineCount = Math.max(...found.returns.map(({ lines }) => lines.length), 0)
  switch (step) {
    case 'create': {
      const wanted = parseItems(options.items ?? '')
      const lines = returnableLines(found.record.lines, found.returns)
      const returned = wanted.map((line) => ({ ...toReturned(line, lines), replacementId: replacement }))
      const kind = replacement === undefined ? 'return' : 'exchange'
      const reason = parseReason(options.reason)
      return createReturn({ ...one, kind, reason, note: '', lines: returned }, withCatalogue)
    }
    case 'approve':
      return approveReturn({ ...one, replacements: Array(lineCount).fill(replacement) }, withCatalogue)
    case 'decline':
      return declineReturn({ ...one, message: options.message ?? '' }, context)
    case 'receive': {
      const restocked = options['keep-out']
        ? []
        : Array.from({ length: lineCount }, (_, position) => position)
      return receiveReturn({ ...one, restocked }, context)
    }
    case 'complete':
      return completeReturn(
        { ...one, refundCents: Number(options.refund ?? 0) * CENTS, includesShipping: true },
        context,
      )
    case 'cancel':
      return cancelReturn(one, context)
  }
}

function toReturned({ id, qty }: WantedLine, lines: ReturnType<typeof returnableLines>) {
  const line = lines.find(({ productId, left }) => productId === id && left > 0)
  if (!line)
    throw new ToolError(`Item ${id} can't be returned: it isn't on the order, or it's already returned.`)
  return { productId: id, unitPriceCents: line.unitPriceCents, qty }
}

function parseReason(word = 'other') {
  const reason = RETURN_REASON_NAMES.find((name) => name === word)
  if (reason) return reason
  throw new ToolError(`--reason must be one of: ${RETURN_REASON_NAMES.join(', ')}.`)
}
