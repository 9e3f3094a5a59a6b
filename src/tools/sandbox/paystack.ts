import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import {
  openSandboxServer,
  post,
  type SandboxOptions,
  type SandboxRequest,
  type SandboxResponse,
} from './sandbox-server.ts'

export const PAYSTACK_SECRET_KEY = 'sk_test_sandbox'

const CHOICES = {
  pay: 'Pay',
  decline: 'Pay with a card that is declined',
  leave: 'Go back without paying',
  twice: 'Pay, and send the webhook twice',
  silent: 'Pay, but send no webhook and don’t return to the shop',
  less: 'Pay half the amount',
} as const
export type PaystackChoice = keyof typeof CHOICES

type Transaction = {
  id: number
  reference: string
  email: string
  amount: number
  currency: string
  callbackUrl: string
  status: 'abandoned' | 'success' | 'failed' | 'reversed'
  refunds: { amount: number; merchant_note: string; status: string }[]
}

const initializeSchema = z.object({
  email: z.email(),
  amount: z.int().check(z.minimum(100)),
  currency: z.literal('KES'),
  reference: z.string().check(z.regex(/^[A-Za-z0-9.=_-]{1,100}$/)),
  callback_url: z.url({ protocol: /^https?$/ }),
  channels: z.array(z.string()),
})
const refundSchema = z.object({
  transaction: z.string(),
  amount: z.int().check(z.minimum(1)),
  merchant_note: z.string(),
})

/**
 * A local sandbox of Paystack: initialize, hosted page, verify, refund and signed webhooks. Never part of the
 * Worker. `webhookUrl` stands for the URL in Paystack's dashboard.
 */
export async function openPaystack({
  webhookUrl,
  log = () => {},
  ...options
}: SandboxOptions & { webhookUrl: string }) {
  const transactions = new Map<string, Transaction>()
  const server = await openSandboxServer(handleRequest, options)

  function handleRequest(request: SandboxRequest): SandboxResponse {
    const { pathname, searchParams } = new URL(request.path, 'http://localhost')
    const [, first, second = ''] = pathname.split('/')
    if (first === 'pay') {
      const transaction = transactions.get(second)
      if (!transaction) return { status: 404, html: 'This payment doesn’t exist.' }
      if (request.method === 'GET') return { status: 200, html: page(transaction) }
      return choose(
        transaction,
        new URLSearchParams(request.text).get('choice') ?? searchParams.get('choice'),
      )
    }
    if (request.authorization !== `Bearer ${PAYSTACK_SECRET_KEY}`)
      return errorResponse(401, 'invalid_Key', 'Invalid key')
    if (pathname === '/transaction/initialize') return initialize(JSON.parse(request.text))
    if (pathname.startsWith('/transaction/verify/')) return verify(pathname.split('/')[3] ?? '')
    if (pathname === '/refund')
      return request.method === 'GET'
        ? listRefunds(searchParams.get('transaction'))
        : refund(JSON.parse(request.text))
    return errorResponse(404, 'unknown', 'Not found')
  }

  function initialize(body: unknown): SandboxResponse {
    const parsed = initializeSchema.safeParse(body)
    if (!parsed.success) return errorResponse(400, 'invalid_params', 'Invalid parameters')
    const { reference, callback_url: callbackUrl, channels: _, ...more } = parsed.data
    if (transactions.has(reference))
      return errorResponse(400, 'duplicate_reference', 'Duplicate Transaction Reference')
    const id = 4_000_000_000 + transactions.size
    transactions.set(reference, { ...more, id, reference, callbackUrl, status: 'abandoned', refunds: [] })
    log(`Paystack collects ${more.currency} ${more.amount / 100} at ${server.url}/pay/${reference}`)
    const data = {
      authorization_url: `${server.url}/pay/${reference}`,
      access_code: `code_${id}`,
      reference,
    }
    return { status: 200, json: { status: true, message: 'Authorization URL created', data } }
  }

  function verify(reference: string): SandboxResponse {
    const transaction = transactions.get(decodeURIComponent(reference))
    if (!transaction) return errorResponse(400, 'transaction_not_found', 'Transaction reference not found.')
    const { callbackUrl: _, ...data } = transaction
    return { status: 200, json: { status: true, message: 'Verification successful', data } }
  }

  function choose(transaction: Transaction, choice: string | null): SandboxResponse {
    if (!choice || !Object.hasOwn(CHOICES, choice))
      return { status: 400, html: 'Please select one of the buttons.' }
    log(`Selected on Paystack’s page: ${CHOICES[choice as PaystackChoice]} (${transaction.reference})`)
    const { reference, callbackUrl } = transaction
    if (choice === 'decline') transaction.status = 'failed'
    else if (choice !== 'leave') transaction.status = 'success'
    if (choice === 'less') transaction.amount = Math.round(transaction.amount / 2)
    if (choice === 'silent') return { status: 200, html: 'Paid. You can close this page.' }
    if (transaction.status === 'success') {
      const { callbackUrl: _, ...data } = transaction
      notify('charge.success', data)
      if (choice === 'twice') notify('charge.success', data)
    }
    const back = new URL(callbackUrl)
    back.searchParams.set('trxref', reference)
    back.searchParams.set('reference', reference)
    return { status: 302, location: back.href }
  }

  function refund(body: unknown): SandboxResponse {
    const parsed = refundSchema.safeParse(body)
    const transaction = parsed.success ? transactions.get(parsed.data.transaction) : undefined
    if (!transaction) return errorResponse(404, 'transaction_not_found', 'Transaction not found')
    if (transaction.status === 'reversed')
      return errorResponse(400, 'transaction_reversed', 'Transaction has been fully reversed')
    if (transaction.status !== 'success')
      return errorResponse(400, 'invalid_transaction', 'Transaction was not paid')
    const { amount = 0, merchant_note = '' } = parsed.data ?? {}
    const refunded = transaction.refunds.reduce((sum, refund) => sum + refund.amount, amount)
    if (refunded > transaction.amount)
      return errorResponse(400, 'invalid_amount', 'Refund amount cannot be more than the transaction amount')
    transaction.refunds.push({ amount, merchant_note, status: 'processed' })
    if (refunded === transaction.amount) transaction.status = 'reversed'
    log(`Paystack refunds ${transaction.currency} ${amount / 100} for ${transaction.reference}`)
    notify('refund.processed', {
      ...{ transaction_reference: transaction.reference, amount: String(amount), status: 'processed' },
    })
    return {
      status: 200,
      json: { status: true, message: 'Refund has been queued for processing', data: { status: 'pending' } },
    }
  }

  function listRefunds(id: string | null): SandboxResponse {
    const transaction = [...transactions.values()].find((candidate) => String(candidate.id) === id)
    const data = transaction?.refunds ?? []
    return { status: 200, json: { status: true, message: 'Refunds retrieved', data } }
  }

  function notify(event: string, data: object) {
    const body = JSON.stringify({ event, data })
    server.after(0, async () => {
      await post(webhookUrl, body, { 'x-paystack-signature': paystackSignature(body) })
    })
  }

  return {
    url: server.url,
    transactions: transactions as ReadonlyMap<string, Readonly<Transaction>>,
    idle: server.idle,
    fail: server.fail,
    close: server.close,
  }
}

/** The value of the `x-paystack-signature` header. */
export function paystackSignature(body: string): string {
  return createHmac('sha512', PAYSTACK_SECRET_KEY).update(body).digest('hex')
}

function errorResponse(status: number, code: string, message: string): SandboxResponse {
  return { status, json: { status: false, message, type: 'validation_error', code } }
}

function page({ amount, currency, status }: Transaction): string {
  const buttons = Object.entries(CHOICES).map(
    ([value, label]) => `<p><button name="choice" value="${value}">${label}</button></p>`,
  )
  const done = status === 'success' || status === 'reversed'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Paystack sandbox</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><h1>Paystack sandbox</h1>
<p>${currency} ${amount / 100}</p>
${done ? '<p>This payment is complete.</p>' : `<form method="post">${buttons.join('')}</form>`}</html>`
}
