import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { ServiceContext } from '#server/context.ts'
import { parseConfig } from '#server/env.ts'
import { createPayments } from '#server/payments/providers/registry.ts'

const SECRET_KEY = 'sk_test_property'
const settings = {
  PAYMENTS: 'mpesa,paystack',
  MPESA_BASE: 'http://localhost:1',
  MPESA_CONSUMER_KEY: 'key',
  MPESA_CONSUMER_SECRET: 'secret',
  MPESA_PASSKEY: 'passkey',
  MPESA_SHORTCODE: '174379',
  MPESA_INITIATOR: 'initiator',
  MPESA_SECURITY_CREDENTIAL: 'credential',
  PAYSTACK_BASE: 'http://localhost:2',
  PAYSTACK_SECRET_KEY: SECRET_KEY,
}

export type Prompt = {
  id: string
  amountKsh: number
  account: string
  phone: string
  callbackUrl: string
  receipt: string | null
  isDeclined: boolean
}
export type Transaction = {
  reference: string
  amount: number
  currency: string
  paid: { amount: number; currency: string } | null
  /** The transaction whose result Paystack reports instead of this one's. */
  confusedWith: Transaction | null
}
export type Transfer = { receipt: string; amountKsh: number; account: string }
export type ProviderRefund = { receipt: string; cents: number }

/** Uses the shop's own providers. The APIs of Safaricom and Paystack are faked at `fetch`. */
export function createFakeProviders() {
  const prompts: Prompt[] = []
  const transactions: Transaction[] = []
  const transfers: Transfer[] = []
  const refunds: ProviderRefund[] = []
  const respond: Record<string, (json: Record<string, string>, path: string) => Response> = {
    '/oauth/v1/generate': () => Response.json({ access_token: 'token', expires_in: '3599' }),
    '/mpesa/stkpush/v1/processrequest': (json) => {
      const id = `ws_CO_${crypto.randomUUID()}`
      const { Amount, AccountReference = '', PhoneNumber = '', CallBackURL = '' } = json
      prompts.push({
        id,
        amountKsh: Number(Amount),
        account: AccountReference,
        phone: PhoneNumber,
        callbackUrl: CallBackURL,
        receipt: null,
        isDeclined: false,
      })
      return Response.json({ ResponseCode: '0', CheckoutRequestID: id, MerchantRequestID: id })
    },
    '/mpesa/stkpushquery/v1/query': ({ CheckoutRequestID }) => {
      const prompt = prompts.find(({ id }) => id === CheckoutRequestID)
      if (prompt?.receipt) return Response.json({ ResponseCode: '0', ResultCode: '0' })
      if (prompt?.isDeclined) return Response.json({ ResponseCode: '0', ResultCode: '1032' })
      const error = { errorCode: '500.001.1001', errorMessage: 'The transaction is being processed' }
      return Response.json({ requestId: '1', ...error }, { status: 500 })
    },
    '/pulltransactions/v1/query': ({ OffSetValue }) => {
      const byPrompt = prompts.flatMap(({ receipt, ...prompt }) => (receipt ? { ...prompt, receipt } : []))
      const rows = [...transfers, ...byPrompt].map(({ receipt, amountKsh, account }) => ({
        transactionId: receipt,
        amount: amountKsh,
        billreference: account,
        trxDate: '2026-11-21 09:05:07',
        msisdn: '254712345678',
      }))
      return Response.json({ ResponseCode: '1000', Response: OffSetValue === '0' ? [rows] : [[]] })
    },
    '/mpesa/reversal/v1/request': ({ TransactionID = '', Amount }) => {
      refunds.push({ receipt: TransactionID, cents: Number(Amount) * 100 })
      return Response.json({ ResponseCode: '0' })
    },
    '/transaction/initialize': ({ reference = '', amount, currency = '' }) => {
      transactions.push({ reference, amount: Number(amount), currency, paid: null, confusedWith: null })
      const data = { authorization_url: 'https://checkout.paystack.test/x', reference }
      return Response.json({ status: true, data })
    },
    '/transaction/verify': (_, path) => {
      const reference = decodeURIComponent(path.split('/').at(-1) ?? '')
      const foundTransaction = transactions.find((transaction) => transaction.reference === reference)
      if (!foundTransaction)
        return Response.json({ status: false, code: 'transaction_not_found' }, { status: 400 })
      const reported = foundTransaction.confusedWith ?? foundTransaction
      const { amount, currency } = reported.paid ?? reported
      const status = reported.paid ? 'success' : 'ongoing'
      const data = { id: reference, status, reference: reported.reference, amount, currency }
      return Response.json({ status: true, data })
    },
    '/refund': ({ transaction = '', amount }) => {
      refunds.push({ receipt: transaction, cents: Number(amount) })
      return Response.json({ status: true, data: { status: 'pending' } })
    },
  }
  vi.stubGlobal('fetch', async (url: string, { body }: RequestInit = {}) => {
    const { pathname } = new URL(url)
    const [, respondTo] = Object.entries(respond).find(([path]) => pathname.startsWith(path)) ?? []
    return respondTo?.(JSON.parse(String(body ?? '{}')), pathname) ?? new Response(null, { status: 404 })
  })
  const config = parseConfig({ ...env, ENVIRONMENT: 'local', ...settings })
  return {
    prompts,
    transactions,
    transfers,
    refunds,
    paymentsFor: (ctx: Pick<ServiceContext, 'db' | 'clock' | 'waitUntil'>) => createPayments(config, ctx),
    sign: async (rawBody: string, secret = SECRET_KEY) => {
      const algorithm = { name: 'HMAC', hash: 'SHA-512' }
      const encoder = new TextEncoder()
      const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
      return new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(rawBody))).toHex()
    },
  }
}
