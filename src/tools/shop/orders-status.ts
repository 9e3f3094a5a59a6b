import { changeOrderStatus } from '#server/services/orders/change-status.ts'
import { ToolError } from '../command.ts'
import { statusFrom } from './orders-list.ts'
import { unknownOrder } from './orders-show.ts'
import type { Verb } from './verb.ts'

export const changeStatus: Verb = {
  usage: 'orders status <number> <new>',
  summary: 'takes an order a step further: paid, shipped, delivered or cancelled',
  words: [2, 2],
  async run({ words: [number = '', word = ''] }, context) {
    const to = statusFrom(word)
    const outcome = await changeOrderStatus({ number, to }, context)
    switch (outcome.kind) {
      case 'changed': {
        const name = number.trim().toUpperCase()
        return {
          text: `Order ${name} was ${outcome.from} and is ${to} now.`,
          json: { number: name, from: outcome.from, to },
        }
      }
      case 'unknown_order':
        throw unknownOrder(number)
      case 'not_allowed':
        throw new ToolError(
          outcome.allowed.length > 0
            ? `The order is ${outcome.from}; it can become ${outcome.allowed.join(' or ')}, not ${to}.`
            : `The order is ${outcome.from}, and that is final.`,
        )
    }
  },
}
