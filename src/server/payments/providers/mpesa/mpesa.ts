import type { DeclinedResult, PaymentProvider } from '#server/payments/providers/provider.ts'
import { centsToKsh } from '#shared/format.ts'
import type { PaymentProblem } from '#shared/payments/payment.ts'
import { PROVIDERS } from '#shared/payments/providers.ts'
import { shop } from '#shared/shop.ts'
import { createDarajaClient } from './daraja.ts'
import { GATEWAY_REJECTED, NO_TOKEN } from './daraja-call.ts'
import type { DarajaContext } from './daraja-token.ts'
import { createMpesaPaymentSource } from './incoming.ts'
import { payOut } from './pay-out.ts'
import { type DarajaSettings, MISSING_INITIATOR_ERROR } from './settings.ts'
import { parseDarajaCallback } from './webhook.ts'

const DESCRIPTION_CHARACTERS = 13
const PAID_CODE = '0'
/**
 * Queries return these codes while a prompt is in progress. In the response to a new prompt, the first code means
 * something else.
 */
const STILL_PROCESSING_CODES: readonly string[] = ['500.001.1001', '4999']

const PROBLEM_BY_RESULT_CODE: Record<string, PaymentProblem> = {
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

const PROBLEM_BY_ERROR_CODE: Record<string, PaymentProblem> = {
  [NO_TOKEN]: 'provider_busy',
  [GATEWAY_REJECTED]: 'provider_busy',
  '404.001.03': 'provider_busy',
  '500.001.1001': 'phone_busy',
  '500.003.02': 'provider_busy',
  '500.003.03': 'provider_busy',
}

/** M-Pesa Express (STK push) prompts the shopper's phone for the M-Pesa PIN. */
export function createMpesaProvider(settings: DarajaSettings, ctx: DarajaContext): PaymentProvider {
  const daraja = createDarajaClient(settings, ctx)
  return {
    name: 'mpesa',
    isRepeatable: false,

    async startPayment({ phone, amountCents, orderNumber, token }, { callbackUrl }) {
      const amountKsh = centsToKsh(amountCents)
      const { min, max } = PROVIDERS.mpesa.limitsKsh
      if (!phone) return createDeclinedResult('invalid_phone')
      if (amountKsh < min || amountKsh > max) return createDeclinedResult('amount_limit')
      const result = await daraja.push({
        phone,
        amountKsh,
        reference: orderNumber,
        description: shop.name.slice(0, DESCRIPTION_CHARACTERS),
        callbackUrl,
        token,
      })
      switch (result.kind) {
        case 'ok':
          return { outcome: 'pending', reference: result.data.CheckoutRequestID }
        case 'rejected':
          return { ...createDeclinedResult(toProblem(result)), error: `${result.code} ${result.message}` }
        case 'no_response':
          return { outcome: 'unknown', error: result.error }
      }
    },

    async queryPayment({ reference, token }) {
      if (!reference) return { outcome: 'unknown', error: 'M-Pesa never acknowledged this prompt.' }
      const result = await daraja.query(reference, token)
      if (result.kind === 'no_response') return { outcome: 'unknown', error: result.error }
      if (result.kind === 'rejected')
        return STILL_PROCESSING_CODES.includes(result.code)
          ? { outcome: 'pending' }
          : { outcome: 'unknown', error: `${result.code} ${result.message}` }
      const { ResultCode: code } = result.data
      if (code === undefined || STILL_PROCESSING_CODES.includes(code)) return { outcome: 'pending' }
      // The response to a query has no receipt, unlike the callback.
      if (code === PAID_CODE) return { outcome: 'settled', reference, receipt: null }
      return createDeclinedResult(PROBLEM_BY_RESULT_CODE[code] ?? 'declined')
    },

    async refund(refund, { callbackUrl }) {
      const { payment, amountCents } = refund
      if (amountCents !== payment.amountCents) return payOut(daraja, refund, callbackUrl)
      const { receipt, orderNumber, token } = payment
      if (!receipt) return { outcome: 'by_hand', error: 'M-Pesa hasn’t sent the receipt number yet.' }
      if (!daraja.canReverse) return { outcome: 'by_hand', error: MISSING_INITIATOR_ERROR }
      const result = await daraja.reverse({
        receipt,
        amountKsh: centsToKsh(amountCents),
        remarks: `Refund ${orderNumber}`,
        callbackUrl,
        token,
      })
      if (result.kind === 'ok') return { outcome: 'requested' }
      const error = result.kind === 'rejected' ? `${result.code} ${result.message}` : result.error
      return { outcome: 'failed', error }
    },

    webhook: { url: 'attempt', acknowledgement: { ResultCode: 0, ResultDesc: 'Accepted' } },
    parseWebhook: async ({ body, isTimeout }) => parseDarajaCallback(body, { isTimeout }),
    incoming: createMpesaPaymentSource(settings, daraja),
  }
}

const createDeclinedResult = (problem: PaymentProblem): DeclinedResult => ({ outcome: 'declined', problem })

/** The codes 400… and 500.001.1001 have several meanings, which only the message tells apart. */
function toProblem({ code, message }: { code: string; message: string }): PaymentProblem {
  if (code.startsWith('400') && /phone|partya/i.test(message)) return 'invalid_phone'
  if (code === '500.001.1001' && !/lock|process/i.test(message)) return 'provider_busy'
  return PROBLEM_BY_ERROR_CODE[code] ?? 'declined'
}
