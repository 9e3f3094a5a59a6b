import * as z from 'zod/mini'
import { defineCall, formField, formRules, manyLines, oneLine, validatedText } from '#shared/api-call.ts'
import { DELIVERY_METHODS } from '#shared/checkout/delivery.ts'
import { cleanEmail } from '#shared/email.ts'
import { paymentSchema, paymentStateSchema } from '#shared/payments/contract.ts'
import { PROVIDER_NAMES } from '#shared/payments/providers.ts'
import { lineRequestsSchema, promoCodeSchema } from '#shared/promotions/contract.ts'
import {
  isOptional,
  type OptionalOrderField,
  ORDER_FIELDS,
  type OrderField,
  orderFieldProblem,
  type RequiredOrderField,
  rowOf,
} from './fields.ts'
import { orderLinkProblem } from './order-link.ts'
import { ORDER_STATUSES } from './order-status.ts'

/** The request header that makes placing an order safe to repeat: one key, one order. */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key'
/** The format of such a key; `crypto.randomUUID()` makes one. */
export const IDEMPOTENCY_KEY = /^[A-Za-z0-9_-]{16,64}$/

function fieldSchema(field: OrderField) {
  const clean = field === 'email' ? cleanEmail : rowOf(field).rows ? manyLines : oneLine
  const text = validatedText((value) => orderFieldProblem(field, value), clean)
  return isOptional(field) ? z.optional(text) : text
}

type Text = ReturnType<typeof validatedText>
type BillingShape = Record<RequiredOrderField, Text> & Record<OptionalOrderField, z.ZodMiniOptional<Text>>

/** The billing part of the checkout form (§ 3), by the table of an order's fields; optional ones may be empty or left out. */
export const billingSchema = z.object(
  // `Object.fromEntries` loses the names of the keys.
  Object.fromEntries(ORDER_FIELDS.map((field) => [field, fieldSchema(field)])) as BillingShape,
  'The billing details are missing.',
)
export type Billing = z.infer<typeof billingSchema>

/** `OrderTotals` of rules/pricing.ts, on the wire. */
export const orderTotalsSchema = z.object({
  subtotalCents: z.int(),
  discountCents: z.int(),
  shippingCents: z.int(),
  vatCents: z.int(),
  roundingCents: z.int(),
  totalCents: z.int(),
})

/** `DeliveryTerms` of rules/delivery.ts, on the wire. */
export const deliveryTermsSchema = z.object({
  zones: z.record(z.string(), z.object({ name: z.nullable(z.string()), feeKsh: z.int() })),
  highestFeeKsh: z.nullable(z.int()),
  pickup: z.string(),
})

/** A placed order as its owner sees it, with the lines as sold. */
export const orderSchema = z.object({
  /** The idempotency key it was placed under: how a browser whose answer was lost finds its order again. */
  key: z.string(),
  /** The order number that people see: `P-7K3M9Q`. */
  number: z.string(),
  status: z.enum(ORDER_STATUSES),
  /** Milliseconds since the epoch. */
  placedAtMs: z.int(),
  lines: z.array(
    z.object({
      /** The item's: the size's id where the product comes in sizes. */
      productId: z.int(),
      title: z.string(),
      /** The size's label; null for a product without sizes. */
      size: z.nullable(z.string()),
      image: z.string(),
      unitPriceCents: z.int(),
      qty: z.int(),
    }),
  ),
  totals: orderTotalsSchema,
  /** The VAT rate it was placed with, in whole percent. */
  vatPercent: z.int(),
  /** The zone whose fee was agreed; null without zones and for pickup. */
  deliveryZone: z.nullable(z.string()),
  /** Where and when it is picked up; null where it is delivered. */
  pickup: z.nullable(z.string()),
  promoCode: z.nullable(z.string()),
  /** Where the confirmation goes. */
  email: z.string(),
  card: z.nullable(z.object({ brand: z.string(), lastFour: z.string() })),
  /** The accepted payment, refunded or not; null while there is none. */
  payment: z.nullable(
    z.object({
      provider: z.enum(PROVIDER_NAMES),
      receipt: z.nullable(z.string()),
      refund: z.nullable(z.enum(['due', 'done'])),
    }),
  ),
})
export type Order = z.infer<typeof orderSchema>

const orderAndPaymentSchema = z.object({ order: orderSchema, payment: paymentStateSchema })

/**
 * Places an order and starts its payment. Header {@link IDEMPOTENCY_KEY_HEADER}: use one key for the cart until the
 * order is paid, has expired or is cancelled. 201: placed and paid. 200: a request before this one had placed it.
 * 202: the order exists and awaits its payment; poll {@link getPayment}. The same key sent again never charges
 * twice while an attempt is open; after a failed attempt it starts another for the same order.
 * Failures, each with a sentence in `message`: 400 `invalid_fields` (`errors` by field: `billing.email`,
 * `lines.0.qty`, `payment.phone`), `invalid_key`; 401; 402 `payment_declined` and 503 `payment_unavailable`, both
 * with a `paymentFailedBodySchema`: the order stays and can be paid, and may be waiting for the provider; 409 `prices_changed` and
 * `promotion_refused` with a `changedBodySchema`; 409 `key_reused` with a `keyReusedBodySchema`;
 * 409 `out_of_stock` with an `outOfStockBodySchema`;
 * 409 `order_closed`: the order under this key has expired or was cancelled, take a new key;
 * 422 `unknown_product` with an `unknownProductBodySchema`; 429; 503 `unavailable`.
 */
export const placeOrder = defineCall({
  method: 'POST',
  path: '/orders',
  request: z.object({
    lines: lineRequestsSchema,
    billing: billingSchema,
    promoCode: z.optional(promoCodeSchema),
    /** Left out, it is delivered. */
    deliveryMethod: z.optional(z.enum(DELIVERY_METHODS, 'Please choose how you get your order.')),
    payment: paymentSchema,
    /** The total on the button, in whole KSH. */
    expectedTotal: z
      .int('The expected total is a whole number of KSH.')
      .check(z.minimum(0, 'The expected total is at least 0.')),
  }),
  response: orderAndPaymentSchema,
})
export type OrderRequest = z.infer<typeof placeOrder.request>

/** An own order and the state of its payment; queries the provider when that is due. 401, 404, 503. */
export const getPayment = defineCall({
  method: 'GET',
  path: '/orders/:number/payment',
  request: z.undefined(),
  response: orderAndPaymentSchema,
})

/**
 * Starts another attempt to pay an own order: the prompt once again, or another way. 200: paid; 202: awaiting the
 * shopper. 400 `invalid_fields`; 401; 402 `payment_declined`, 503 `payment_unavailable`, 409 `prompt_too_soon` (with
 * Retry-After: the same phone can be prompted every two minutes), 409 `out_of_stock` and 409 `order_closed` with a
 * `paymentFailedBodySchema`; 404; 429; 503.
 */
export const payOrder = defineCall({
  method: 'POST',
  path: '/orders/:number/payment',
  request: z.object({ payment: paymentSchema }),
  response: orderAndPaymentSchema,
})

/**
 * Cancels an own order: stops its payment or, while nothing is packed, refunds it. 401; 404;
 * 409 `order_not_cancellable` with a `paymentFailedBodySchema`; 503. Cancelling twice is no failure.
 */
export const cancelOrder = defineCall({
  method: 'POST',
  path: '/orders/:number/cancel',
  request: z.object({}),
  response: orderAndPaymentSchema,
})

/** An order's page, as its owner or whoever holds a signed link sees it. */
const orderViewSchema = z.object({
  order: orderSchema,
  payment: paymentStateSchema,
  /** Its owner is signed in; whoever has the link alone can neither pay nor cancel, and sees no phone. */
  isOwner: z.boolean(),
  /** Whether its owner can cancel it now. */
  isCancellable: z.boolean(),
  /** The day it was placed, as people write it. */
  placedOn: z.string(),
  /** Where it goes, one part a line; the phone for the rider is left out for others than the owner. */
  address: z.array(z.string()),
  /** The fields with a heading of their own; a signed link opens fewer of them than the owner's session. */
  extras: z.array(z.object({ heading: z.string(), text: z.string() })),
  /** How it was paid and what was given back, a line each. */
  payments: z.array(z.string()),
  /** The statuses from placed to the last; those to come have no time. Empty while it is not paid. */
  steps: z.array(
    z.object({
      status: z.enum(ORDER_STATUSES),
      /** As people write it. */
      at: z.nullable(z.string()),
      atMs: z.nullable(z.int()),
      /** What the shop or its rider wrote to the shopper. */
      note: z.nullable(z.string()),
      trackingAddress: z.nullable(z.string()),
    }),
  ),
})
export type OrderView = z.infer<typeof orderViewSchema>

/** An order's page, for its owner or, with `?key=` of a signed link, for whoever has that; 404 for everybody else. */
export const getOrder = defineCall({
  method: 'GET',
  path: '/orders/:number',
  request: z.undefined(),
  response: orderViewSchema,
})

/**
 * Own orders, newest first, a page at a time: `?before=` takes `next` of the page before. With the header
 * {@link IDEMPOTENCY_KEY_HEADER}, the order placed under that key alone, however old. 401, 400 for a broken `before`.
 */
export const listOrders = defineCall({
  method: 'GET',
  path: '/orders',
  request: z.undefined(),
  response: z.object({ orders: z.array(orderSchema), next: z.nullable(z.string()) }),
})

/**
 * Has the link to an order's page sent to the order's own address. The response is the same whether or not there is
 * such an order. 400 `invalid_fields`, 429.
 */
export const requestOrderLink = defineCall({
  method: 'POST',
  path: '/orders/link',
  request: z
    .object({ number: formField, contact: formField }, 'The order number is missing.')
    .check(formRules(orderLinkProblem)),
  response: z.object({}),
})
