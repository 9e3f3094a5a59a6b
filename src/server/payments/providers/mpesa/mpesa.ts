import * as z from 'zod/mini'
import type { Declined, PaymentProvider } from '#server/payments/providers/provider.ts'
import { formatKsh, kshOf } from '#shared/format.ts'
import { MPESA_LIMITS_KSH, type PaymentProblem } from '#shared/payments/payment.ts'
import { shop } from '#shared/shop.ts'
import { type DarajaDeps, type DarajaSettings, darajaClient, NO_TOKEN, TURNED_AWAY } from './daraja.ts'

const DESCRIPTION_CHARACTERS = 13
const PAID = '0'
/** Answers of a query that only say: not yet. The first is an error code, and means something else for a prompt. */
const STILL_PROCESSING: readonly string[] = ['500.001.1001', '4999']

const PROBLEM_BY_RESULT: Record<string, PaymentProblem> = {
  '1': 'no_funds',
  '17': 'same_amount',
  '26': 'provider_busy',
  '1001': 'phone_busy',
  '1019': 'timed_out',
  '1025': 'unreachable',
  '1032': 'cancelled',
  '1037': 'unreachable',
  '2001': 'wrong_pin',
  '9999': 'unreachable',
}

const PROBLEM_BY_ERROR: Record<string, PaymentProblem> = {
  [NO_TOKEN]: 'provider_busy',
  [TURNED_AWAY]: 'provider_busy',
  '404.001.03': 'provider_busy',
  '500.001.1001': 'phone_busy',
  '500.003.02': 'provider_busy',
  '500.003.03': 'provider_busy',
}

const limits = `from ${formatKsh(MPESA_LIMITS_KSH.least)} to ${formatKsh(MPESA_LIMITS_KSH.most)}`

/** The messages for the shopper, each with the state of the money. */
const MESSAGES: Record<PaymentProblem, string> = {
  no_funds:
    'The M-Pesa balance is too low for this order. Nothing was charged. Top up and try again, or pay another way.',
  wrong_pin: 'The M-Pesa PIN was not right. Nothing was charged. Please try again.',
  cancelled: 'The payment was cancelled on the phone. Nothing was charged.',
  unreachable:
    'The phone did not answer. Nothing was charged. Check that it is on and has a signal, then try again.',
  timed_out: 'The prompt on the phone was not answered in time. Nothing was charged. Please try again.',
  same_amount:
    'M-Pesa does not take the same amount from one phone twice within two minutes. Nothing was charged this time. Please wait two minutes and try again.',
  phone_busy:
    'M-Pesa is still busy with another payment of this phone. Nothing was charged. Please wait a minute and try again.',
  invalid_phone: 'M-Pesa does not know this phone number. Nothing was charged. Please check the number.',
  amount_limit: `M-Pesa takes payments ${limits}. Nothing was charged. Please pay another way.`,
  provider_busy: 'M-Pesa cannot take payments just now. Nothing was charged. Please try again in a minute.',
  declined: 'M-Pesa did not accept the payment. Nothing was charged. Please try again, or pay another way.',
}

const declined = (problem: PaymentProblem): Declined => ({
  outcome: 'declined',
  problem,
  message: MESSAGES[problem],
})

/** Payments by M-Pesa Express: a prompt on the shopper's phone, paid with the M-Pesa PIN. */
export function mpesaProvider(settings: DarajaSettings, ctx: DarajaDeps): PaymentProvider {
  const daraja = darajaClient(settings, ctx)
  return {
    name: 'mpesa',
    isRepeatable: false,

    async begin({ phone, amountCents, orderNumber, token }, { callbackUrl }) {
      const amountKsh = kshOf(amountCents)
      if (!phone) return declined('invalid_phone')
      if (amountKsh < MPESA_LIMITS_KSH.least || amountKsh > MPESA_LIMITS_KSH.most)
        return declined('amount_limit')
      const answer = await daraja.push({
        phone,
        amountKsh,
        reference: orderNumber,
        description: shop.name.slice(0, DESCRIPTION_CHARACTERS),
        callbackUrl,
        token,
      })
      switch (answer.kind) {
        case 'answered':
          return { outcome: 'pending', reference: answer.data.CheckoutRequestID }
        case 'refused': {
          return { ...declined(problemOf(answer)), error: `${answer.code} ${answer.message}` }
        }
        case 'no_answer':
          return { outcome: 'unknown', error: answer.error }
      }
    },

    async check({ reference, token }) {
      if (!reference) return { outcome: 'unknown', error: 'M-Pesa never named this prompt.' }
      const answer = await daraja.query(reference, token)
      if (answer.kind === 'no_answer') return { outcome: 'unknown', error: answer.error }
      if (answer.kind === 'refused')
        return STILL_PROCESSING.includes(answer.code)
          ? { outcome: 'pending' }
          : { outcome: 'unknown', error: `${answer.code} ${answer.message}` }
      const { ResultCode: code } = answer.data
      if (code === undefined || STILL_PROCESSING.includes(code)) return { outcome: 'pending' }
      // The query tells no receipt; the callback does.
      if (code === PAID) return { outcome: 'settled', reference, receipt: null }
      return declined(PROBLEM_BY_RESULT[code] ?? 'declined')
    },

    async refund({ receipt, amountCents, orderNumber, token }, { callbackUrl }) {
      if (!receipt) return { outcome: 'by_hand', error: 'M-Pesa has not told the receipt.' }
      if (!daraja.canReverse) return { outcome: 'by_hand', error: 'MPESA_INITIATOR is not set.' }
      const remarks = `Refund ${orderNumber}`
      const answer = await daraja.reverse({
        receipt,
        amountKsh: kshOf(amountCents),
        remarks,
        callbackUrl,
        token,
      })
      if (answer.kind === 'answered') return { outcome: 'requested' }
      const error = answer.kind === 'refused' ? `${answer.code} ${answer.message}` : answer.error
      return { outcome: 'failed', error }
    },
  }
}

/** Why a prompt was refused. Two of the codes have two meanings, which only the message tells apart. */
function problemOf({ code, message }: { code: string; message: string }): PaymentProblem {
  if (code.startsWith('400') && /phone|partya/i.test(message)) return 'invalid_phone'
  if (code === '500.001.1001' && !/lock|process/i.test(message)) return 'provider_busy'
  return PROBLEM_BY_ERROR[code] ?? 'declined'
}

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

const reversalResultSchema = z.object({
  Result: z.object({ ResultCode: codeSchema, ResultDesc: z.optional(z.string()) }),
})

/** What Daraja reports of a prompt or a reversal; unsigned, so a claim only. */
export type MpesaCallback =
  | { about: 'prompt'; reference: string; isPaid: boolean; receipt: string | null; amountKsh: number | null }
  | { about: 'reversal'; outcome: 'done' | 'unknown_payment' | 'failed'; error: string }

const REVERSED: readonly string[] = ['0', 'R000001']
const UNKNOWN_PAYMENT = 'R000002'

/** The report in a callback's body; undefined when it is none. */
export function parseMpesaCallback(body: unknown): MpesaCallback | undefined {
  const stk = stkCallbackSchema.safeParse(body)
  if (stk.success) {
    const { CheckoutRequestID, ResultCode, CallbackMetadata } = stk.data.Body.stkCallback
    const item = (name: string) => CallbackMetadata?.Item.find(({ Name }) => Name === name)?.Value
    const receipt = receiptSchema.safeParse(item('MpesaReceiptNumber'))
    const amount = amountSchema.safeParse(item('Amount'))
    return {
      about: 'prompt',
      reference: CheckoutRequestID,
      isPaid: ResultCode === PAID,
      receipt: receipt.success ? receipt.data : null,
      amountKsh: amount.success ? amount.data : null,
    }
  }
  const reversal = reversalResultSchema.safeParse(body)
  if (!reversal.success) return undefined
  const { ResultCode: code, ResultDesc: error = '' } = reversal.data.Result
  if (REVERSED.includes(code)) return { about: 'reversal', outcome: 'done', error: '' }
  const outcome = code === UNKNOWN_PAYMENT ? 'unknown_payment' : 'failed'
  return { about: 'reversal', outcome, error: `${code} ${error}`.trim() }
}
