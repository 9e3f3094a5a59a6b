import {
  approveReturn,
  cancelReturn,
  completeReturn,
  declineReturn,
  receiveReturn,
} from '#server/orders/change-return.ts'
import { createReturn, describeReturn } from '#server/orders/create-return.ts'
import { readReturnContextByNumber } from '#server/orders/order-returns.ts'
import { kshToCents } from '#shared/format.ts'
import type { RequestedLine } from '#shared/orders/edited-lines.ts'
import { canTransition, listReturnableLines, RETURN_REASONS } from '#shared/orders/returns.ts'
import { ToolError } from '../command.ts'
import { parseItems } from './change-order.ts'
import type { ShopCommand } from './shop-command.ts'
import { actor, createUnknownOrderError, parseChoice, unwrapResult } from './shop-command.ts'

const RETURN_ACTIONS = ['create', 'approve', 'decline', 'receive', 'complete', 'cancel'] as const

export const changeReturnCommand: ShopCommand = {
  usage: `<number> <${RETURN_ACTIONS.join('|')}> [--items 107:1] [--exchange 108] [--reason size] [--refund 1500] [--no-restock] [--message "…"]`,
  summary:
    'return or exchange items from an order that has been sent: --exchange names the replacement (by default, the requested size), --no-restock leaves the stock as it is',
  async run({ positionals: [number = '', word], options }, ctx) {
    const context = await readReturnContextByNumber(number, ctx)
    if (!context) throw createUnknownOrderError(number)
    const order = { number, actor }
    const lineCount = Math.max(...context.returns.map(({ lines }) => lines.length), 0)
    const replacementId = options.exchange === undefined ? undefined : Number(options.exchange)
    const actions = {
      create() {
        const kind = replacementId === undefined ? ('return' as const) : ('exchange' as const)
        const reason = parseChoice('reason', options.reason, RETURN_REASONS) ?? 'other'
        const returnableLines = listReturnableLines(context.record.lines, context.returns)
        const lines = parseItems(options.items ?? '').map((line) =>
          toReturnLine(line, returnableLines, replacementId),
        )
        return createReturn({ ...order, kind, reason, note: '', lines }, ctx)
      },
      approve() {
        const requested = context.returns.find(({ state }) => canTransition(state, 'approve'))
        const replacements = requested?.lines.map((line) => replacementId ?? line.replacementId ?? undefined)
        return approveReturn({ ...order, replacements: replacements ?? [] }, ctx)
      },
      decline: () => declineReturn({ ...order, message: options.message ?? '' }, ctx),
      receive() {
        const restocked = options['no-restock'] ? [] : Array.from({ length: lineCount }, (_, index) => index)
        return receiveReturn({ ...order, restocked }, ctx)
      },
      complete() {
        const refundCents = kshToCents(Number(options.refund ?? 0))
        return completeReturn({ ...order, refundCents, includesShipping: true }, ctx)
      },
      cancel: () => cancelReturn(order, ctx),
    }
    const changed = unwrapResult(
      await actions[parseChoice('step', word, RETURN_ACTIONS) ?? 'create'](),
      number,
    )
    const { id, state } = changed
    return { text: `${describeReturn(changed)}: ${state}.`, json: { id, state } }
  },
}

function toReturnLine(
  { id, qty }: RequestedLine,
  lines: ReturnType<typeof listReturnableLines>,
  replacementId: number | undefined,
) {
  const line = lines.find(({ productId, returnableQty }) => productId === id && returnableQty > 0)
  if (!line)
    throw new ToolError(`Item ${id} can't be returned: it isn't on the order, or it's already been returned.`)
  return { productId: id, unitPriceCents: line.unitPriceCents, qty, replacementId }
}
