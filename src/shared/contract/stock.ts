import * as z from 'zod/mini'
import { MAX_CART_LINES } from '../rules/cart.ts'
import { call } from './call.ts'

const leftSchema = z.array(z.object({ id: z.int(), left: z.int() }))

/** The items of which few or no units are left, as public pages show them: a few seconds old, and never a failure. */
export const listShort = call({
  method: 'GET',
  path: '/stock',
  request: z.undefined(),
  response: z.object({ left: leftSchema }),
})

/**
 * What is left of the items of a cart, for the shopper who is signed in: their own unpaid orders count as left. Items
 * that are made to order are not in the answer. 400, 401, 503.
 */
export const checkStock = call({
  method: 'POST',
  path: '/stock/check',
  request: z.object({
    ids: z
      .array(z.int('An item id is a whole number.'), 'The items are missing.')
      .check(z.maxLength(MAX_CART_LINES, `A cart holds at most ${MAX_CART_LINES} different products.`)),
  }),
  response: z.object({ left: leftSchema }),
})
