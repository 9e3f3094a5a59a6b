import * as z from 'zod/mini'
import { paymentStateSchema } from '#shared/payments/contract.ts'
import { deliveryTermsSchema, orderSchema, orderTotalsSchema } from './contract.ts'

/** The body of a failure after which an order exists, with its state. */
export const paymentFailedBodySchema = z.object({
  message: z.string(),
  code: z.enum([
    'payment_declined',
    'payment_unavailable',
    'prompt_too_soon',
    'order_closed',
    'out_of_stock',
    'order_not_cancellable',
  ]),
  order: orderSchema,
  payment: paymentStateSchema,
})

/**
 * The 409 body where the totals are not those the shopper saw: the cart's lines as the catalogue has them now
 * (put them into the cart as they are), the terms of delivery and the checkout totals. With `promotion_refused` the
 * totals are without the code, which is to be dropped.
 */
export const changedBodySchema = z.object({
  message: z.string(),
  code: z.enum(['prices_changed', 'promotion_refused']),
  totals: orderTotalsSchema,
  delivery: deliveryTermsSchema,
  lines: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      size: z.optional(z.string()),
      description: z.string(),
      price: z.number(),
      image: z.string(),
      qty: z.int(),
    }),
  ),
})

/** The 409 `key_reused` body: the order that an earlier request with this key placed. */
export const keyReusedBodySchema = z.object({
  message: z.string(),
  code: z.literal('key_reused'),
  order: orderSchema,
})

/**
 * The 409 `out_of_stock` body: the items of which there are fewer than the order asks for, and what is left of them for
 * this shopper. Where that closed an unpaid order, the body is a {@link paymentFailedBodySchema}, too.
 */
export const outOfStockBodySchema = z.object({
  message: z.string(),
  code: z.literal('out_of_stock'),
  short: z.array(z.object({ id: z.int(), left: z.int() })),
})

/** The 422 body: the products that the shop no longer has. */
export const unknownProductBodySchema = z.object({
  message: z.string(),
  code: z.literal('unknown_product'),
  productIds: z.array(z.int()),
})
