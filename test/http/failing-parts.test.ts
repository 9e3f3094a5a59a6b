import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import type { ServiceContext } from '#server/context.ts'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { UnavailableError } from '#server/platform/db/client.ts'
import { contactMessages } from '#server/platform/db/schema.ts'
import { type Page, routes } from '#shared/routes.ts'
import { HOUR_MS } from '#shared/time.ts'
import { createAccount, createSession, toCookieHeader } from '#test/support/account.ts'
import { createUnpublishedCatalogue, NOW_MS, testContext } from '#test/support/context.ts'
import { createSpyDatabase, createUnreachableDatabase } from '#test/support/database.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { listOrders, orderRequest, postOrder, readRecords } from '#test/support/orders.ts'
import { createMpesaPayment, testPayments } from '#test/support/payments.ts'
import { get, postForm, postJson } from '#test/support/posting.ts'

// Most groups test a row of the first table in docs/failures.md.

const pages = Object.values<Page>(routes)
  .filter(({ path }) => path !== routes.order.path)
  .map(({ path, needsLogin }) => ({ page: path.replace(':id', '1').replace(':lines', '1:1'), needsLogin }))
const REGISTRATION = { name: 'Amina', email: 'amina@example.com', password: 'kikoi-2026' }
const CONTACT_MESSAGE = { name: 'Amina', email: 'amina@example.com', message: 'Is the romper sold out?' }
const FAILING_CALLS: [string, object][] = [
  ['/api/auth/register', REGISTRATION],
  ['/api/auth/login', REGISTRATION],
  ['/api/contact', CONTACT_MESSAGE],
  ['/api/promotions/check', { code: 'KARIBU10', lines: [{ id: 1, qty: 1 }] }],
  ['/v1/accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: REGISTRATION.email }],
  ['/v1/accounts:resetPassword', { oobCode: 'x'.repeat(43), newPassword: REGISTRATION.password }],
]
const UNAVAILABLE = 'The shop is temporarily unavailable. Please try again in a minute.'

function createDatabaseLosingResponses(times = Number.POSITIVE_INFINITY) {
  let remaining = times
  return createSpyDatabase(async (go) => {
    const response = await go()
    if (remaining-- > 0) throw new Error('D1_ERROR: Network connection lost.')
    return response
  })
}

function createDatabaseFailingFirst(times: number) {
  let remaining = times
  return createSpyDatabase((go) =>
    remaining-- > 0 ? Promise.reject(new Error('D1_ERROR: Network connection lost.')) : go(),
  )
}

describe('while the database is down', () => {
  const down = testContext({ db: createUnreachableDatabase() })

  it('every page except an order’s is served as usual', async () => {
    const shopper = await createAccount(testContext())
    for (const { page, needsLogin } of pages) {
      const response = await get(down, page)
      expect(response.status, page).toBe(needsLogin ? 302 : 200)
      const signedInResponse = await get(down, page, shopper.cookie)
      expect(signedInResponse.status, page).toBe(200)
      expect(await signedInResponse.text(), page).not.toContain(UNAVAILABLE)
    }
    for (const path of ['/robots.txt', '/sitemap.xml']) await expectStatus(await get(down, path), 200)
  })

  it('an order’s page reports the outage instead of an unknown order', async () => {
    const shopper = await createAccount(testContext())
    const link = `/order/P-222222?key=${await createOrderKey('P-222222', down)}`
    for (const response of [await get(down, '/order/P-222222', shopper.cookie), await get(down, link)]) {
      await expectStatus(response, 503)
      expect(await response.text()).toContain(UNAVAILABLE)
    }
  })

  it.each(FAILING_CALLS)(
    '%s responds with 503, and only the log has the database’s error',
    async (path, body) => {
      const ctx = testContext({ db: createUnreachableDatabase() })
      const response = await postJson(ctx, path, body)
      await expectStatus(response, 503)
      const text = await response.text()
      expect(text).toContain(UNAVAILABLE)
      expect(text).not.toContain('D1_ERROR')
      expect(ctx.lines[0]?.failures?.[0]).toContain('Network connection lost')
    },
  )

  it('orders and the session call get a 503, and the session cookie is kept', async () => {
    const shopper = await createAccount(testContext())
    expect(await postOrder(down, shopper, orderRequest())).toMatchObject({
      status: 503,
      body: { message: UNAVAILABLE },
    })
    for (const path of ['/api/orders', '/api/auth/session']) {
      const response = await get(down, path, { ...shopper.bearer, ...shopper.cookie })
      expect([response.status, response.headers.getSetCookie()]).toEqual([503, []])
    }
  })

  it.each<[string, Record<string, string>, string]>([
    ['/contact', CONTACT_MESSAGE, CONTACT_MESSAGE.message],
    ['/login', REGISTRATION, REGISTRATION.email],
    ['/register', { ...REGISTRATION, confirmPassword: REGISTRATION.password }, REGISTRATION.email],
    ['/forgot-password', REGISTRATION, REGISTRATION.email],
  ])(
    'the form of %s reports the outage and keeps the entered values, except the password',
    async (path, fields, entered) => {
      const response = await postForm(down, path, fields)
      const html = await response.text()
      await expectStatus(response, 503)
      expect(html).toContain(UNAVAILABLE)
      expect(html).toContain(entered)
      expect(html).not.toContain(REGISTRATION.password)
    },
  )
})

describe('when the database fails briefly', () => {
  it('a retried order is placed once', async () => {
    const shopper = await createAccount(testContext())
    const ctx = testContext({ db: createDatabaseFailingFirst(1) })
    const key = crypto.randomUUID()
    await expectStatus(await postOrder(ctx, shopper, orderRequest(), key), 503)
    await expectStatus(await postOrder(ctx, shopper, orderRequest(), key), 201)
    expect((await readRecords(testContext(), shopper.user.id)).orders).toHaveLength(1)
  })

  it.each([1, 2])('a retried order is placed once after this many lost responses: %i', async (times) => {
    const shopper = await createAccount(testContext())
    const ctx = testContext({ db: createDatabaseLosingResponses(times) })
    const key = crypto.randomUUID()
    const statuses: number[] = []
    while (statuses.length < 4 && statuses.at(-1) !== 201 && statuses.at(-1) !== 200)
      statuses.push((await postOrder(ctx, shopper, orderRequest(), key)).status)
    expect(statuses.slice(0, -1).every((status) => status === 503)).toBe(true)
    const { orders, lines, emails } = await readRecords(testContext(), shopper.user.id)
    expect([orders.length, lines.length, emails.length]).toEqual([1, 1, 2])
  })

  it('a retried contact message is stored once', async () => {
    const lost = await postJson(
      testContext({ db: createDatabaseLosingResponses() }),
      '/api/contact',
      CONTACT_MESSAGE,
    )
    await expectStatus(lost, 503)
    const again = await postJson(testContext(), '/api/contact', CONTACT_MESSAGE)
    const once = await postJson(testContext(), '/api/contact', CONTACT_MESSAGE)
    expect([again.status, await again.json()]).toEqual([201, await once.json()])
    const { db } = testContext()
    expect(await db.$count(contactMessages, eq(contactMessages.message, CONTACT_MESSAGE.message))).toBe(1)
  })

  it('a registration whose response was lost has created the account, and a retry says to log in', async () => {
    const person = { ...REGISTRATION, email: 'lost@example.com' }
    await expectStatus(
      await postJson(testContext({ db: createDatabaseLosingResponses() }), '/api/auth/register', person),
      503,
    )
    const again = await postJson(testContext(), '/api/auth/register', person)
    await expectStatus(again, 409)
    expect(await again.text()).toContain('Log in instead.')
    await expectStatus(await postJson(testContext(), '/api/auth/login', person), 200)
  })
})

describe('when email fails', () => {
  it('orders and messages are accepted, and their emails are retried', async () => {
    const shopper = await createAccount(testContext())
    const mailer = { send: () => Promise.reject(new Error('The email service is down.')) }
    const ctx = testContext({ mailer })
    await expectStatus(await postOrder(ctx, shopper, orderRequest()), 201)
    const message = { ...CONTACT_MESSAGE, message: 'A message while email is down.' }
    await expectStatus(await postJson(ctx, '/api/contact', message), 201)
    await ctx.backgroundDone()
    const outcomes = ctx.deliveries.map(({ kind, outcome }) => `${kind}: ${outcome}`)
    expect(outcomes).toEqual(
      expect.arrayContaining(['order-confirmation: retry', 'order-notice: retry', 'contact-notice: retry']),
    )
  })
})

describe('when photos are unavailable', () => {
  const product = {
    id: 1,
    title: 'Toy',
    description: 'A toy.',
    price: 10,
    category: 'Toys',
    rating: { rate: 4 },
  }
  const image = '/photos/abcdefgh/640.jpg'

  it.each<[string, () => Promise<null>, number]>([
    ['can’t be read', () => Promise.reject(new Error('R2 is down.')), 503],
    ['are missing', async () => null, 404],
  ])(
    'pages still show text and boxes for photos that %s, and the failure isn’t cached',
    async (_, read, status) => {
      const catalogue = createUnpublishedCatalogue(() => Response.json([{ ...product, image }]))
      const photos = { ...testContext().photos, get: read }
      const ctx = testContext({ catalogue, publishedCatalogue: catalogue, photos })
      for (const [page, box] of [
        ['/products', 'width="320" height="400"'],
        ['/product/1', 'width="640" height="800"'],
      ] as const) {
        const response = await get(ctx, page)
        await expectStatus(response, 200)
        expect(await response.text()).toMatch(new RegExp(`<img(?=[^>]* alt="Toy")(?=[^>]* ${box})`))
      }
      const photo = await get(ctx, image)
      await expectStatus(photo, status)
      expect(photo.headers.get('Cache-Control') ?? '').not.toContain('immutable')
    },
  )
})

describe('when the rate limits can’t be read', () => {
  it('login responds with 503, and its form says to try again later', async () => {
    const attempts = () => Promise.reject(new UnavailableError('The rate limits can’t be read.'))
    const ctx = testContext({ limits: { ...testContext().limits, attempts } })
    await expectStatus(await postJson(ctx, '/api/auth/login', REGISTRATION), 503)
    expect(await (await postForm(ctx, '/login', REGISTRATION)).text()).toContain(UNAVAILABLE)
  })
})

describe('when the payment provider is unavailable', () => {
  it('an order is refused with a message, and can be retried with its key', async () => {
    const shopper = await createAccount(testContext())
    const key = crypto.randomUUID()
    const busy = { outcome: 'declined', problem: 'provider_busy' } as const
    const payments = testPayments({ mpesa: { startPayment: async () => busy } })
    const order = orderRequest(undefined, { payment: createMpesaPayment() })
    const response = await postOrder(testContext({ payments }), shopper, order, key)
    await expectStatus(response, 503)
    expect(response.body.message).toContain('M-Pesa can’t take payments right now.')
    await expectStatus(await postOrder(testContext(), shopper, orderRequest(), key), 200)
  })
})

describe('when the cookie secret is rotated', () => {
  const withSecrets = (secrets: Partial<ServiceContext['config']>) =>
    testContext({ config: { ...testContext().config, ...secrets } })
  const fresh = { COOKIE_SECRET: 'a-new-secret-for-tests-0123456789abcdef' }

  it('sessions stay valid while the previous secret is accepted', async () => {
    const shopper = await createAccount(testContext())
    const ctx = withSecrets({ ...fresh, COOKIE_SECRET_PREVIOUS: testContext().config.COOKIE_SECRET })
    await expectStatus(await get(ctx, '/dashboard', shopper.cookie), 200)
    await expectStatus(await listOrders(ctx, shopper), 200)
  })

  it('a session’s token renews its cookie even without the previous secret', async () => {
    const shopper = await createAccount(testContext())
    const ctx = withSecrets(fresh)
    await expectStatus(await get(ctx, '/dashboard', shopper.cookie), 302)
    const renewed = await get(ctx, '/api/auth/session', { ...shopper.bearer, ...shopper.cookie })
    await expectStatus(renewed, 200)
    await expectStatus(await get(ctx, '/dashboard', { Cookie: toCookieHeader(renewed) }), 200)
  })
})

describe('when the clock is wrong', () => {
  it.each([-48, -1, 1, 48])(
    'by %i hours, sessions stay valid, orders are placed and emails are sent',
    async (hours) => {
      const shopper = await createAccount(testContext())
      const ctx = testContext({ clock: () => NOW_MS + hours * HOUR_MS })
      await expectStatus(await get(ctx, '/dashboard', shopper.cookie), 200)
      const placed = await postOrder(ctx, shopper, orderRequest())
      await expectStatus(placed, 201)
      await ctx.backgroundDone()
      const emails = ctx.emails.filter(({ text }) => text.includes(placed.body.order.number))
      expect(emails).toHaveLength(2)
      expect((await listOrders(ctx, shopper)).body.orders.map(({ number }) => number)).toEqual([
        placed.body.order.number,
      ])
    },
  )

  it('by weeks and then corrected, sessions are valid, including those created in between', async () => {
    const shopper = await createAccount(testContext())
    const wrong = testContext({ clock: () => NOW_MS + 15 * 24 * HOUR_MS })
    await expectStatus(await get(wrong, '/dashboard', shopper.cookie), 302)
    await expectStatus(await get(testContext(), '/dashboard', shopper.cookie), 200)
    const createdInBetween = await createSession(wrong, shopper.user)
    await expectStatus(await get(testContext(), '/dashboard', createdInBetween.cookie), 200)
  })
})
