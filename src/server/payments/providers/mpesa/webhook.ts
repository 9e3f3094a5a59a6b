import * as z from 'zod/mini'
import type { WebhookEvent } from '#server/payments/providers/provider.ts'

const PAID = '0'
const REVERSED: readonly string[] = ['0', 'R000001']
const UNKNOWN_PAYMENT = 'R000002'

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

const reversalSchema = z.object({
  Result: z.object({ ResultCode: codeSchema, ResultDesc: z.optional(z.string()) }),
})

/** Daraja signs neither prompt nor reversal callbacks. */
export function parseDarajaCallback(body: unknown): WebhookEvent {
  const stk = stkCallbackSchema.safeParse(body)
  if (stk.success) {
    const { CheckoutRequestID: reference, ResultCode, CallbackMetadata } = stk.data.Body.stkCallback
    const item = (name: string) => CallbackMetadata?.Item.find(({ Name }) => Name === name)?.Value
    const receipt = receiptSchema.safeParse(item('MpesaReceiptNumber')).data ?? null
    const amountKsh = amountSchema.safeParse(item('Amount')).data ?? null
    const paid = ResultCode === PAID ? { receipt, amountKsh } : null
    return { kind: 'payment', attemptId: null, reference, paid }
  }
  const reversal = reversalSchema.safeParse(body)
  if (!reversal.success) return { kind: 'invalid' }
  const { ResultCode: code, ResultDesc: description = '' } = reversal.data.Result
  const about = { kind: 'refund', attemptId: null, amountCents: null } as const
  if (REVERSED.includes(code)) return { ...about, result: { outcome: 'done' } }
  const outcome = code === UNKNOWN_PAYMENT ? 'by_hand' : 'failed'
  return { ...about, result: { outcome, error: `${code} ${description}`.trim() } }
}
