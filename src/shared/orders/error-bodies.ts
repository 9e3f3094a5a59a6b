import * as z from 'zod/mini'
import { paymentStateSchema } from '#shared/payments/contract.ts'
import { deliveryTermsSchema, orderSchema, orderTotalsSchema } from './contract.ts'

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
 * The client adopts the current totals, terms and lines. With `promotion_refused`, it also removes the promo code,
 * which the totals exclude.
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
      compareAtPrice: z.optional(z.number()),
      image: z.string(),
      qty: z.int(),
    }),
  ),
})

/** Sent if the current terms don't allow cash on delivery for the order. */
export const cashRefusedBodySchema = z.object({
  code: z.literal('invalid_fields'),
  delivery: deliveryTermsSchema,
})

export const keyReusedBodySchema = z.object({
  message: z.string(),
  code: z.literal('key_reused'),
  order: orderSchema,
})

/** If an unpaid order was closed, the body is also a {@link paymentFailedBodySchema}. */
export const outOfStockBodySchema = z.object({
  message: z.string(),
  code: z.literal('out_of_stock'),
  short: z.array(z.object({ id: z.int(), left: z.int() })),
})

export const unknownProductBodySchema = z.object({
  message: z.string(),
  code: z.literal('unknown_product'),
  productIds: z.array(z.int()),
})
