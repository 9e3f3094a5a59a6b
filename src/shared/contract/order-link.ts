import * as z from 'zod/mini'
import { orderLinkProblem } from '../rules/order-link.ts'
import { call, formRules, formText } from './call.ts'

/**
 * Has the link to an order's page sent to the order's own address. The response is the same whether or not there is
 * such an order. 400 `invalid_fields`, 429.
 */
export const requestOrderLink = call({
  method: 'POST',
  path: '/orders/link',
  request: z
    .object({ number: formText, contact: formText }, 'The order number is missing.')
    .check(formRules(orderLinkProblem)),
  response: z.object({}),
})
