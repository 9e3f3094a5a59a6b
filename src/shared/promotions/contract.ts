import * as z from 'zod/mini'
import { defineCall } from '#shared/api-call.ts'
import { MAX_CART_LINES, MAX_QTY } from '#shared/cart/cart.ts'

const MAX_CODE_CHARACTERS = 40

export const promoCodeSchema = z
  .string('Please enter a promo code.')
  .check(
    z.trim(),
    z.minLength(1, 'Please enter a promo code.'),
    z.maxLength(MAX_CODE_CHARACTERS, 'This promo code is too long.'),
    z.toUpperCase(),
  )

export const lineRequestsSchema = z
  .array(
    z.object(
      {
        id: z
          .int('Product ID must be a whole number.')
          .check(z.positive('Product ID must be a whole number.')),
        qty: z
          .int('Quantity must be a whole number.')
          .check(
            z.minimum(1, 'Quantity must be at least 1.'),
            z.maximum(MAX_QTY, `Quantity must be at most ${MAX_QTY}.`),
          ),
      },
      'Each line needs a product ID and a quantity.',
    ),
    'Lines are missing.',
  )
  .check(
    z.minLength(1, 'The cart is empty.'),
    z.maxLength(MAX_CART_LINES, `An order can contain at most ${MAX_CART_LINES} different products.`),
    z.refine(
      (lines) => new Set(lines.map(({ id }) => id)).size === lines.length,
      'Each product can only be on one line.',
    ),
  )

export const promotionSchema = z.object({
  code: z.string(),
  kind: z.enum(['percent', 'fixed']),
  /** A whole percentage for `percent`, cents for `fixed`. */
  value: z.int(),
  minimumSubtotalCents: z.int(),
})
export type Promotion = z.infer<typeof promotionSchema>

/** Validates a code for the cart. Placing the order validates it again. */
export const checkPromotionCall = defineCall({
  method: 'POST',
  path: '/promotions/check',
  request: z.object({ code: promoCodeSchema, lines: lineRequestsSchema }),
  response: z.object({ promotion: promotionSchema, discountCents: z.int() }),
})
