import { createHmac } from 'node:crypto'
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { openSandboxServer, postToShop, type SandboxOptions } from './sandbox-server.ts'

export const PAYSTACK_SECRET_KEY = 'sk_test_sandbox'

const CHOICE_LABELS = {
  pay: 'Pay',
  decline: 'Pay with a card that is declined',
  leave: 'Go back without paying',
  twice: 'Pay, and send the webhook twice',
  silent: 'Pay, but send no webhook and don’t return to the shop',
  less: 'Pay half the amount',
} as const
export type PaystackChoice = keyof typeof CHOICE_LABELS

const initializeRequestSchema = z.object({
  email: z.email(),
  amount: z.int().check(z.minimum(100)),
  currency: z.literal('KES'),
  reference: z.string().check(z.regex(/^[A-Za-z0-9.=_-]{1,100}$/)),
  callback_url: z.url({ protocol: /^https?$/ }),
  channels: z.array(z.string()),
})
const refundRequestSchema = z.object({
  transaction: z.string(),
  amount: z.int().check(z.minimum(1)),
  merchant_note: z.string(),
})
type Transaction = Pick<
  z.infer<typeof initializeRequestSchema>,
  'reference' | 'email' | 'amount' | 'currency'
> & {
  id: number
  callbackUrl: string
  status: 'abandoned' | 'success' | 'failed' | 'reversed'
  refunds: { amount: number; merchant_note: string; status: string }[]
}

const choiceFormSchema = z.object({ choice: z.enum(Object.keys(CHOICE_LABELS) as [PaystackChoice]) })

const refuseInvalid = ({ success }: { success: boolean }) =>
  success ? undefined : refuse(400, 'invalid_params', 'Invalid parameters')

/** `webhookUrl` replaces the URL in Paystack's dashboard. */
export async function openPaystack({ webhookUrl, ...options }: SandboxOptions & { webhookUrl: string }) {
  const { log = () => {} } = options
  const transactions = new Map<string, Transaction>()
  const openedAtMs = Date.now()

  const app = new Hono()
    .get('/pay/:reference', (c) => {
      const transaction = transactions.get(c.req.param('reference'))
      return transaction ? c.html(renderPaymentPage(transaction)) : c.html('This payment doesn’t exist.', 404)
    })
    .post(
      '/pay/:reference',
      zValidator('form', choiceFormSchema, ({ success }, c) =>
        success ? undefined : c.html('Please select one of the buttons.', 400),
      ),
      (c) => {
        const transaction = transactions.get(c.req.param('reference'))
        if (!transaction) return c.html('This payment doesn’t exist.', 404)
        const back = choose(transaction, c.req.valid('form').choice)
        return back ? c.redirect(back) : c.html('Paid. You can close this page.')
      },
    )
    .use(async (c, next) =>
      c.req.header('Authorization') === `Bearer ${PAYSTACK_SECRET_KEY}`
        ? next()
        : refuse(401, 'invalid_Key', 'Invalid key'),
    )
    .post('/transaction/initialize', zValidator('json', initializeRequestSchema, refuseInvalid), (c) =>
      initialize(c.req.valid('json')),
    )
    .get('/transaction/verify/:reference', (c) => {
      const transaction = transactions.get(c.req.param('reference'))
      return transaction
        ? accept('Verification successful', toPublicPart(transaction))
        : refuse(400, 'transaction_not_found', 'Transaction reference not found.')
    })
    .get('/refund', (c) => {
      const id = c.req.query('transaction')
      const transaction = [...transactions.values()].find((candidate) => String(candidate.id) === id)
      return accept('Refunds retrieved', transaction?.refunds ?? [])
    })
    .post('/refund', zValidator('json', refundRequestSchema, refuseInvalid), (c) =>
      refund(c.req.valid('json')),
    )
  const server = await openSandboxServer(app, options)

  function initialize({ callback_url: callbackUrl, ...request }: z.infer<typeof initializeRequestSchema>) {
    const { reference, currency, amount, email } = request
    if (transactions.has(reference))
      return refuse(400, 'duplicate_reference', 'Duplicate Transaction Reference')
    const id = openedAtMs + transactions.size
    const transaction = { id, reference, email, amount, currency, callbackUrl }
    transactions.set(reference, { ...transaction, status: 'abandoned', refunds: [] })
    const url = `${server.url}/pay/${reference}`
    log(`Paystack collects ${currency} ${amount / 100} at ${url}`)
    const created = { authorization_url: url, access_code: `code_${id}`, reference }
    return accept('Authorization URL created', created)
  }

  /** Returns where the shopper goes next, or undefined if they stay. */
  function choose(transaction: Transaction, choice: PaystackChoice): string | undefined {
    const { reference, callbackUrl } = transaction
    log(`Selected on Paystack’s page: ${CHOICE_LABELS[choice]} (${reference})`)
    if (choice === 'decline') transaction.status = 'failed'
    else if (choice !== 'leave') transaction.status = 'success'
    if (choice === 'less') transaction.amount = Math.round(transaction.amount / 2)
    if (choice === 'silent') return undefined
    if (transaction.status === 'success') {
      notify('charge.success', toPublicPart(transaction))
      if (choice === 'twice') notify('charge.success', toPublicPart(transaction))
    }
    const back = new URL(callbackUrl)
    back.searchParams.set('trxref', reference)
    back.searchParams.set('reference', reference)
    return back.href
  }

  function refund({ transaction: name, amount, merchant_note }: z.infer<typeof refundRequestSchema>) {
    const transaction = transactions.get(name)
    if (!transaction) return refuse(404, 'transaction_not_found', 'Transaction not found')
    if (transaction.status === 'reversed')
      return refuse(400, 'transaction_reversed', 'Transaction has been fully reversed')
    if (transaction.status !== 'success')
      return refuse(400, 'invalid_transaction', 'Transaction was not paid')
    const refunded = transaction.refunds.reduce((sum, refund) => sum + refund.amount, amount)
    if (refunded > transaction.amount)
      return refuse(400, 'invalid_amount', 'Refund amount cannot be more than the transaction amount')
    transaction.refunds.push({ amount, merchant_note, status: 'processed' })
    if (refunded === transaction.amount) transaction.status = 'reversed'
    log(`Paystack refunds ${transaction.currency} ${amount / 100} for ${transaction.reference}`)
    const { reference: transaction_reference } = transaction
    notify('refund.processed', { transaction_reference, amount: String(amount), status: 'processed' })
    return accept('Refund has been queued for processing', { status: 'pending' })
  }

  function notify(event: string, data: object) {
    const body = { event, data }
    const signature = createHmac('sha512', PAYSTACK_SECRET_KEY).update(JSON.stringify(body)).digest('hex')
    server.after(0, () => postToShop(webhookUrl, body, { 'x-paystack-signature': signature }))
  }

  return { ...server, transactions: transactions as ReadonlyMap<string, Readonly<Transaction>> }
}

function toPublicPart({ callbackUrl: _, ...transaction }: Transaction): object {
  return structuredClone(transaction)
}

function accept(message: string, data: object): Response {
  return Response.json({ status: true, message, data })
}

function refuse(status: number, code: string, message: string): Response {
  return Response.json({ status: false, message, type: 'validation_error', code }, { status })
}

function renderPaymentPage({ amount, currency, status }: Transaction): string {
  const buttons = Object.entries(CHOICE_LABELS).map(
    ([value, label]) => `<p><button name="choice" value="${value}">${label}</button></p>`,
  )
  const done = status === 'success' || status === 'reversed'
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Paystack sandbox</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><h1>Paystack sandbox</h1>
<p>${currency} ${amount / 100}</p>
${done ? '<p>This payment is complete.</p>' : `<form method="post">${buttons.join('')}</form>`}</html>`
}
