import * as z from 'zod/mini'
import { createTextSchema } from '#shared/api-call.ts'
import { CARD_BRANDS } from '#shared/checkout/checkout-form.ts'
import { findPaymentPhoneProblem, PAYMENT_PROBLEMS } from './payment.ts'
import {
  DEFAULT_METHOD,
  listProvidersWithFlow,
  PAYMENT_METHODS,
  type PaymentMethod,
  PROVIDER_NAMES,
} from './providers.ts'

const cardSummarySchema = z.object(
  {
    brand: z.enum(CARD_BRANDS, 'Unknown card brand.'),
    lastFour: z
      .string('The card’s last four digits are missing.')
      .check(z.regex(/^\d{4}$/, 'Send only the card’s last four digits.')),
  },
  'Card details are missing.',
)

const cardSchema = z.object({
  provider: z.optional(z.enum(listProvidersWithFlow('card'))),
  /** Twelve digits in a row could be part of a card number, so the pattern rejects them. */
  token: z
    .string('The payment token is missing.')
    .check(z.regex(/^tok_(?!.*\d{12})[A-Za-z0-9_]{1,120}$/, 'The payment token is invalid.')),
  card: cardSummarySchema,
})
/** Each provider has its own schema, because the message for an invalid number names the provider. */
const promptSchemas = listProvidersWithFlow('prompt').map((provider) =>
  z.object({
    provider: z.literal(provider),
    phone: createTextSchema((text) => findPaymentPhoneProblem(text, provider)),
  }),
)
const noFieldsSchema = z.object({
  provider: z.enum([...listProvidersWithFlow('redirect'), ...listProvidersWithFlow('on-delivery')]),
})

export const paymentSchema = z.discriminatedUnion(
  'provider',
  [cardSchema, ...promptSchemas, noFieldsSchema],
  'Please choose a payment method.',
)
export type Payment = z.infer<typeof paymentSchema>

export function getPaymentMethod({ provider = DEFAULT_METHOD }: Payment): PaymentMethod {
  return provider
}

export const SIMULATED_PAYMENT_TOKEN = 'tok_simulated'

export const paymentStateSchema = z.object({
  number: z.string(),
  /**
   * Only `cancelled` is final. For example, a late payment can place an `expired` order, and a `paid` one can be
   * cancelled.
   */
  status: z.enum(['waiting', 'failed', 'paid', 'expired', 'cancelled']),
  /** One paragraph per line. The first is about the problem, if there is one. */
  message: z.string(),
  provider: z.enum(PROVIDER_NAMES),
  problem: z.nullable(z.enum(PAYMENT_PROBLEMS)),
  totalCents: z.int(),
  dueCents: z.int(),
  phone: z.nullable(z.string()),
  redirectTo: z.nullable(z.string()),
  /** The methods that the amount due can be paid by. */
  methods: z.array(z.enum(PAYMENT_METHODS)),
  // The times are relative, because the browser's clock may be wrong.
  pollInMs: z.nullable(z.int()),
  promptAgainInMs: z.nullable(z.int()),
  expiresInMs: z.nullable(z.int()),
})
export type PaymentState = z.infer<typeof paymentStateSchema>
