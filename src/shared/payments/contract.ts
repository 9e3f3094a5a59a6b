import * as z from 'zod/mini'
import { validatedText } from '#shared/api-call.ts'
import { CARD_BRANDS } from '#shared/checkout/checkout-form.ts'
import { PAYMENT_PROBLEMS, promptPhoneProblem } from './payment.ts'
import {
  DEFAULT_METHOD,
  PAYMENT_METHODS,
  type PaymentMethod,
  PROVIDER_NAMES,
  providersOf,
} from './providers.ts'

const cardSummarySchema = z.object(
  {
    brand: z.enum(CARD_BRANDS, 'The card brand is not known.'),
    lastFour: z
      .string('The last four digits are missing.')
      .check(z.regex(/^\d{4}$/, 'Send the last four digits only.')),
  },
  'The card is missing.',
)

const cardSchema = z.object({
  provider: z.optional(z.enum(providersOf('card'))),
  /** From the provider's fields; whatever could hold a card number is refused. */
  token: z
    .string('The payment token is missing.')
    .check(z.regex(/^tok_(?!.*\d{12})[A-Za-z0-9_]{1,120}$/, 'The payment token is not valid.')),
  card: cardSummarySchema,
})
/** One per provider: the message for a wrong number names it. */
const promptSchemas = providersOf('prompt').map((provider) =>
  z.object({
    provider: z.literal(provider),
    /** The phone that gets the prompt, in any of the usual formats. */
    phone: validatedText((text) => promptPhoneProblem(text, provider)),
  }),
)
const redirectSchema = z.object({ provider: z.enum(providersOf('redirect')) })

/**
 * How the shopper pays. By card (the default): a token for the card, and what may be shown of it, never the card itself;
 * by a prompt on a phone; or on the provider's own page.
 */
export const paymentSchema = z.discriminatedUnion(
  'provider',
  [cardSchema, ...promptSchemas, redirectSchema],
  'Please choose how to pay.',
)
export type Payment = z.infer<typeof paymentSchema>

/** The provider that a request chooses. */
export function methodOf({ provider = DEFAULT_METHOD }: Payment): PaymentMethod {
  return provider
}

/** What the simulated provider takes for a card; a real provider's fields give a token of their own. */
export const SIMULATED_PAYMENT_TOKEN = 'tok_simulated'

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
  provider: z.enum(PROVIDER_NAMES),
  /** Why the last attempt failed. */
  problem: z.nullable(z.enum(PAYMENT_PROBLEMS)),
  totalCents: z.int(),
  /** The phone that got the prompt, as 254XXXXXXXXX. */
  phone: z.nullable(z.string()),
  /** The provider's page to pay on, while it waits for the shopper. */
  redirectTo: z.nullable(z.string()),
  /** The ways that this order can be paid now, in order; empty when it cannot. */
  ways: z.array(z.enum(PAYMENT_METHODS)),
  // Counted from the answer, because a browser's clock may be wrong.
  /** When to poll again; null when nothing will change by itself. */
  pollInMs: z.nullable(z.int()),
  /** When the same phone can be prompted again, 0 for now; null when it cannot. */
  promptAgainInMs: z.nullable(z.int()),
  /** When the order expires unless it is paid; null when it does not. */
  expiresInMs: z.nullable(z.int()),
})
export type PaymentState = z.infer<typeof paymentStateSchema>
