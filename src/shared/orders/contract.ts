import * as z from 'zod/mini'
import { createTextSchema, defineCall, formFieldSchema, toMultiline, toSingleLine } from '#shared/api-call.ts'
import { DELIVERY_METHODS } from '#shared/checkout/delivery.ts'
import { cleanEmail } from '#shared/email.ts'
import { paymentSchema, paymentStateSchema } from '#shared/payments/contract.ts'
import { PROVIDER_NAMES } from '#shared/payments/providers.ts'
import { lineRequestsSchema, promoCodeSchema } from '#shared/promotions/contract.ts'
import {
  findOrderFieldProblem,
  getOrderFieldDefinition,
  isOptional,
  type OptionalOrderField,
  ORDER_FIELDS,
  type OrderField,
  type RequiredOrderField,
} from './fields.ts'
import { findOrderLinkProblem, ORDER_LINK_FIELDS } from './order-link.ts'
import { ORDER_STATUSES } from './order-status.ts'
import { ORDER_PAYMENT_STATUSES } from './payment-status.ts'
import { RETURN_KINDS, RETURN_STATES } from './returns.ts'

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key'
export const IDEMPOTENCY_KEY_PATTERN = /^[A-Za-z0-9_-]{16,64}$/

export function cleanOrderField(field: OrderField, text: string): string {
  if (field === 'email') return cleanEmail(text)
  return getOrderFieldDefinition(field).rows ? toMultiline(text) : toSingleLine(text)
}

export function createOrderFieldSchema(field: OrderField) {
  const text = createTextSchema(
    (value) => findOrderFieldProblem(field, value),
    (value) => cleanOrderField(field, value),
  )
  return isOptional(field) ? z.optional(text) : text
}

type TextSchema = ReturnType<typeof createTextSchema>
type BillingShape = Record<RequiredOrderField, TextSchema> &
  Record<OptionalOrderField, z.ZodMiniOptional<TextSchema>>

export const billingSchema = z.object(
  // `Object.fromEntries` widens the keys to string.
  Object.fromEntries(ORDER_FIELDS.map((field) => [field, createOrderFieldSchema(field)])) as BillingShape,
  'Billing details are missing.',
)
export type Billing = z.infer<typeof billingSchema>

export const orderTotalsSchema = z.object({
  subtotalCents: z.int(),
  discountCents: z.int(),
  shippingCents: z.int(),
  vatCents: z.int(),
  roundingCents: z.int(),
  totalCents: z.int(),
})

export const deliveryTermsSchema = z.object({
  zones: z.record(z.string(), z.object({ name: z.nullable(z.string()), feeKsh: z.int() })),
  highestFeeKsh: z.nullable(z.int()),
  pickup: z.string(),
  cash: z.optional(z.object({ maxKsh: z.int(), counties: z.array(z.string()) })),
})

export const orderSchema = z.object({
  /** The idempotency key. A browser that lost the response finds the order by it. */
  key: z.string(),
  number: z.string(),
  status: z.enum(ORDER_STATUSES),
  placedAtMs: z.int(),
  lines: z.array(
    z.object({
      productId: z.int(),
      title: z.string(),
      size: z.nullable(z.string()),
      image: z.string(),
      unitPriceCents: z.int(),
      qty: z.int(),
    }),
  ),
  totals: orderTotalsSchema,
  vatPercent: z.int(),
  deliveryZone: z.nullable(z.string()),
  pickup: z.nullable(z.string()),
  promoCode: z.nullable(z.string()),
  /** The address that the order's emails go to. Empty if there is none. */
  email: z.string(),
  card: z.nullable(z.object({ brand: z.string(), lastFour: z.string() })),
  payment: z.nullable(
    z.object({
      provider: z.enum(PROVIDER_NAMES),
      receipt: z.nullable(z.string()),
      refund: z.nullable(z.enum(['due', 'done'])),
    }),
  ),
  balance: z.object({
    status: z.enum(ORDER_PAYMENT_STATUSES),
    paidCents: z.int(),
    refundedCents: z.int(),
    refundDueCents: z.int(),
    dueCents: z.int(),
  }),
})
export type Order = z.infer<typeof orderSchema>

const orderAndPaymentSchema = z.object({ order: orderSchema, payment: paymentStateSchema })

/**
 * Places an order and starts its payment. Use one {@link IDEMPOTENCY_KEY_HEADER} per cart until its order is
 * placed, expires or is cancelled. Repeating the request with its key creates no second order, and starts another
 * payment only after a failed attempt. The bodies of errors are in error-bodies.ts.
 *
 * - 201: placed and paid.
 * - 200: paid; an earlier request created the order.
 * - 202: awaiting payment, so poll {@link getPaymentCall}; or placed with cash on delivery.
 * - 400: `invalid_fields`, `invalid_key`.
 * - 401, 429, 503.
 * - 402 `payment_declined`, 503 `payment_unavailable`: the order stays payable.
 * - 403: `order_refused`.
 * - 409: `prices_changed`, `promotion_refused`, `key_reused`, `out_of_stock`, or `order_closed` (use a new key).
 * - 422: `unknown_product`.
 */
export const placeOrderCall = defineCall({
  method: 'POST',
  path: '/orders',
  request: z.object({
    lines: lineRequestsSchema,
    billing: billingSchema,
    promoCode: z.optional(promoCodeSchema),
    deliveryMethod: z.optional(z.enum(DELIVERY_METHODS, 'Please choose delivery or pickup.')),
    payment: paymentSchema,
    expectedTotal: z
      .int('Expected total must be in whole shillings.')
      .check(z.minimum(0, 'Expected total must be at least 0.')),
  }),
  response: orderAndPaymentSchema,
})
export type OrderRequest = z.infer<typeof placeOrderCall.request>

/** Returns the order and its payment state; queries the provider when a poll is due. 401, 404, 503. */
export const getPaymentCall = defineCall({
  method: 'GET',
  path: '/orders/:number/payment',
  request: z.undefined(),
  response: orderAndPaymentSchema,
})

/**
 * Pays the amount due. The `?key=` of a signed link replaces the session, but errors then have no details.
 *
 * - 200: paid.
 * - 202: awaiting the shopper, or placed with cash on delivery.
 * - 402 `payment_declined`, 503 `payment_unavailable`, 409 `prompt_too_soon` (with Retry-After), `out_of_stock` or
 *   `order_closed`: the body is a `paymentFailedBodySchema`.
 * - 400, 401, 404, 429, 503.
 */
export const payOrderCall = defineCall({
  method: 'POST',
  path: '/orders/:number/payment',
  request: z.object({ payment: paymentSchema }),
  response: orderAndPaymentSchema,
})

/**
 * Cancels an order that isn't packed yet, and refunds what was paid. Succeeds if it is already cancelled. 401; 404; 409
 * `order_not_cancellable` with a `paymentFailedBodySchema`; 503.
 */
export const cancelOrderCall = defineCall({
  method: 'POST',
  path: '/orders/:number/cancel',
  request: z.object({}),
  response: orderAndPaymentSchema,
})

const orderViewSchema = z.object({
  order: orderSchema,
  payment: paymentStateSchema,
  /**
   * If false, the request came through a signed link, whose holder can pay but not cancel and sees no full phone
   * number.
   */
  isOwner: z.boolean(),
  isCancellable: z.boolean(),
  placedOn: z.string(),
  address: z.array(z.string()),
  extras: z.array(z.object({ heading: z.string(), text: z.string() })),
  payments: z.array(z.string()),
  /** When an unpaid order expires, such as `00:36`. */
  reservedUntil: z.nullable(z.string()),
  /** When an order that is being delivered arrives at the latest, such as `30 November`. Null if that isn't known. */
  expectedBy: z.nullable(z.string()),
  /** The returns of the order, newest first. */
  returns: z.array(
    z.object({
      kind: z.enum(RETURN_KINDS),
      state: z.enum(RETURN_STATES),
      createdOn: z.string(),
      /** The shopper's reason. Null if the shop entered the return. */
      reason: z.nullable(z.string()),
      items: z.array(z.string()),
      /** The shopper's message. The shop's own notes are never included. */
      message: z.nullable(z.string()),
      declineMessage: z.nullable(z.string()),
      nextSteps: z.array(z.string()),
      /** Whether the shopper and the shop still have to agree how the items change hands. */
      needsArrangement: z.boolean(),
      /** Identifies a return that the shopper can still cancel. */
      cancellableId: z.nullable(z.string()),
    }),
  ),
  /** The index of the return that the page's first sentence is about. */
  currentReturn: z.nullable(z.int()),
  /** For each line of the order, what has been returned or is still to be handed over. May be empty. */
  lineNotes: z.array(z.string()),
  /** What the shopper can return or exchange. Null before delivery, after the deadline and if nothing is left. */
  returnable: z.nullable(
    z.object({
      until: z.string(),
      /** What the shopper does once the shop approves a request. */
      approval: z.string(),
      /** What the shopper gets once the shop has received the items. */
      outcomes: z.object({ return: z.string(), exchange: z.string() }),
      /**
       * Who pays the courier, by reason, and with an empty key for as long as no reason is chosen. Empty if the owner has
       * written other rules for returns.
       */
      costs: z.record(z.string(), z.string()),
      /** The delivery methods for an exchange's replacements. Empty if there is only one. */
      deliveries: z.array(
        z.object({ method: z.enum(DELIVERY_METHODS), label: z.string(), note: z.string() }),
      ),
      dueCents: z.int(),
      /** How much of the order's payments can still be refunded. */
      refundableCents: z.int(),
      /** The price of the goods that no completed return includes. */
      keptGoodsCents: z.int(),
      /** What these goods cost, with VAT, net of the discount, without shipping. */
      keptValueCents: z.int(),
      lines: z.array(
        z.object({
          productId: z.int(),
          unitPriceCents: z.int(),
          name: z.string(),
          left: z.int(),
          /** The product's other sizes, at current prices, and the scale that they are on. */
          scale: z.nullable(z.string()),
          sizes: z.array(
            z.object({ id: z.int(), label: z.string(), priceCents: z.int(), isSoldOut: z.boolean() }),
          ),
        }),
      ),
    }),
  ),
  /**
   * The steps from placed to delivered, or to cancelled. Steps that aren't reached have no time. Empty for orders
   * that were never placed.
   */
  steps: z.array(
    z.object({
      status: z.enum(ORDER_STATUSES),
      at: z.nullable(z.string()),
      atMs: z.nullable(z.int()),
      note: z.nullable(z.string()),
      trackingAddress: z.nullable(z.string()),
    }),
  ),
})
export type OrderView = z.infer<typeof orderViewSchema>

/** Orders that a shopper has opened, as stored in the browser for reading them offline. */
export const viewedOrdersSchema = z.object({
  account: z.string(),
  orders: z.array(z.object({ savedAtMs: z.int(), view: orderViewSchema })),
})
export type ViewedOrder = z.infer<typeof viewedOrdersSchema>['orders'][number]

/** Returns an order to its owner or to the holder of a signed link, who sends its `?key=`. 404 for everyone else. */
export const getOrderCall = defineCall({
  method: 'GET',
  path: '/orders/:number',
  request: z.undefined(),
  response: orderViewSchema,
})

const listedOrderSchema = z.extend(orderSchema, {
  /** The kind and state of the order's newest return, such as `Exchange requested`. */
  returnStatus: z.optional(z.string()),
})
export type ListedOrder = z.infer<typeof listedOrderSchema>

/**
 * Lists the user's orders, newest first. `?before=` takes the previous page's `next`. With {@link
 * IDEMPOTENCY_KEY_HEADER}, lists only the order placed under that key. 401, 400 for an invalid `before`.
 */
export const listOrdersCall = defineCall({
  method: 'GET',
  path: '/orders',
  request: z.undefined(),
  response: z.object({ orders: z.array(listedOrderSchema), next: z.nullable(z.string()) }),
})

/**
 * If the contact matches the order, emails the signed link to the address that the order's emails go to. The response
 * doesn't reveal whether it matches. 400 `invalid_fields`, 429.
 */
export const requestOrderLinkCall = defineCall({
  method: 'POST',
  path: '/orders/link',
  request: z
    .object({ number: formFieldSchema, contact: formFieldSchema }, 'Order number is required.')
    .check(({ value, issues }) => {
      for (const field of ORDER_LINK_FIELDS) {
        const message = findOrderLinkProblem(field, value[field])
        if (message) issues.push({ code: 'custom', message, path: [field], input: value[field] })
      }
    }),
  response: z.object({}),
})
