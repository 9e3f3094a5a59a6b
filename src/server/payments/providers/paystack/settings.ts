import * as z from 'zod/mini'
import { originSchema } from '#server/platform/urls.ts'

export const paystackSettingsShape = {
  PAYSTACK_BASE: z._default(originSchema, 'https://api.paystack.co'),
  PAYSTACK_SECRET_KEY: z.optional(z.string()),
}

const configSchema = z.object(paystackSettingsShape)

export const REQUIRED_PAYSTACK_SETTINGS = ['PAYSTACK_SECRET_KEY'] as const

export type PaystackSettings = {
  base: string
  secretKey: string
  /** Paystack sends receipts to this address if the customer has no email address. */
  shopEmail: string
}

export function toPaystackSettings({
  PAYSTACK_BASE: base,
  PAYSTACK_SECRET_KEY: secretKey,
  OPERATOR_EMAIL: shopEmail,
}: z.infer<typeof configSchema> & { OPERATOR_EMAIL: string }): PaystackSettings | undefined {
  return secretKey ? { base, secretKey, shopEmail } : undefined
}
