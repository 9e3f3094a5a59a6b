import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'

export const DARAJA_MERCHANT = {
  consumerKey: 'sandbox-key',
  consumerSecret: 'sandbox-secret',
  shortcode: '174379',
  passkey: 'sandbox-passkey',
  initiator: 'sandbox-initiator',
  securityCredential: 'c2FuZGJveA==',
  disbursementShortcode: '600999',
} as const

const urlSchema = z.url({ protocol: /^https?$/ })
/** M-Pesa rejects URLs whose path contains one of these words. */
const callbackUrlSchema = urlSchema.check(
  z.refine((url) => !/mpesa|safaricom|query|sql|cmd|exec/i.test(new URL(url).pathname)),
)
const mobileSchema = z.string().check(z.regex(/^254[17]\d{8}$/))
const createTextSchema = (min: number, max: number) => z.string().check(z.minLength(min), z.maxLength(max))
const createAmountSchema = (min: number) => z.int().check(z.minimum(min), z.maximum(250_000))
const timeSchema = z.string().check(z.regex(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/))

export const pushRequestSchema = z.object({
  BusinessShortCode: z.literal(DARAJA_MERCHANT.shortcode),
  Password: z.string(),
  Timestamp: z.string().check(z.regex(/^20\d{12}$/)),
  TransactionType: z.enum(['CustomerPayBillOnline', 'CustomerBuyGoodsOnline']),
  Amount: createAmountSchema(1),
  PartyA: mobileSchema,
  PartyB: z.string().check(z.regex(/^\d{5,7}$/)),
  PhoneNumber: mobileSchema,
  CallBackURL: callbackUrlSchema,
  AccountReference: createTextSchema(1, 12),
  TransactionDesc: createTextSchema(1, 13),
})

export const queryRequestSchema = z.object({
  Password: z.string(),
  Timestamp: z.string(),
  CheckoutRequestID: z.string(),
})

const operatorSchema = z.literal(DARAJA_MERCHANT.initiator)
const resultFields = {
  SecurityCredential: z.literal(DARAJA_MERCHANT.securityCredential),
  ResultURL: urlSchema,
  QueueTimeOutURL: urlSchema,
  Remarks: createTextSchema(2, 100),
}

export const reversalRequestSchema = z.object({
  Initiator: operatorSchema,
  CommandID: z.literal('TransactionReversal'),
  TransactionID: z.string(),
  Amount: z.int(),
  ReceiverParty: z.string(),
  RecieverIdentifierType: z.literal('11'),
  ...resultFields,
})

export const payoutRequestSchema = z.object({
  OriginatorConversationID: createTextSchema(1, 60),
  InitiatorName: operatorSchema,
  CommandID: z.literal('BusinessPayment'),
  Amount: createAmountSchema(10),
  PartyA: z.literal(DARAJA_MERCHANT.disbursementShortcode),
  PartyB: mobileSchema,
  ...resultFields,
})

export const registerRequestSchema = z.object({
  ShortCode: z.string(),
  ResponseType: z.enum(['Completed', 'Cancelled']),
  ConfirmationURL: callbackUrlSchema,
  ValidationURL: urlSchema,
})

export const pullRequestSchema = z.object({
  StartDate: timeSchema,
  EndDate: timeSchema,
  OffSetValue: z.string(),
})

export function validateBody<Schema extends z.ZodMiniType>(schema: Schema) {
  return zValidator('json', schema, (parsed) => {
    if (parsed.success) return
    const field = parsed.error.issues[0]?.path.join('.') || 'request'
    return refuse('400.002.02', `Bad Request - Invalid ${field}`)
  })
}

export function accept(more: object = {}): Response {
  const description = 'Accept the service request successfully.'
  return Response.json({ ResponseCode: '0', ResponseDescription: description, ...more })
}

/** The HTTP status is the start of the error code. */
export function refuse(errorCode: string, errorMessage: string): Response {
  const status = Number.parseInt(errorCode, 10)
  return Response.json({ requestId: crypto.randomUUID(), errorCode, errorMessage }, { status })
}
