import * as z from 'zod/mini'
import { callProvider, type ProviderResponse } from '#server/payments/providers/call-provider.ts'
import type {
  DeclinedResult,
  PaymentProvider,
  RefundRequest,
  RefundResult,
} from '#server/payments/providers/provider.ts'
import { CENTS_PER_KSH } from '#shared/format.ts'
import type { PaymentProblem } from '#shared/payments/payment.ts'
import { shopProfile } from '#shared/shop.ts'
import type { PaystackSettings } from './settings.ts'
import { parsePaystackEvent } from './webhook.ts'

const CALL_TIMEOUT_MS = 20_000
const CHANNELS = ['card']

const initializedSchema = z.object({
  status: z.literal(true),
  data: z.object({ authorization_url: z.url({ protocol: /^https?$/ }), reference: z.string() }),
})
const verifiedSchema = z.object({
  status: z.literal(true),
  data: z.object({
    id: z.union([z.int(), z.string()]),
    status: z.string(),
    reference: z.string(),
    amount: z.int(),
    currency: z.string(),
  }),
})
const refundSchema = z.object({ status: z.literal(true), data: z.object({ status: z.string() }) })
const refundListSchema = z.object({
  status: z.literal(true),
  data: z.array(z.object({ status: z.string(), merchant_note: z.nullish(z.string()) })),
})
const refusalSchema = z.object({
  status: z.literal(false),
  message: z.optional(z.string()),
  code: z.optional(z.string()),
})

const ALREADY_REFUNDED = 'transaction_reversed'
const REFERENCE_NOT_FOUND = 'transaction_not_found'

/** The shop sets the reference, so an attempt can be queried even if the response was lost. */
export function createPaystackProvider({ base, secretKey, shopEmail }: PaystackSettings): PaymentProvider {
  const currency = shopProfile.currencyIso
  const call = (path: string, json?: object) =>
    callProvider({
      url: `${base}${path}`,
      method: json ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${secretKey}` },
      json,
      timeoutMs: CALL_TIMEOUT_MS,
    })

  async function queryRefund({
    payment,
    reference,
    isRestart = false,
  }: RefundRequest): Promise<RefundResult | undefined> {
    const response = await call(`/refund?${new URLSearchParams({ transaction: payment.receipt ?? '' })}`)
    const list = refundListSchema.safeParse(toBody(response))
    if (!list.success) return { outcome: 'failed', error: toErrorText(response) }
    const own = list.data.data.filter(({ merchant_note }) => merchant_note === reference)
    // A failed refund that the operator restarts is requested again with the same reference.
    const current = own.find(({ status }) => status !== 'failed') ?? (isRestart ? undefined : own[0])
    return current && toRefundResult(current)
  }

  return {
    name: 'paystack',
    isRepeatable: false,

    async startPayment({ id, email, amountCents }, { returnUrl }) {
      const response = await call('/transaction/initialize', {
        email: email || shopEmail,
        amount: amountCents,
        currency,
        reference: id,
        callback_url: returnUrl,
        channels: CHANNELS,
      })
      const initialized = initializedSchema.safeParse(toBody(response))
      if (initialized.success && initialized.data.data.reference === id)
        return { outcome: 'pending', reference: id, redirectTo: initialized.data.data.authorization_url }
      // The shopper can't have paid, because they don't have the page's URL.
      return { ...createDeclinedResult('provider_busy'), error: toErrorText(response) }
    },

    async queryPayment({ id, amountCents }) {
      const response = await call(`/transaction/verify/${encodeURIComponent(id)}`)
      const refusal = refusalSchema.safeParse(toBody(response))
      if (refusal.success && refusal.data.code === REFERENCE_NOT_FOUND)
        return createDeclinedResult('provider_busy')
      const verified = verifiedSchema.safeParse(toBody(response))
      if (!verified.success) return { outcome: 'unknown', error: toErrorText(response) }
      const { status, reference, amount, id: receipt, currency: paidIn } = verified.data.data
      switch (status) {
        case 'success':
          if (reference === id && amount === amountCents && paidIn === currency)
            return { outcome: 'settled', reference, receipt: String(receipt) }
          return {
            outcome: 'unknown',
            problem: 'amount_differs',
            error: `Paystack reports ${formatCents(paidIn, amount)} for ${reference}, not ${formatCents(currency, amountCents)}.`,
          }
        case 'failed':
          return createDeclinedResult('declined')
        case 'reversed':
          return createDeclinedResult('refunded')
        default:
          // On an `abandoned` page, the shopper can still pay.
          return { outcome: 'pending' }
      }
    },

    queryRefund,

    async refund(refundRequest) {
      const { payment, amountCents, reference, isRetry } = refundRequest
      if (isRetry) {
        const earlier = await queryRefund(refundRequest)
        if (earlier) return earlier
      }
      const request = { transaction: payment.id, amount: amountCents, merchant_note: reference }
      const response = await call('/refund', request)
      const refund = refundSchema.safeParse(toBody(response))
      if (refund.success) return toRefundResult(refund.data.data)
      const refusal = refusalSchema.safeParse(toBody(response))
      const isRefunded = refusal.success && refusal.data.code === ALREADY_REFUNDED
      if (isRefunded && amountCents === payment.amountCents) return { outcome: 'done' }
      if (isRefunded) return { outcome: 'by_hand', error: 'Paystack has already refunded the whole payment.' }
      return { outcome: 'failed', error: toErrorText(response) }
    },

    webhook: { url: 'provider', acknowledgement: {} },
    parseWebhook: (request) => parsePaystackEvent(request, secretKey),
  }
}

function toRefundResult({ status }: { status: string }): RefundResult {
  if (status === 'processed') return { outcome: 'done' }
  if (status === 'failed' || status === 'needs-attention')
    return { outcome: 'by_hand', error: `Paystack status: ${status}` }
  return { outcome: 'requested' }
}

const createDeclinedResult = (problem: PaymentProblem): DeclinedResult => ({ outcome: 'declined', problem })

const formatCents = (currency: string, cents: number) =>
  `${currency} ${(cents / CENTS_PER_KSH).toLocaleString('en', { maximumFractionDigits: 2 })}`

const toBody = (response: ProviderResponse) => ('failure' in response ? undefined : response.body)
const toErrorText = (response: ProviderResponse) =>
  'failure' in response ? response.failure : `${response.status} ${JSON.stringify(response.body)}`
