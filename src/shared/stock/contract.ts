import * as z from 'zod/mini'
import { findResetEmailProblem } from '#shared/accounts/auth-forms.ts'
import { createTextSchema, defineCall } from '#shared/api-call.ts'
import { MAX_CART_LINES } from '#shared/cart/cart.ts'
import { cleanEmail } from '#shared/email.ts'

const unitsLeftSchema = z.array(z.object({ id: z.int(), left: z.int() }))

/** Returns a snapshot that is refreshed in the background, so it may be outdated. */
export const listLowStockCall = defineCall({
  method: 'GET',
  path: '/stock',
  request: z.undefined(),
  response: z.object({ left: unitsLeftSchema }),
})

/** Leaves out made-to-order items. Units that the shopper's own unpaid orders reserve count as available. */
export const checkStockCall = defineCall({
  method: 'POST',
  path: '/stock/check',
  request: z.object({
    ids: z
      .array(z.int('Item ID must be a whole number.'), 'Item IDs are missing.')
      .check(z.maxLength(MAX_CART_LINES, `A cart can contain at most ${MAX_CART_LINES} different products.`)),
  }),
  response: z.object({ left: unitsLeftSchema }),
})

/** Requests one email for when the item is back in stock. Repeating it before then changes nothing. */
export const requestStockAlertCall = defineCall({
  method: 'POST',
  path: '/stock/alerts',
  request: z.object({
    item: z.int('Item ID must be a whole number.').check(z.positive('Item ID must be a whole number.')),
    email: createTextSchema((email) => findResetEmailProblem({ email })?.message, cleanEmail),
  }),
  response: z.object({ name: z.string() }),
})

export function formatStockAlertConfirmation(email: string, name: string): string {
  return `We’ll email ${email} once, as soon as ${name} is back in stock.`
}
