import { beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'
import { type Account, createAccount, toCookieHeader } from '#test/support/account.ts'
import { expectWithinBudget } from '#test/support/budget.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { createSpyDatabase, isEmailDelivery } from '#test/support/database.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import { createMpesaPayment, testPayments } from '#test/support/payments.ts'
import { setStock } from '#test/support/stock.ts'

const MAX_ROUND_TRIPS = 2
/** The three round trips read the order, store the attempt and store the provider's response. */
const MAX_ROUND_TRIPS_OF_PAYMENT = 3
const PASSWORD = 'a good password'

let trips = 0
let runAfterFirstTrip = async () => {}
const db = createSpyDatabase(async (go, statement, sent) => {
  const response = await go()
  if (isEmailDelivery(statement, sent)) return response
  trips++
  if (trips === 1) await runAfterFirstTrip()
  return response
})
let nowMs = NOW_MS
const ctx: ServiceContext = testContext({ db, clock: () => nowMs })
const app = createApp(ctx)
let person: Account
let ownSession: Record<string, string>
let unpaidOrder = ''
/** The number of an order whose payment failed and whose item has since sold out. */
let soldOut = ''
const SOLD_OUT_ITEM = 2
const RARE_ITEM = 3
const email = 'trips@shopper.test'

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await app.request(`https://pamba.test${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (path === '/api/auth/login' || path === '/api/account/password')
    ownSession = { Cookie: toCookieHeader(response) }
  return response.status
}

const placeOrder = (lines?: Parameters<typeof orderRequest>[0], key: string = crypto.randomUUID()) =>
  call('POST', '/api/orders', orderRequest(lines), { ...person.bearer, 'Idempotency-Key': key })

const afterPollInterval = (send: () => Promise<number>) => {
  nowMs += 3_600_000
  return send()
}

const calls: [name: string, status: number, send: () => Promise<number>][] = [
  ['register', 201, () => call('POST', '/api/auth/register', { name: 'Trips', email, password: PASSWORD })],
  ['login', 200, () => call('POST', '/api/auth/login', { email, password: PASSWORD })],
  ['session', 200, () => call('GET', '/api/auth/session', undefined, person.bearer)],
  [
    'reset email',
    200,
    () =>
      call('POST', '/v1/accounts:sendOobCode', {
        requestType: 'PASSWORD_RESET',
        email,
        clientType: 'CLIENT_TYPE_WEB',
      }),
  ],
  [
    'reset',
    400,
    () => call('POST', '/v1/accounts:resetPassword', { oobCode: 'x'.repeat(43), newPassword: PASSWORD }),
  ],
  ['contact', 201, () => call('POST', '/api/contact', { name: 'Trips', email, message: 'Round and round.' })],
  [
    'promo code',
    404,
    () => call('POST', '/api/promotions/check', { code: 'NONE', lines: [{ id: 1, qty: 1 }] }),
  ],
  ['payment: order', 201, () => placeOrder()],
  [
    'payment: order by M-Pesa',
    202,
    () =>
      call('POST', '/api/orders', orderRequest([{ id: 4, qty: 1 }], { payment: createMpesaPayment() }), {
        ...person.bearer,
        'Idempotency-Key': 'round-trips-key-0002',
      }),
  ],
  [
    'payment: again, from another phone',
    202,
    () =>
      call('POST', `/api/orders/${unpaidOrder}/payment`, { payment: createMpesaPayment() }, person.bearer),
  ],
  [
    'payment: order of an item that sells out in the meantime',
    409,
    async () => {
      await setStock(testContext(), RARE_ITEM, 1)
      runAfterFirstTrip = () => setStock(testContext(), RARE_ITEM, 0)
      return placeOrder([{ id: RARE_ITEM, qty: 1 }])
    },
  ],
  [
    'payment: order sent twice at once',
    200,
    async () => {
      const key = crypto.randomUUID()
      runAfterFirstTrip = async () => void (await postOrder(testContext(), person, orderRequest(), key))
      return placeOrder(undefined, key)
    },
  ],
  [
    'payment: again, for a sold-out item',
    409,
    () => call('POST', `/api/orders/${soldOut}/payment`, { payment: createMpesaPayment() }, person.bearer),
  ],
  [
    'payment state, when a check is due',
    200,
    () =>
      afterPollInterval(() => call('GET', `/api/orders/${unpaidOrder}/payment`, undefined, person.bearer)),
  ],
  [
    'an order, when a check of its payment is due',
    200,
    () => afterPollInterval(() => call('GET', `/api/orders/${unpaidOrder}`, undefined, person.bearer)),
  ],
  ['stock', 200, () => call('POST', '/api/stock/check', { ids: [1, 2] }, person.bearer)],
  ['cancelling', 200, () => call('POST', `/api/orders/${unpaidOrder}/cancel`, {}, person.bearer)],
  ['an order', 200, () => call('GET', `/api/orders/${unpaidOrder}`, undefined, person.bearer)],
  [
    'order link',
    200,
    () => call('POST', '/api/orders/link', { number: unpaidOrder, contact: 'wanjiru@example.com' }),
  ],
  ['orders', 200, () => call('GET', '/api/orders', undefined, person.bearer)],
  [
    'details',
    200,
    () => call('POST', '/api/account/details', { firstName: 'Amina', lastName: 'Wanjiru' }, person.bearer),
  ],
  [
    'password',
    200,
    () =>
      call(
        'POST',
        '/api/account/password',
        { oldPassword: PASSWORD, newPassword: `${PASSWORD}!` },
        ownSession,
      ),
  ],
  ['devices', 200, () => call('GET', '/api/account/devices', undefined, person.bearer)],
  ['ending devices', 200, () => call('POST', '/api/account/devices/end', { which: 'others' }, person.bearer)],
  ['data', 200, () => call('GET', '/api/account/data', undefined, person.bearer)],
  ['deletion', 204, () => call('POST', '/api/account/delete', { password: `${PASSWORD}!` }, ownSession)],
  ['health', 200, () => call('GET', '/api/health')],
  ['logout', 204, () => call('POST', '/api/auth/logout', undefined, person.bearer)],
]

describe('an API call', () => {
  beforeAll(async () => {
    person = await createAccount(testContext())
    const { body } = await postOrder(
      testContext(),
      person,
      orderRequest(undefined, { payment: createMpesaPayment() }),
    )
    unpaidOrder = body.order.number
    await setStock(testContext(), SOLD_OUT_ITEM, 1)
    const lastUnit = orderRequest([{ id: SOLD_OUT_ITEM, qty: 1 }], { payment: createMpesaPayment() })
    const cancelled = { outcome: 'declined', problem: 'cancelled' } as const
    const payments = testPayments({ mpesa: { startPayment: async () => cancelled } })
    const failed = await postOrder(testContext({ payments }), person, lastUnit)
    soldOut = failed.body.order.number
    await postOrder(testContext(), await createAccount(testContext()), {
      ...lastUnit,
      payment: createMpesaPayment(),
    })
  })

  it.for(calls)(
    '(%s) makes at most two round trips to the database, or three to start a payment',
    async ([name, status, send], { task }) => {
      trips = 0
      runAfterFirstTrip = async () => {}
      expect(await send()).toBe(status)
      const startsPayment = name.startsWith('payment:')
      const what = `D1 round trips ${startsPayment ? 'to start a payment' : 'of any other call'}`
      const limit = startsPayment ? MAX_ROUND_TRIPS_OF_PAYMENT : MAX_ROUND_TRIPS
      expectWithinBudget({ task }, limit, { id: 'S13', what, value: trips })
    },
  )
})
