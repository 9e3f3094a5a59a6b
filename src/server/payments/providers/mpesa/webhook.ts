import * as z from 'zod/mini'
import type { WebhookEvent } from '#server/payments/providers/provider.ts'
import { CENTS_PER_KSH } from '#shared/format.ts'

const PAID_CODE = '0'
const REVERSED_CODES: readonly string[] = ['0', 'R000001']
const UNKNOWN_PAYMENT_CODE = 'R000002'

const codeSchema = z.pipe(z.union([z.string(), z.number()]), z.transform(String))

const stkCallbackSchema = z.object({
  Body: z.object({
    stkCallback: z.object({
      CheckoutRequestID: z.string().check(z.minLength(1), z.maxLength(120)),
      ResultCode: codeSchema,
      CallbackMetadata: z.optional(
        z.object({ Item: z.array(z.object({ Name: z.string(), Value: z.optional(z.unknown()) })) }),
      ),
    }),
  }),
})

const receiptSchema = z.string().check(z.regex(/^[A-Z0-9]{6,20}$/))

const amountSchema = z.union([
  z.number(),
  z.pipe(z.string().check(z.regex(/^\d+(\.\d+)?$/)), z.transform(Number)),
])

/** The result of a reversal or a payout. Only payouts have a `TransactionAmount`. */
const resultSchema = z.object({
  Result: z.object({
    ResultCode: codeSchema,
    ResultDesc: z.optional(z.string()),
    TransactionID: z.catch(z.optional(receiptSchema), undefined),
    ResultParameters: z.optional(
      z.object({ ResultParameter: z.array(z.object({ Key: z.string(), Value: z.optional(z.unknown()) })) }),
    ),
  }),
})

const TIMED_OUT_ERROR = 'M-Pesa was too busy to make this refund.'

/** The result is unverified, because Daraja doesn't sign callbacks. */
export function parseDarajaCallback(body: unknown, { isTimeout = false } = {}): WebhookEvent {
  const common = { kind: 'refund', attemptId: null, amountCents: null } as const
  // M-Pesa may still make the refund, so a retry must use the same reference.
  if (isTimeout) return { ...common, result: { outcome: 'failed', error: TIMED_OUT_ERROR } }
  const stk = stkCallbackSchema.safeParse(body)
  if (stk.success) {
    const { CheckoutRequestID: reference, ResultCode, CallbackMetadata } = stk.data.Body.stkCallback
    const findItem = (name: string) => CallbackMetadata?.Item.find(({ Name }) => Name === name)?.Value
    const receipt = receiptSchema.safeParse(findItem('MpesaReceiptNumber')).data ?? null
    const amountKsh = amountSchema.safeParse(findItem('Amount')).data ?? null
    const paid = ResultCode === PAID_CODE ? { receipt, amountKsh } : null
    return { kind: 'payment', attemptId: null, reference, paid }
  }
  const { data, success } = resultSchema.safeParse(body)
  if (!success) return { kind: 'invalid' }
  const { ResultCode: code, ResultDesc: description = '', ResultParameters, TransactionID } = data.Result
  const paidOut = ResultParameters?.ResultParameter.find(({ Key }) => Key === 'TransactionAmount')?.Value
  const amountKsh = amountSchema.safeParse(paidOut).data
  const amountCents = amountKsh === undefined ? null : Math.round(amountKsh * CENTS_PER_KSH)
  if (REVERSED_CODES.includes(code)) {
    const receipt = code === PAID_CODE && TransactionID ? { receipt: TransactionID } : {}
    return { ...common, amountCents, result: { outcome: 'done', ...receipt } }
  }
  const error = `${code} ${description}`.trim()
  return code === UNKNOWN_PAYMENT_CODE
    ? { ...common, result: { outcome: 'by_hand', error } }
    : { ...common, result: { outcome: 'failed', error, isFinal: true } }
}
