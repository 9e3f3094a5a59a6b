import { Hono } from 'hono'
import { cashOnDeliveryProvider } from '#server/payments/providers/cash-on-delivery/cash-on-delivery.ts'
import { manualProvider } from '#server/payments/providers/manual/manual.ts'
import { createMpesaProvider } from '#server/payments/providers/mpesa/mpesa.ts'
import { createPaystackProvider } from '#server/payments/providers/paystack/paystack.ts'
import type {
  AccessToken,
  AttemptUrls,
  PaymentAttempt,
  PaymentProvider,
  PaymentStartResult,
  RefundRequest,
  SettledPayment,
  WebhookRequest,
} from '#server/payments/providers/provider.ts'
import { createSimulatedProvider } from '#server/payments/providers/simulated/simulated.ts'
import type { PaymentProviderName } from '#shared/payments/providers.ts'
import { openDaraja } from '#tools/sandbox/daraja.ts'
import { DARAJA_MERCHANT } from '#tools/sandbox/daraja-messages.ts'
import { openPaystack, PAYSTACK_SECRET_KEY, type PaystackChoice } from '#tools/sandbox/paystack.ts'
import { openSandboxServer, type SandboxFailure } from '#tools/sandbox/sandbox-server.ts'

export function createRefundRequest(
  payment: SettledPayment,
  amountCents = payment.amountCents,
): RefundRequest {
  return { payment, amountCents, reference: `refund-${payment.id}`, isRetry: false }
}

export type ProviderSandbox = {
  provider: PaymentProvider
  urls: AttemptUrls
  start: (choice: PaymentChoice) => Promise<{ attempt: PaymentAttempt; started: PaymentStartResult }>
  /** Resolves after the webhooks were sent. */
  submitChoice: (attempt: PaymentAttempt) => Promise<unknown>
  webhooks: WebhookRequest[]
  idle: () => Promise<void>
  countPayments: () => number
  refundedKsh: () => number
  toSettledPayment: (attempt: PaymentAttempt) => SettledPayment
  fail: (how?: SandboxFailure) => Promise<void>
  close: () => Promise<unknown>
}
export type PaymentChoice = 'pays' | 'declines'

export const NEVER_MS = 3_600_000

export function newAttempt(overrides: Partial<PaymentAttempt> = {}): PaymentAttempt {
  return {
    id: crypto.randomUUID(),
    orderNumber: 'P-7K3M9Q',
    amountCents: 125_000,
    email: 'amina@example.com',
    phone: null,
    reference: null,
    token: null,
    ...overrides,
  }
}

async function openWebhookReceiver() {
  const webhooks: WebhookRequest[] = []
  const app = new Hono().post('*', async (c) => {
    const rawBody = await c.req.text()
    const header = (name: string) => c.req.header(name) ?? ''
    const isTimeout = new URL(c.req.url).search === '?timeout'
    webhooks.push({ rawBody, body: JSON.parse(rawBody), header, isTimeout })
    return c.json({})
  })
  const server = await openSandboxServer(app)
  const urls = {
    callbackUrl: `${server.url}/api/payments/0123`,
    returnUrl: 'http://localhost:5000/checkout?order=P-7K3M9Q',
  }
  return { webhooks, urls, url: server.url, close: server.close }
}

const getReference = (started: PaymentStartResult) => ('reference' in started ? started.reference : null)

const NOMINATED_NUMBER = '254700000000'

/** Phones respond immediately, except those that never respond or pay late. */
export async function openMpesaSandbox() {
  const receiver = await openWebhookReceiver()
  const daraja = await openDaraja({ delays: { answerMs: 0, timeoutMs: NEVER_MS, lateMs: NEVER_MS } })
  const issued: AccessToken[] = []
  const tokens = {
    readStored: async () => issued.at(-1) ?? null,
    store: async (token: AccessToken) => void issued.push(token),
  }
  const { initiator: name, securityCredential, ...merchant } = DARAJA_MERCHANT
  const settings = {
    ...merchant,
    base: daraja.url,
    till: undefined,
    initiator: { name, securityCredential },
    nominatedNumber: NOMINATED_NUMBER,
  }
  const ctx = { clock: Date.now, tokens, waitUntil: () => {} }
  const provider = createMpesaProvider(settings, ctx)

  async function prompt(attempt: PaymentAttempt) {
    const started = await provider.startPayment({ ...attempt, token: issued.at(-1) ?? null }, receiver.urls)
    return {
      started,
      attempt: { ...attempt, reference: getReference(started), token: issued.at(-1) ?? null },
    }
  }
  return {
    provider,
    settings,
    ctx,
    issued,
    daraja,
    prompt,
    urls: receiver.urls,
    webhooks: receiver.webhooks,
    start: (choice: PaymentChoice) =>
      prompt(newAttempt({ phone: choice === 'pays' ? '254700000007' : '254700000003' })),
    async submitChoice() {
      await daraja.payLate()
      await daraja.idle()
    },
    idle: daraja.idle,
    refundedKsh: () =>
      daraja.payouts.reduce((sum, { isPaid, amountKsh }) => sum + (isPaid ? amountKsh : 0), 0),
    countPayments: () => daraja.payments.filter(({ isReversed }) => !isReversed).length,
    toSettledPayment: (attempt: PaymentAttempt) => ({
      ...attempt,
      receipt: daraja.payments[0]?.receipt ?? null,
    }),
    fail: daraja.fail,
    close: () => Promise.all([receiver.close(), daraja.close()]),
  }
}

export async function openPaystackSandbox() {
  const receiver = await openWebhookReceiver()
  const paystack = await openPaystack({ webhookUrl: `${receiver.url}/api/payments/paystack` })
  const provider = createPaystackProvider({
    base: paystack.url,
    secretKey: PAYSTACK_SECRET_KEY,
    shopEmail: 'hello@pamba.example',
  })
  const choices = new Map<string, PaystackChoice>()

  /** Returns the URL that the hosted page redirects the shopper to. */
  async function choose({ id }: Pick<PaymentAttempt, 'id'>, choice: PaystackChoice) {
    const body = new URLSearchParams({ choice })
    const response = await fetch(`${paystack.url}/pay/${id}`, { method: 'POST', body, redirect: 'manual' })
    await paystack.idle()
    return response.headers.get('Location')
  }
  return {
    provider,
    paystack,
    choose,
    urls: receiver.urls,
    webhooks: receiver.webhooks,
    async start(choice: PaymentChoice) {
      const attempt = newAttempt()
      choices.set(attempt.id, choice === 'pays' ? 'pay' : 'decline')
      const started = await provider.startPayment(attempt, receiver.urls)
      return { started, attempt: { ...attempt, reference: getReference(started) } }
    },
    submitChoice: (attempt: PaymentAttempt) => choose(attempt, choices.get(attempt.id) ?? 'leave'),
    idle: paystack.idle,
    refundedKsh: () =>
      [...paystack.transactions.values()]
        .flatMap(({ refunds }) => refunds)
        .reduce((sum, { amount }) => sum + amount / 100, 0),
    countPayments: () =>
      [...paystack.transactions.values()].filter(({ status }) => status === 'success').length,
    toSettledPayment: (attempt: PaymentAttempt) => ({
      ...attempt,
      receipt: String(paystack.transactions.get(attempt.id)?.id ?? ''),
    }),
    fail: paystack.fail,
    close: () => Promise.all([receiver.close(), paystack.close()]),
  }
}

async function openLocalSandbox(provider: PaymentProvider): Promise<ProviderSandbox> {
  const urls = { callbackUrl: '', returnUrl: '' }
  return {
    provider,
    urls,
    async start() {
      const attempt = newAttempt()
      return { attempt, started: await provider.startPayment(attempt, urls) }
    },
    submitChoice: async () => {},
    webhooks: [],
    idle: async () => {},
    countPayments: () => 0,
    refundedKsh: () => 0,
    toSettledPayment: (attempt) => ({ ...attempt, receipt: null }),
    fail: async () => {},
    close: async () => {},
  }
}

export const PROVIDER_SANDBOXES: Record<PaymentProviderName, () => Promise<ProviderSandbox>> = {
  simulated: () => openLocalSandbox(createSimulatedProvider({ delayMs: 0 })),
  'cash-on-delivery': () => openLocalSandbox(cashOnDeliveryProvider),
  manual: () => openLocalSandbox(manualProvider),
  mpesa: openMpesaSandbox,
  paystack: openPaystackSandbox,
}
