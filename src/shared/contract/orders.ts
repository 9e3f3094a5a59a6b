import * as z from 'zod/mini'
import { type BillingField, billingProblem, CARD_BRANDS, landmarkProblem } from '../rules/checkout-form.ts'
import { DELIVERY_METHODS } from '../rules/delivery.ts'
import { visibleAddress } from '../rules/email.ts'
import { ORDER_STATUSES } from '../rules/order-status.ts'
import {
  mpesaPhoneProblem,
  PAYMENT_PROBLEMS,
  PAYMENT_PROVIDERS,
  riderPhoneProblem,
} from '../rules/payment.ts'
import { call, ruledText } from './call.ts'
import { lineRequestsSchema, promoCodeSchema } from './promotions.ts'

/** The request header that makes placing an order safe to repeat: one key, one order. */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key'
/** The format of such a key; `crypto.randomUUID()` makes one. */
export const IDEMPOTENCY_KEY = /^[A-Za-z0-9_-]{16,64}$/

const billingText = (field: BillingField, clean?: (value: string) => string) =>
  ruledText((value) => billingProblem(field, value), clean)

/** The billing part of the checkout form (§ 3); the messages are those of § 5. */
export const billingSchema = z.object(
  {
    firstName: billingText('firstName'),
    lastName: billingText('lastName'),
    email: billingText('email', visibleAddress),
    address: billingText('address'),
    /** Empty when there is none. */
    address2: billingText('address2'),
    country: billingText('country'),
    state: billingText('state'),
    zip: billingText('zip'),
    /** For the rider; empty or left out when there is none. */
    phone: z.optional(ruledText(riderPhoneProblem)),
    /** What the rider finds the address by; empty or left out when there is none. */
    landmark: z.optional(ruledText(landmarkProblem)),
  },
  'The billing details are missing.',
)
export type Billing = z.infer<typeof billingSchema>

const cardSummarySchema = z.object(
  {
    brand: z.enum(CARD_BRANDS, 'The card brand is not known.'),
    lastFour: z
      .string('The last four digits are missing.')
      .check(z.regex(/^\d{4}$/, 'Send the last four digits only.')),
  },
  'The card is missing.',
)

const simulatedSchema = z.object({
  provider: z.optional(z.literal('simulated')),
  /** From the provider's fields; whatever could hold a card number is refused. */
  token: z
    .string('The payment token is missing.')
    .check(z.regex(/^tok_(?!.*\d{12})[A-Za-z0-9_]{1,120}$/, 'The payment token is not valid.')),
  card: cardSummarySchema,
})
const mpesaSchema = z.object({
  provider: z.literal('mpesa'),
  /** The phone that gets the prompt, in any of the usual formats. */
  phone: ruledText(mpesaPhoneProblem),
})
const paystackSchema = z.object({ provider: z.literal('paystack') })

/**
 * How the shopper pays. `simulated` (the default): a stand-in for the card, and what may be shown of it, never the
 * card itself; `mpesa`: a prompt on a phone; `paystack`: on Paystack's own page.
 */
export const paymentSchema = z.discriminatedUnion(
  'provider',
  [simulatedSchema, mpesaSchema, paystackSchema],
  'Please choose a way to pay.',
)
export type Payment = z.infer<typeof paymentSchema>

/** What the simulated provider takes for a card; a real provider's fields give a token of their own. */
export const SIMULATED_PAYMENT_TOKEN = 'tok_simulated'

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
const deliveryTermsSchema = z.object({
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
      provider: z.enum([...PAYMENT_PROVIDERS, 'manual']),
      receipt: z.nullable(z.string()),
      refund: z.nullable(z.enum(['due', 'done'])),
    }),
  ),
})
export type Order = z.infer<typeof orderSchema>

/** The state of an order's payment, with the texts and figures that checkout shows. */
export const paymentStateSchema = z.object({
  /** The order's number. */
  number: z.string(),
  /**
   * `waiting`: for the shopper or the provider, poll again; `failed`: the last attempt failed,
   * and the order can still be paid; `paid`, `expired` and `cancelled` are final for the shopper.
   */
  status: z.enum(['waiting', 'failed', 'paid', 'expired', 'cancelled']),
  /** One or two sentences for the shopper, money included. */
  message: z.string(),
  /** The way of the last attempt. */
  provider: z.enum([...PAYMENT_PROVIDERS, 'manual']),
  /** Why the last attempt failed. */
  problem: z.nullable(z.enum(PAYMENT_PROBLEMS)),
  totalCents: z.int(),
  /** The phone that got the prompt, as 254XXXXXXXXX. */
  phone: z.nullable(z.string()),
  /** The provider's page to pay on, while it waits for the shopper. */
  redirectTo: z.nullable(z.string()),
  /** The ways that this order can be paid now, in order; empty when it cannot. */
  ways: z.array(z.enum(PAYMENT_PROVIDERS)),
  // Counted from the answer, because a browser's clock may be wrong.
  /** When to poll again; null when nothing will change by itself. */
  pollInMs: z.nullable(z.int()),
  /** When the same phone can be prompted again, 0 for now; null when it cannot. */
  promptAgainInMs: z.nullable(z.int()),
  /** When the order expires unless it is paid; null when it does not. */
  expiresInMs: z.nullable(z.int()),
})
export type PaymentState = z.infer<typeof paymentStateSchema>

const orderAndPaymentSchema = z.object({ order: orderSchema, payment: paymentStateSchema })

/**
 * Places an order and starts its payment. Header {@link IDEMPOTENCY_KEY_HEADER}: use one key for the cart until the
 * order is paid, has expired or is cancelled. 201: placed and paid. 200: a request before this one had placed it.
 * 202: the order exists and awaits its payment; poll {@link getPayment}. The same key sent again never charges
 * twice while an attempt is open; after a failed attempt it starts another for the same order.
 * Failures, each with a sentence in `message`: 400 `invalid_fields` (`errors` by field: `billing.email`,
 * `lines.0.qty`, `payment.phone`), `invalid_key`; 401; 402 `payment_declined` and 503 `payment_unavailable`, both
 * with a {@link paymentFailedBodySchema}: the order stays and can be paid, and may be waiting for the provider; 409 `prices_changed` and
 * `promotion_refused` with a {@link changedBodySchema}; 409 `key_reused` with a {@link keyReusedBodySchema};
 * 409 `out_of_stock` with an {@link outOfStockBodySchema};
 * 409 `order_closed`: the order under this key has expired or was cancelled, take a new key;
 * 422 `unknown_product` with an {@link unknownProductBodySchema}; 429; 503 `unavailable`.
 */
export const placeOrder = call({
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
export const getPayment = call({
  method: 'GET',
  path: '/orders/:number/payment',
  request: z.undefined(),
  response: orderAndPaymentSchema,
})

/**
 * Starts another attempt to pay an own order: the prompt once again, or another way. 200: paid; 202: awaiting the
 * shopper. 400 `invalid_fields`; 401; 402 `payment_declined`, 503 `payment_unavailable`, 409 `prompt_too_soon` (with
 * Retry-After: the same phone can be prompted every two minutes), 409 `out_of_stock` and 409 `order_closed` with a
 * {@link paymentFailedBodySchema}; 404; 429; 503.
 */
export const payOrder = call({
  method: 'POST',
  path: '/orders/:number/payment',
  request: z.object({ payment: paymentSchema }),
  response: orderAndPaymentSchema,
})

/**
 * Cancels an own order: stops its payment or, while nothing is packed, refunds it. 401; 404;
 * 409 `order_not_cancellable` with a {@link paymentFailedBodySchema}; 503. Cancelling twice is no failure.
 */
export const cancelOrder = call({
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
export const getOrder = call({
  method: 'GET',
  path: '/orders/:number',
  request: z.undefined(),
  response: orderViewSchema,
})

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

/**
 * Own orders, newest first, a page at a time: `?before=` takes `next` of the page before. With the header
 * {@link IDEMPOTENCY_KEY_HEADER}, the order placed under that key alone, however old. 401, 400 for a broken `before`.
 */
export const listOrders = call({
  method: 'GET',
  path: '/orders',
  request: z.undefined(),
  response: z.object({ orders: z.array(orderSchema), next: z.nullable(z.string()) }),
})
