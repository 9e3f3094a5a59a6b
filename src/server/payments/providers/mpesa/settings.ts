import * as z from 'zod/mini'
import { originSchema } from '#server/platform/urls.ts'

const tillNumberSchema = z.optional(z.string().check(z.regex(/^\d{5,7}$/, 'must have 5 to 7 digits')))

/** `docs/operating.md` describes these settings. */
export const mpesaSettingsShape = {
  MPESA_BASE: z._default(originSchema, 'https://api.safaricom.co.ke'),
  MPESA_CONSUMER_KEY: z.optional(z.string()),
  MPESA_CONSUMER_SECRET: z.optional(z.string()),
  MPESA_PASSKEY: z.optional(z.string()),
  /** The paybill number or, with a till, its head office number. */
  MPESA_SHORTCODE: tillNumberSchema,
  MPESA_TILL: tillNumberSchema,
  /**
   * The user who may reverse payments and pay out, and their encrypted password. If either is missing, refunds are
   * made manually.
   */
  MPESA_INITIATOR: z.optional(z.string()),
  MPESA_SECURITY_CREDENTIAL: z.optional(z.string()),
  /**
   * The short code that pays out parts of payments, with the same initiator. Without it, partial refunds are made
   * manually.
   */
  MPESA_DISBURSEMENT_SHORTCODE: tillNumberSchema,
  /** The organisation's Safaricom number. Daraja lists payments only if it is set. */
  MPESA_NOMINATED_NUMBER: z.optional(
    z.string().check(z.regex(/^254[17]\d{8}$/, 'must look like 2547XXXXXXXX')),
  ),
}

const configSchema = z.object(mpesaSettingsShape)

export const REQUIRED_MPESA_SETTINGS = [
  'MPESA_CONSUMER_KEY',
  'MPESA_CONSUMER_SECRET',
  'MPESA_PASSKEY',
  'MPESA_SHORTCODE',
] as const satisfies (keyof typeof mpesaSettingsShape)[]

export const MISSING_INITIATOR_ERROR = 'MPESA_INITIATOR isn’t set.'
export const MISSING_PAYOUT_SHORTCODE_ERROR =
  'M-Pesa reverses whole payments only, and MPESA_DISBURSEMENT_SHORTCODE isn’t set.'

export type DarajaSettings = {
  base: string
  consumerKey: string
  consumerSecret: string
  passkey: string
  shortcode: string
  /** Set only for Buy Goods payments. */
  till: string | undefined
  initiator: { name: string; securityCredential: string } | undefined
  disbursementShortcode: string | undefined
  nominatedNumber: string | undefined
}

export function toDarajaSettings(config: z.infer<typeof configSchema>): DarajaSettings | undefined {
  const {
    MPESA_CONSUMER_KEY: consumerKey,
    MPESA_CONSUMER_SECRET: consumerSecret,
    MPESA_PASSKEY: passkey,
    MPESA_SHORTCODE: shortcode,
    MPESA_INITIATOR: name,
    MPESA_SECURITY_CREDENTIAL: securityCredential,
  } = config
  if (!consumerKey || !consumerSecret || !passkey || !shortcode) return undefined
  const initiator = name && securityCredential ? { name, securityCredential } : undefined
  const { MPESA_BASE: base, MPESA_TILL: till } = config
  const disbursementShortcode = config.MPESA_DISBURSEMENT_SHORTCODE
  const nominatedNumber = config.MPESA_NOMINATED_NUMBER
  return {
    base,
    consumerKey,
    consumerSecret,
    passkey,
    shortcode,
    till,
    initiator,
    disbursementShortcode,
    nominatedNumber,
  }
}

export function findMpesaProblems(config: z.infer<typeof configSchema>): string[] {
  const { MPESA_DISBURSEMENT_SHORTCODE, MPESA_INITIATOR, MPESA_SECURITY_CREDENTIAL } = config
  return MPESA_DISBURSEMENT_SHORTCODE && !(MPESA_INITIATOR && MPESA_SECURITY_CREDENTIAL)
    ? ['MPESA_DISBURSEMENT_SHORTCODE also needs MPESA_INITIATOR and MPESA_SECURITY_CREDENTIAL']
    : []
}
