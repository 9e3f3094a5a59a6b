import * as z from 'zod/mini'
import { type BillingField, billingProblem, CARD_BRANDS } from '../rules/checkout-form.ts'
import { visibleAddress } from '../rules/email.ts'
import { ORDER_STATUSES } from '../rules/order-status.ts'
import { call } from './call.ts'
import { ruledText } from './form-text.ts'
import { lineRequestsSchema, promoCodeSchema } from './promotions.ts'

/** The request header that makes placing an order safe to repeat: one key, one order. */
export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key'
/** What such a key looks like; `crypto.randomUUID()` makes one. */
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

/** How the order is paid: the provider's stand-in for the card, and what may be shown of the card. Never the card itself. */
export const paymentSchema = z.object(
  {
    /** From the provider's fields; whatever could hold a card number is refused. */
    token: z
      .string('The payment token is missing.')
      .check(z.regex(/^tok_(?!.*\d{12})[A-Za-z0-9_]{1,120}$/, 'The payment token is not valid.')),
    card: cardSummarySchema,
  },
  'The payment is missing.',
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

/** A placed order as its owner sees it, with the lines as sold. */
export const orderSchema = z.object({
  /** The idempotency key it was placed under: how a browser whose answer was lost finds its order again. */
  key: z.string(),
  /** What people say: `P-7K3M9Q`. */
  number: z.string(),
  status: z.enum(ORDER_STATUSES),
  /** Milliseconds since the epoch. */
  placedAtMs: z.int(),
  lines: z.array(
    z.object({
      productId: z.int(),
      title: z.string(),
      image: z.string(),
      unitPriceCents: z.int(),
      qty: z.int(),
    }),
  ),
  totals: orderTotalsSchema,
  promoCode: z.nullable(z.string()),
  /** Where the confirmation goes. */
  email: z.string(),
  card: z.nullable(z.object({ brand: z.string(), lastFour: z.string() })),
})
export type Order = z.infer<typeof orderSchema>

/**
 * Places an order. Header {@link IDEMPOTENCY_KEY_HEADER}: keep one key with the cart until this call has answered
 * 201 or 200 (200: an earlier try had already placed this very order). After any failure the same key may be sent
 * again; nothing has been charged then. Failures, each with a sentence in `message`:
 * 400 `invalid_fields` (`errors` by field: `billing.email`, `lines.0.qty`), `invalid_key`; 401;
 * 402 `payment_declined`; 409 `prices_changed` and `promotion_refused` with a {@link changedBodySchema};
 * 409 `key_reused`: an earlier try with other content has become the order in the {@link keyReusedBodySchema};
 * 422 `unknown_product` with an {@link unknownProductBodySchema}; 503 `unavailable`.
 */
export const placeOrder = call({
  method: 'POST',
  path: '/orders',
  request: z.object({
    lines: lineRequestsSchema,
    billing: billingSchema,
    promoCode: z.optional(promoCodeSchema),
    payment: paymentSchema,
    /** The total on the button, in whole KSH. */
    expectedTotal: z
      .int('The expected total is a whole number of KSH.')
      .check(z.minimum(0, 'The expected total is at least 0.')),
  }),
  response: z.object({ order: orderSchema }),
})
export type OrderRequest = z.infer<typeof placeOrder.request>

/**
 * The 409 body where the totals are not those the shopper saw: the cart's lines as the catalogue has them now
 * (put them into the cart as they are) and the checkout totals. With `promotion_refused` the totals are
 * without the code, which is to be dropped.
 */
export const changedBodySchema = z.object({
  message: z.string(),
  code: z.enum(['prices_changed', 'promotion_refused']),
  totals: orderTotalsSchema,
  lines: z.array(
    z.object({
      id: z.int(),
      title: z.string(),
      description: z.string(),
      price: z.number(),
      image: z.string(),
      qty: z.int(),
    }),
  ),
})

/** The 409 `key_reused` body: the order that an earlier try under this key has become. */
export const keyReusedBodySchema = z.object({
  message: z.string(),
  code: z.literal('key_reused'),
  order: orderSchema,
})

/** The 422 body: the products that the shop no longer has. */
export const unknownProductBodySchema = z.object({
  message: z.string(),
  code: z.literal('unknown_product'),
  productIds: z.array(z.int()),
})

/** Own orders, newest first, a page at a time: `?before=` takes `next` of the page before. 401, 400 for a broken `before`. */
export const listOrders = call({
  method: 'GET',
  path: '/orders',
  request: z.undefined(),
  response: z.object({ orders: z.array(orderSchema), next: z.nullable(z.string()) }),
})
