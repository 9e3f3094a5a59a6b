import {
  approveReturn,
  cancelReturn,
  completeReturn,
  declineReturn,
  receiveReturn,
} from '#server/orders/change-return.ts'
import { createReturn, describeReturn } from '#server/orders/create-return.ts'
import { readOrderReturns } from '#server/orders/order-returns.ts'
import { CENTS } from '#shared/format.ts'
import type { RequestedLine } from '#shared/orders/edited-lines.ts'
import { RETURN_REASON_NAMES, returnableLines } from '#shared/orders/returns.ts'
import { ToolError } from '../command.ts'
import { parseItems } from './change-order.ts'
import { actor, choose, type ShopCommand, unknownOrder, unwrapResult } from './shop-command.ts'

const STEPS = ['create', 'approve', 'decline', 'receive', 'complete', 'cancel'] as const

export const returnItems: ShopCommand = {
  takes: `<number> <${STEPS.join('|')}> [--items 107:1] [--exchange 108] [--reason size] [--refund 1500] [--keep-out] [--message "…"]`,
  summary:
    "return or exchange items from a sent order: --exchange names the replacement, --keep-out doesn't restock",
  async run({ words: [number = '', word], options }, ctx) {
    const found = await readOrderReturns(number, ctx)
    if (!found) throw unknownOrder(number)
    const order = { number, actor }
    const lineCount = Math.max(...found.returns.map(({ lines }) => lines.length), 0)
    const replacementId = options.exchange === undefined ? undefined : Number(options.exchange)
    const steps = {
      create() {
        const kind = replacementId === undefined ? ('return' as const) : ('exchange' as const)
        const reason = choose('reason', options.reason, RETURN_REASON_NAMES) ?? 'other'
        const left = returnableLines(found.record.lines, found.returns)
        const lines = parseItems(options.items ?? '').map((line) => toReturned(line, left, replacementId))
        return createReturn({ ...order, kind, reason, note: '', lines }, ctx)
      },
      approve: () => approveReturn({ ...order, replacements: Array(lineCount).fill(replacementId) }, ctx),
      decline: () => declineReturn({ ...order, message: options.message ?? '' }, ctx),
      receive() {
        const restocked = options['keep-out'] ? [] : Array.from({ length: lineCount }, (_, index) => index)
        return receiveReturn({ ...order, restocked }, ctx)
      },
      complete() {
        const refundCents = Number(options.refund ?? 0) * CENTS
        return completeReturn({ ...order, refundCents, includesShipping: true }, ctx)
      },
      cancel: () => cancelReturn(order, ctx),
    }
    const changed = unwrapResult(await steps[choose('step', word, STEPS) ?? 'create'](), number)
    const { id, state } = changed
    return { text: `${describeReturn(changed)}: ${state}.`, json: { id, state } }
  },
}

function toReturned(
  { id, qty }: RequestedLine,
  lines: ReturnType<typeof returnableLines>,
  replacementId: number | undefined,
) {
  const line = lines.find(({ productId, returnableQty }) => productId === id && returnableQty > 0)
  if (!line)
    throw new ToolError(`Item ${id} can't be returned: it isn't on the order, or it's already returned.`)
  return { productId: id, unitPriceCents: line.unitPriceCents, qty, replacementId }
}
