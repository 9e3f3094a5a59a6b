import { METHOD_NAME_ALL } from 'hono/router'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createApp } from '#server/app.ts'
import { contactMessages, orders, outbox, sessions, users } from '#server/db/schema.ts'
import { errors } from '#shared/errors.ts'
import { CONTACT_TRAP_FIELD } from '#shared/rules/contact-form.ts'
import { account } from '#test/support/account.ts'
import { testDeps } from '#test/support/deps.ts'
import { fieldsOf, HOSTILE_BODIES, HOSTILE_TEXTS, HOSTILE_VALUES, withField } from '#test/support/hostile.ts'
import { orderRequest, promotionCode, tenPercent, totalOf } from '#test/support/orders.ts'

// Some of these send hundreds of requests.
vi.setConfig({ testTimeout: 60_000 })

const ORIGIN = 'https://pamba.test'
const deps = testDeps()
const app = createApp(deps)
const shopper = await account(deps)
const lines = [{ id: 1, qty: 2 }]
const code = await promotionCode(deps)
const PASSWORD = 'unrepeated-kikoi-2026'
let people = 0
const newEmail = () => `hostile-${++people}@shopper.test`
const newKey = () => ({ 'Idempotency-Key': crypto.randomUUID() })

type Endpoint = {
  /** A request that succeeds, made anew for each case. */
  body?: () => Record<string, unknown>
  headers?: () => Record<string, string>
  /** What the contract says that it answers, beyond {@link COMMON}. */
  statuses: number[]
}

/** Refusals that any call may answer with. */
const COMMON = [400, 413, 415]

/** Every call, with a good request. One that is not here fails the first test below. */
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
  'POST /api/contact': {
    body: () => ({
      name: 'Amina',
      email: newEmail(),
      message: 'Habari, a good message.',
      [CONTACT_TRAP_FIELD]: '',
    }),
    statuses: [201],
  },
  'POST /api/promotions/check': {
    body: () => ({ code, lines: [{ id: 1, qty: 1 }] }),
    statuses: [200, 404, 410, 422],
  },
  'POST /api/orders': {
    body: () => ({ ...orderRequest(lines), promoCode: code, expectedTotal: totalOf(lines, tenPercent) }),
    headers: () => ({ ...shopper.bearer, ...newKey() }),
    statuses: [200, 201, 401, 402, 409, 422],
  },
  'GET /api/orders': { headers: () => shopper.bearer, statuses: [200, 401] },
  'POST /v1/accounts:sendOobCode': {
    body: () => ({ requestType: 'PASSWORD_RESET', email: newEmail(), clientType: 'CLIENT_TYPE_WEB' }),
    statuses: [200],
  },
  'POST /v1/accounts:resetPassword': {
    body: () => ({ oobCode: 'x'.repeat(43), newPassword: PASSWORD }),
    statuses: [200],
  },
}
const names = Object.keys(endpoints)
const withBody = names.filter((name) => endpoints[name]?.body)

let cases = 0
/** How often each call succeeded. */
const succeeded: Record<string, number> = {}

/** Sends one hostile request and says what is wrong with its answer; undefined when nothing is. */
async function wrongWith(name: string, init: RequestInit, query = ''): Promise<string | undefined> {
  cases += 1
  const [method = '', path = ''] = name.split(' ')
  const response = await app.request(ORIGIN + path + query, { method, ...init })
  const text = await response.text()
  const what = printable(`${name}${query} ${init.body}: ${response.status} ${text}`)
  if (response.ok) succeeded[name] = (succeeded[name] ?? 0) + 1
  if (![...(endpoints[name]?.statuses ?? []), ...COMMON].includes(response.status)) return `status: ${what}`
  if (response.headers.has('X-Injected')) return `header: ${what}`
  if (text.includes(PASSWORD) || text.includes('scrypt')) return `secret: ${what}`
  if (response.status === 204) return text === '' ? undefined : `body: ${what}`
  if (!response.headers.get('Content-Type')?.startsWith('application/json')) return `type: ${what}`
  const answer = JSON.parse(text)
  if (response.ok) return undefined
  return isDocumentedFailure(path, response.status, answer) ? undefined : `shape: ${what}`
}

/** Half a character in a report would end the reporter. */
function printable(text: string): string {
  const plain = text.replace(/[^\x20-\x7e]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
  return plain.length > 400 ? `${plain.slice(0, 200)} … ${plain.slice(-200)}` : plain
}

/** Words for people, not those of the library that parsed. */
function isSentence(message: unknown): boolean {
  return (
    typeof message === 'string' &&
    /^[A-Za-z].*\S$/s.test(message) &&
    !/^invalid input|received|^too (big|small)|undefined|\[object/i.test(message)
  )
}

function isDocumentedFailure(path: string, status: number, answer: Record<string, unknown>): boolean {
  if (path.startsWith('/v1/')) {
    const { error } = answer as { error?: { code?: number; message?: string } }
    const isWhole = Object.keys(answer).join() === 'error' && error?.code === status
    return isWhole && isSentence(error.message)
  }
  const { message, code, errors: fields = {}, ...more } = answer
  const isKnown = typeof code === 'string' && Object.hasOwn(errors, code)
  return (
    isKnown &&
    errors[code as keyof typeof errors].status === status &&
    isSentence(message) &&
    Object.values(fields as object).every((text) => typeof text === 'string') &&
    Object.keys(more).every((key) => ['figures', 'lines', 'order', 'productIds'].includes(key))
  )
}

/** Sends many and asserts that no answer is wrong. */
async function expectNoneWrong(requests: Iterable<[name: string, init: RequestInit, query?: string]>) {
  const wrong: string[] = []
  for (const request of requests) {
    const problem = await wrongWith(...request)
    if (problem) wrong.push(problem)
  }
  expect(wrong.length, wrong.slice(0, 8).join('\n')).toBe(0)
}

const json = (name: string, body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  headers: { 'Content-Type': 'application/json', ...endpoints[name]?.headers?.(), ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const good = (name: string) => endpoints[name]?.body?.() ?? {}

it('knows every call of the Worker', () => {
  const calls = app.routes
    .filter(({ method, path }) => method !== METHOD_NAME_ALL && /^\/(api|v1)\/[^*]+$/.test(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect([...new Set(calls)].sort()).toEqual([...names].sort())
})

describe.each(withBody)('%s', (name) => {
  it('answers as documented whatever stands in a field', async () => {
    const requests = fieldsOf(good(name)).flatMap((path) =>
      [...HOSTILE_TEXTS, ...HOSTILE_VALUES].map((value): [string, RequestInit] => [
        name,
        json(name, withField(good(name), path, value)),
      ]),
    )
    await expectNoneWrong(requests)
  })

  it('answers as documented whatever the body is', async () => {
    await expectNoneWrong(HOSTILE_BODIES.map((body) => [name, { ...json(name, ''), body }]))
  })

  it('takes keys that it does not know for nothing, and those of prototypes neither', async () => {
    const more = [
      '__proto__',
      'constructor',
      'prototype',
      'id',
      'userId',
      'status',
      'isAdmin',
      'passwordHash',
      '$where',
    ]
    const bodies = more.flatMap((key) =>
      ['{"polluted":true}', '"x"', '1', 'null'].map((value) =>
        JSON.stringify(good(name)).replace('{', `{${JSON.stringify(key)}:${value},`),
      ),
    )
    await expectNoneWrong(bodies.map((body) => [name, json(name, body)]))
    expect({}).not.toHaveProperty('polluted')
    expect({}).not.toHaveProperty('isAdmin')
  })

  it('takes the last of a key that stands twice, or none', async () => {
    const body = JSON.stringify(good(name))
    await expectNoneWrong(
      Object.keys(good(name)).flatMap((key) => [
        [name, json(name, body.replace('{', `{"${key}":null,`))] as [string, RequestInit],
        [name, json(name, body.replace(/}$/, `,"${key}":{"$gt":""}}`))] as [string, RequestInit],
      ]),
    )
  })

  it('refuses what is not JSON by its type', async () => {
    const types = [
      '',
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json-patch+json',
      'application/jsonx',
      'application/json, text/plain',
      'application/xml',
      '*/*',
    ]
    for (const type of types) {
      cases += 1
      const [method = '', path = ''] = name.split(' ')
      const init = json(name, good(name), { 'Content-Type': type })
      expect((await app.request(ORIGIN + path, { method, ...init })).status, type).toBe(415)
    }
    await expectNoneWrong(
      [
        'application/json;charset=utf-16',
        'APPLICATION/JSON',
        ' application/json ;x',
        'application/json;;',
      ].map((type) => [name, json(name, good(name), { 'Content-Type': type })]),
    )
  })

  it('refuses an endless body that comes in pieces, without reading to its end', async () => {
    let pieces = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1
        if (pieces > 4000) controller.close()
        else controller.enqueue(new TextEncoder().encode('"'.padEnd(1024, 'x')))
      },
    })
    const [method = '', path = ''] = name.split(' ')
    cases += 1
    const { headers = {} } = json(name, '')
    const response = await app.request(new Request(ORIGIN + path, { method, headers, body }))
    expect(response.status).toBe(413)
    expect(pieces).toBeLessThan(100)
  })
})

describe('every call', () => {
  const headerNames = [
    'Authorization',
    'Cookie',
    'Accept',
    'User-Agent',
    'Content-Length',
    'X-Forwarded-For',
    'CF-Connecting-IP',
  ]
  const headerValues = [
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'bearer  x',
    `Bearer ${'x'.repeat(43)}`,
    `Bearer ${'x'.repeat(9000)}`,
    `Basic ${btoa('amina:kikoi')}`,
    "Bearer ' OR 1=1 --",
    '__Host-session=x.y; session=z',
    '__Host-session=%00%ff%E0%A4%A',
    `${'a=b; '.repeat(2000)}`,
    '=;=;;=',
    '__proto__=x; constructor=y',
    '<script>hostile()</script>',
    '-1',
    '99999999999999999999',
    '127.0.0.1, 10.0.0.1',
  ]

  it.each(names)('%s answers as documented whatever its headers say', async (name) => {
    const requests = headerNames.flatMap((header) =>
      headerValues.map((value): [string, RequestInit] => {
        const body = endpoints[name]?.body
        const headers = { ...endpoints[name]?.headers?.(), [header]: value }
        return [name, body ? json(name, body(), headers) : { headers }]
      }),
    )
    await expectNoneWrong(requests)
  })

  it.each(names)('%s takes no notice of a query, or says what is wrong with it', async (name) => {
    const queries = [
      '?',
      '?&&&=',
      '?%',
      '?%00=%ff',
      '?before=1&before=2',
      '?before[]=1',
      '?__proto__[x]=1',
      '?a='.padEnd(8000, 'x'),
    ]
    await expectNoneWrong(
      queries.map((query) => [
        name,
        endpoints[name]?.body ? json(name, good(name)) : { headers: endpoints[name]?.headers?.() ?? {} },
        query,
      ]),
    )
  })

  it('of the list of orders takes no made-up place in it', async () => {
    const values = [
      ...HOSTILE_TEXTS,
      '1.P-222222',
      '999999999999999.P-ABCDEF',
      '-1.P-ABCDEF',
      "1.P-'OR'1",
      '1e3.P-ABCDEF',
    ]
    await expectNoneWrong(
      values.map((value) => [
        'GET /api/orders',
        { headers: shopper.bearer },
        `?before=${encodeURIComponent(value.toWellFormed().slice(0, 4000))}`,
      ]),
    )
  })

  it('of placing an order takes no made-up key', async () => {
    const keys = HOSTILE_TEXTS.filter((text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text))
    await expectNoneWrong(
      keys.map((key) => [
        'POST /api/orders',
        json('POST /api/orders', good('POST /api/orders'), { 'Idempotency-Key': key }),
      ]),
    )
  })
})

describe('afterwards', () => {
  it('only what was answered as made is in the records', async () => {
    const count = async (table: Parameters<typeof deps.db.$count>[0]) => await deps.db.$count(table)
    expect(await count(users)).toBe(1 + (succeeded['POST /api/auth/register'] ?? 0))
    expect(await count(orders)).toBe(succeeded['POST /api/orders'] ?? 0)
    expect(await count(contactMessages)).toBeLessThanOrEqual(succeeded['POST /api/contact'] ?? 0)
    const signIns = ['POST /api/auth/register', 'POST /api/auth/login'].map((name) => succeeded[name] ?? 0)
    expect(await count(sessions)).toBe(signIns.reduce((sum, n) => sum + n, 1))
    expect(succeeded).toMatchObject({
      'POST /api/auth/register': expect.any(Number),
      'POST /api/orders': expect.any(Number),
    })
  })

  it('no record holds a password, a control character in a line, or half a character', async () => {
    const tables = { users: deps.db.select().from(users), orders: deps.db.select().from(orders) }
    for (const [table, query] of Object.entries(tables))
      for (const row of await query)
        for (const [column, value] of Object.entries(row)) {
          const text = String(value)
          expect(text.isWellFormed() && !/\p{Cc}/u.test(text), `${table}.${column}: ${printable(text)}`).toBe(
            true,
          )
          expect(text).not.toContain(PASSWORD)
        }
    for (const row of await deps.db.select().from(contactMessages))
      for (const text of [row.name, row.email]) expect(text).not.toMatch(/\p{Cc}/u)
    for (const { recipient, replyTo, subject } of await deps.db.select().from(outbox))
      for (const text of [recipient, replyTo ?? '', subject]) expect(text).not.toMatch(/\p{Cc}/u)
  })

  it('every order adds up, and every user is only what registration makes', async () => {
    for (const order of await deps.db.select().from(orders)) {
      const { subtotalCents, discountCents, shippingCents, vatCents, totalCents } = order
      expect(
        Math.abs(subtotalCents - discountCents + shippingCents + vatCents - totalCents),
      ).toBeLessThanOrEqual(50)
      expect(order.userId).toBe(shopper.user.id)
      expect(order.status).toBe('placed')
    }
    for (const user of await deps.db.select().from(users))
      if (user.id !== shopper.user.id) expect(user.passwordHash).toMatch(/^\$scrypt\$/)
  })
})

afterAll(() => {
  console.info(`${cases} hostile requests to the calls.`)
  expect(cases).toBeGreaterThan(2000)
})
