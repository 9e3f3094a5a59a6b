import { createHmac } from 'node:crypto'
import { createApp } from '#server/app.ts'
import { parseConfirmation } from '#server/payments/providers/mpesa/incoming.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import {
  attemptCounts,
  incomingPayments,
  incomingRefunds,
  incomingSources,
} from '#server/platform/db/schema.ts'
import { CONTACT_HONEYPOT_FIELD } from '#shared/contact/contact-form.ts'
import { errorDefinitions } from '#shared/errors.ts'
import { createAccount } from './account.ts'
import { NOW_MS, testContext } from './context.ts'
import {
  calculateCheckoutTotalKsh,
  createPromotion,
  orderRequest,
  postOrder,
  tenPercentDiscount,
} from './orders.ts'
import { createMpesaPayment, testPayments } from './payments.ts'

export const ORIGIN = 'https://pamba.test'
const PASSWORD = 'unrepeated-kikoi-2026'

type Endpoint = {
  body?: () => Record<string, unknown>
  headers?: (body: string) => Record<string, string>
  path?: string
  /** The documented statuses besides those in {@link COMMON_STATUSES}. */
  statuses: number[]
}

const COMMON_STATUSES = [400, 413, 415]

export const requestCounts = { cases: 0, succeeded: {} as Record<string, number> }

/** The interval between requests, which keeps them within the rate limit of orders. */
const STEP_MS = 4000
let callbackPath = ''
let paystackReference = ''
const CONFIRMATION_TOKEN = 'ab'.repeat(32)
const confirmation = {
  TransactionType: 'Pay Bill',
  TransID: 'RCT0000000',
  TransTime: '20261121090507',
  TransAmount: '10.00',
  BusinessShortCode: '174379',
  BillRefNumber: 'P-7K3M9Q',
  MSISDN: '25471****678',
  FirstName: 'AMINA',
}
const payments = testPayments({
  mpesa: {
    incoming: {
      parseConfirmation: (body) => parseConfirmation(body, { shortcode: '174379', till: undefined }),
      instructions: () => '',
      register: async () => ({ ok: true, data: undefined }),
      list: async () => ({ ok: true, data: [] }),
    },
    async startPayment({ id }, { callbackUrl }) {
      callbackPath = new URL(callbackUrl).pathname
      return { outcome: 'pending', reference: `ref-${id}` }
    },
  },
  paystack: {
    async startPayment({ id }) {
      paystackReference = id
      return { outcome: 'pending', reference: id, redirectTo: 'https://paystack.test/' }
    },
  },
})
export const ctx = testContext({ payments, clock: () => NOW_MS + requestCounts.cases * STEP_MS })
export const app = createApp(ctx)
await ctx.db
  .insert(incomingSources)
  .values({ provider: 'mpesa', tokenHash: await sha256Hex(CONFIRMATION_TOKEN) })
await ctx.db.insert(incomingPayments).values({
  provider: 'mpesa',
  receipt: 'RCTREFUND1',
  amountCents: 1,
  paidAtMs: 0,
  source: 'pull',
  verifiedAtMs: 0,
  recordedAtMs: 0,
})
await ctx.db.insert(incomingRefunds).values({
  provider: 'mpesa',
  receipt: 'RCTREFUND1',
  state: 'requested',
  requestedAtMs: 0,
  callbackHash: await sha256Hex(CONFIRMATION_TOKEN),
})
export const shopper = await createAccount(ctx)
const lines = [{ id: 1, qty: 2 }]
const code = await createPromotion(ctx)
let emailCount = 0
const newEmail = () => `hostile-${++emailCount}@shopper.test`
const unpaid = await postOrder(ctx, shopper, orderRequest(lines, { payment: createMpesaPayment() }))
const { number } = unpaid.body.order
const cancelled = await postOrder(ctx, shopper, orderRequest())
await postOrder(ctx, shopper, orderRequest(lines, { payment: { provider: 'paystack' } }))
export const ORDERS_BEFORE = 3
const newKey = () => ({ 'Idempotency-Key': crypto.randomUUID() })

const endpoints: Record<string, Endpoint> = {
  'GET /api/health': { statuses: [200] },
  'POST /api/auth/register': {
    body: () => ({ name: 'Amina Wanjiru', email: newEmail(), password: PASSWORD }),
    statuses: [201, 409],
  },
  'POST /api/auth/login': {
    body: () => ({ email: shopper.user.email, password: PASSWORD }),
    statuses: [200, 401],
  },
  'POST /api/auth/logout': { statuses: [204] },
  'GET /api/auth/session': { statuses: [200, 401] },
  'GET /api/auth/activity': { headers: () => shopper.bearer, statuses: [200, 401] },
  'POST /api/auth/verification-link': { headers: () => shopper.bearer, statuses: [204, 401, 429] },
  'GET /api/account/details': { headers: () => shopper.bearer, statuses: [200, 401] },
  'POST /api/account/details': {
    body: () => ({
      firstName: 'Amina',
      lastName: 'Wanjiru',
      address: 'Moi Avenue 4',
      address2: '',
      country: 'Kenya',
      state: 'Nairobi',
      zip: '00100',
      phone: '',
    }),
    headers: () => shopper.bearer,
    statuses: [200, 401],
  },
  'POST /api/account/password': {
    body: () => ({ oldPassword: PASSWORD, newPassword: PASSWORD }),
    headers: () => shopper.bearer,
    statuses: [401, 429],
  },
  'GET /api/account/devices': { headers: () => shopper.bearer, statuses: [200, 401] },
  'POST /api/account/devices/end': {
    body: () => ({ which: 'unknown' }),
    headers: () => shopper.bearer,
    statuses: [200, 401],
  },
  'GET /api/account/data': { headers: () => shopper.bearer, statuses: [200, 401] },
  'POST /api/account/delete': {
    body: () => ({ password: PASSWORD }),
    headers: () => shopper.bearer,
    statuses: [204, 401, 409, 429],
  },
  'POST /api/contact': {
    body: () => ({
      name: 'Amina',
      email: newEmail(),
      message: 'Habari, a good message.',
      [CONTACT_HONEYPOT_FIELD]: '',
    }),
    statuses: [201],
  },
  'POST /api/promotions/check': {
    body: () => ({ code, lines: [{ id: 1, qty: 1 }] }),
    statuses: [200, 404, 410, 422],
  },
  'POST /api/visits': {
    body: () => ({ page: 'shop', lcp: 1234.5, inp: 48, cls: 0.01, hydration: 900 }),
    statuses: [204, 400, 429],
  },
  'POST /api/stock/alerts': {
    body: () => ({ item: 1, email: newEmail() }),
    statuses: [201, 422, 429],
  },
  'GET /api/stock': { statuses: [200] },
  'POST /api/stock/check': {
    body: () => ({ ids: [1, 2] }),
    headers: () => shopper.bearer,
    statuses: [200, 401],
  },
  'POST /api/orders': {
    body: () => ({
      ...orderRequest(lines),
      promoCode: code,
      deliveryMethod: 'delivery',
      expectedTotal: calculateCheckoutTotalKsh(lines, tenPercentDiscount),
    }),
    headers: () => ({ ...shopper.bearer, ...newKey() }),
    statuses: [200, 201, 202, 401, 402, 409, 422, 429],
  },
  'POST /api/orders/link': {
    body: () => ({ number, contact: newEmail() }),
    statuses: [200],
  },
  'GET /api/orders/:number': {
    path: `/api/orders/${number}`,
    headers: () => shopper.bearer,
    statuses: [200, 404],
  },
  'GET /api/orders': { headers: () => shopper.bearer, statuses: [200, 401] },
  'GET /api/orders/:number/payment': {
    path: `/api/orders/${number}/payment`,
    headers: () => shopper.bearer,
    statuses: [200, 401, 404],
  },
  'POST /api/orders/:number/payment': {
    path: `/api/orders/${number}/payment`,
    body: () => ({ payment: createMpesaPayment() }),
    headers: () => shopper.bearer,
    statuses: [200, 202, 401, 402, 404, 409, 429],
  },
  'POST /api/orders/:number/cancel': {
    path: `/api/orders/${cancelled.body.order.number}/cancel`,
    body: () => ({}),
    headers: () => shopper.bearer,
    statuses: [200, 401, 404, 409],
  },
  'POST /api/payments/paystack': {
    body: () => ({
      event: 'charge.success',
      data: { reference: paystackReference, transaction_reference: paystackReference },
    }),
    headers: (body) => ({
      'x-paystack-signature': createHmac('sha512', ctx.config.PAYSTACK_SECRET_KEY ?? '')
        .update(body)
        .digest('hex'),
    }),
    statuses: [200],
  },
  'POST /api/payments/:token': {
    path: callbackPath,
    body: () => ({
      Body: {
        stkCallback: {
          CheckoutRequestID: 'ws_CO_1',
          ResultCode: 0,
          CallbackMetadata: { Item: [{ Name: 'Amount', Value: 1 }] },
        },
      },
      // `Result` is parsed if the body isn't an STK callback.
      Result: { ResultCode: 1, ResultDesc: 'Never released.' },
    }),
    statuses: [200, 404],
  },
  'POST /api/incoming/:token': {
    path: `/api/incoming/${CONFIRMATION_TOKEN}`,
    body: () => ({ ...confirmation, TransID: `RCT${String(++emailCount).padStart(7, '0')}` }),
    statuses: [200],
  },
  'POST /api/incoming/:token/refund': {
    path: `/api/incoming/${CONFIRMATION_TOKEN}/refund`,
    body: () => ({ Result: { ResultCode: 1, ResultDesc: 'Never made.' } }),
    statuses: [200],
  },
  'POST /api/incoming/:token/check': {
    path: `/api/incoming/${CONFIRMATION_TOKEN}/check`,
    body: () => confirmation,
    statuses: [200],
  },
  'POST /api/reports': {
    body: () => ({
      'csp-report': {
        'effective-directive': 'img-src',
        'blocked-uri': 'https://x.test/',
        'document-uri': '/',
      },
    }),
    statuses: [204, 429],
  },
  'POST /v1/accounts:sendOobCode': {
    body: () => ({ requestType: 'PASSWORD_RESET', email: newEmail(), clientType: 'CLIENT_TYPE_WEB' }),
    statuses: [200],
  },
  'POST /v1/accounts:resetPassword': {
    body: () => ({ oobCode: 'x'.repeat(43), newPassword: PASSWORD }),
    statuses: [200],
  },
}

export const callNames = Object.keys(endpoints)
export const callsWithBody = callNames.filter((name) => endpoints[name]?.body)

export const createValidBody = (name: string) => endpoints[name]?.body?.() ?? {}

/** A string body is sent unchanged. */
export const jsonRequest = (
  name: string,
  body: unknown,
  headers: Record<string, string> = {},
): RequestInit => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    headers: { 'Content-Type': 'application/json', ...endpoints[name]?.headers?.(text), ...headers },
    body: text,
  }
}

export const withHeaders = (name: string, headers: Record<string, string> = {}): RequestInit =>
  endpoints[name]?.body
    ? jsonRequest(name, createValidBody(name), headers)
    : { headers: { ...endpoints[name]?.headers?.(''), ...headers } }

const PASSWORD_CALLS = ['POST /api/auth/login', 'POST /api/account/password', 'POST /api/account/delete']

export async function send(name: string, init: RequestInit, query = ''): Promise<Response> {
  requestCounts.cases += 1
  // Without these counts, logins are never paused, so each password is verified.
  if (PASSWORD_CALLS.includes(name)) await ctx.db.delete(attemptCounts)
  const [method = '', ownPath = ''] = name.split(' ')
  const path = endpoints[name]?.path ?? ownPath
  const response = await app.request(new Request(ORIGIN + path + query, { method, ...init }))
  if (response.ok) requestCounts.succeeded[name] = (requestCounts.succeeded[name] ?? 0) + 1
  return response
}

/** Returns undefined if the response is as documented. */
export async function findProblem(name: string, init: RequestInit, query = ''): Promise<string | undefined> {
  const response = await send(name, init, query)
  const text = await response.text()
  const what = escapeForReport(`${name}${query} ${init.body}: ${response.status} ${text}`)
  if (![...(endpoints[name]?.statuses ?? []), ...COMMON_STATUSES].includes(response.status))
    return `status: ${what}`
  if (response.headers.has('X-Injected')) return `header: ${what}`
  if (containsSecret(text)) return `secret: ${what}`
  if (response.status === 204) return text === '' ? undefined : `body: ${what}`
  if (!response.headers.get('Content-Type')?.startsWith('application/json')) return `type: ${what}`
  const errorBody = JSON.parse(text)
  if (response.ok) return undefined
  return isDocumentedFailure(name, response.status, errorBody) ? undefined : `shape: ${what}`
}

export function containsSecret(text: string): boolean {
  return text.includes(PASSWORD) || text.includes('scrypt')
}

export function escapeForReport(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
  return plain.length > 400 ? `${plain.slice(0, 200)} … ${plain.slice(-200)}` : plain
}

function isSentence(message: unknown): boolean {
  return (
    typeof message === 'string' &&
    /^[A-Za-z].*\S$/s.test(message) &&
    !/^invalid input|received|^too (big|small)|undefined|\[object/i.test(message)
  )
}

function isDocumentedFailure(name: string, status: number, errorBody: Record<string, unknown>): boolean {
  if (name.includes(' /v1/')) {
    const { error } = errorBody as { error?: { code?: number; message?: string } }
    const hasOnlyError = Object.keys(errorBody).join() === 'error' && error?.code === status
    return hasOnlyError && isSentence(error.message)
  }
  const { message, code, errors: fields = {}, ...overrides } = errorBody
  const isKnown = typeof code === 'string' && Object.hasOwn(errorDefinitions, code)
  return (
    isKnown &&
    errorDefinitions[code as keyof typeof errorDefinitions].status === status &&
    isSentence(message) &&
    Object.values(fields as object).every((text) => typeof text === 'string') &&
    Object.keys(overrides).every((key) =>
      ['totals', 'delivery', 'lines', 'order', 'payment', 'productIds'].includes(key),
    )
  )
}
