import { afterAll, describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { formActions } from '#server/form-actions.ts'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { getPageDefinition, href, routes } from '#shared/routes.ts'
import { createAccount } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import { HOSTILE_TEXTS, takeNextShare } from '#test/support/hostile.ts'
import { orderRequest, postOrder as placeOrder } from '#test/support/orders.ts'
import { createMpesaPayment, testPayments } from '#test/support/payments.ts'

const ORIGIN = 'https://pamba.test'
const declined = { outcome: 'declined', problem: 'cancelled' } as const
const ctx = testContext({ payments: testPayments({ mpesa: { startPayment: async () => declined } }) })
const app = createApp(ctx)
const PASSWORD = 'unrepeated-kikoi-2026'
const MARKER = 'hostile()'
const SCRIPT_TEXT = '"></script><script>hostile()</script><img src=x onerror=hostile()>'
let cases = 0

/** Matches executable markup, which a page contains only if a hostile text was not escaped. */
const EXECUTABLE_MARKUP_PATTERN = /<(?:img|svg|iframe)[^>]* on\w+=|<script>|href="?\s*javascript:/i

async function expectHarmless(path: string, init: RequestInit, statuses: readonly number[]) {
  cases += 1
  const response = await app.request(new Request(ORIGIN + path, { redirect: 'manual', ...init }))
  const label = `${init.method ?? 'GET'} ${path.slice(0, 200)}`
  expect(statuses, `${label}: ${response.status}`).toContain(response.status)
  expect(response.headers.has('X-Injected'), label).toBe(false)
  const location = response.headers.get('Location')
  if (location !== null) expect(location, label).toMatch(/^\/(?![/\\])[\w/:,.?=-]*$/)
  const text = await response.text()
  expect(EXECUTABLE_MARKUP_PATTERN.exec(text)?.[0], label).toBeUndefined()
  expect(text.includes(PASSWORD), label).toBe(false)
  if (response.headers.get('Content-Type')?.startsWith('text/html')) expect(text, label).toMatch(/<\/html>$/)
  return text
}

const PATHS = [
  '//',
  '//evil.example',
  '///evil.example/%2e%2e',
  '/\\evil.example',
  '/%5cevil.example',
  '/%2f%2fevil.example',
  '/..',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/..%2f..%2fetc%2fpasswd',
  '/%252e%252e%252fetc%252fpasswd',
  '/.%00./etc/passwd',
  '/%c0%ae%c0%ae/etc/passwd',
  '/%e0%80%ae/',
  '/%',
  '/%zz',
  '/%E0%A4%A',
  '/%ff%fe',
  '/%00',
  '/products%00.html',
  '/products/',
  '/products//',
  '/PRODUCTS',
  '/products;jsessionid=1',
  '/product',
  '/product/',
  '/product//1',
  '/product/1/2',
  '/product/1%2f2',
  '/product/%31',
  '/product/01',
  '/product/+1',
  '/product/-1',
  '/product/1.0',
  '/product/1e0',
  '/product/0x1',
  '/product/١',
  `/product/${'9'.repeat(15)}`,
  `/product/${'9'.repeat(400)}`,
  '/product/__proto__',
  '/product/constructor',
  '/buy',
  '/buy/',
  '/buy/1:1/2:1',
  '/buy/%31%3A1',
  '/buy/%00:1',
  '/BUY/1:1',
  `/buy/${'1:1,'.repeat(3000)}`,
  `/buy/${'9'.repeat(9)}:1`,
  '/.git/config',
  '/.env',
  '/.dev.vars',
  '/wrangler.toml',
  '/.vite/manifest.json',
  '/_headers',
  '/server/index.js',
  '/cdn-cgi/x',
  '/robots.txt/',
  '/sitemap.xml%00',
  '/wp-admin/setup.php',
  `/${'a/'.repeat(2000)}`,
  `/${'x'.repeat(8000)}`,
  `/${'%41'.repeat(2000)}`,
]
const TEXT_PATHS = ['/', '/product/', '/buy/'].flatMap((path) =>
  HOSTILE_TEXTS.map((text) => path + encodeURIComponent(text.toWellFormed().slice(0, 1000))),
)

const shopper = await createAccount(ctx, { name: '</script><script>hostile()</script>' })
const pages = Object.values(routes).map(({ path }) => path.replace(':id', '1').replace(':lines', '1:1'))
/** A guest can't open an order by guessing its number. */
const expectedStatuses = (page: string) => (page === routes.order.path ? [404] : [200])

it('the pattern for executable markup matches unescaped hostile texts', () => {
  for (const text of HOSTILE_TEXTS.filter((candidate) => /<(script|img|svg)[ >]/.test(candidate)))
    expect(`<p>${text}</p>`).toMatch(EXECUTABLE_MARKUP_PATTERN)
})

describe('hostile paths', () => {
  it('get a page, a redirect or an error, signed in or not', async () => {
    for (const path of PATHS) {
      await expectHarmless(path, { headers: shopper.cookie }, [200, 308, 404])
      for (const method of ['GET', 'POST'])
        await expectHarmless(path, { method }, [200, 302, 308, 400, 404, 405])
    }
    for (const path of takeNextShare(TEXT_PATHS, 2))
      await expectHarmless(path, { headers: shopper.cookie }, [200, 308, 404])
  })

  it('get a 404 if they only resemble a product’s', async () => {
    for (const path of [
      '/product/1%2f2',
      '/product/%31',
      '/product/+1',
      '/product/-1',
      '/product/1.0',
      '/product/0x1',
    ])
      await expectHarmless(path, {}, [404])
  })

  it('never redirect to another site', async () => {
    for (const path of [
      '//evil.example/cart',
      '/cart?next=//evil.example',
      '/login?redirect=https://evil.example',
    ])
      expect(await expectHarmless(path, {}, [200, 302, 404])).not.toContain('href="//evil')
  })
})

describe('hostile queries', () => {
  const NAMES = ['category', 'page', 'oobCode', 'q', '__proto__', 'constructor']

  const query = (name: string, text: string) =>
    `?${name}=${encodeURIComponent(text.toWellFormed().slice(0, 1000))}&${name}=x`

  it.each(pages)('never break %s', async (page) => {
    for (const name of takeNextShare(NAMES, 2))
      await expectHarmless(page + query(name, SCRIPT_TEXT), {}, [...expectedStatuses(page), 302])
  })

  it.each([
    ['/products', 'category'],
    ['/products', 'page'],
    ['/products', 'q'],
    ['/products', 'sort'],
    ['/reset-password', 'oobCode'],
    ['/order/P-222222', 'key'],
  ])('never break %s through its parameter “%s”', async (page, name) => {
    const statuses = name === 'key' ? [404] : [200]
    for (const text of takeNextShare(HOSTILE_TEXTS, 4))
      await expectHarmless(page + query(name, text), {}, statuses)
  })

  it('that cannot be decoded never break the Shop', async () => {
    for (const query of [
      '?%',
      '?%ff=%fe',
      '?category=%E0%A4%A',
      '?page=%00',
      '?page=1&page=2&page[]=3',
      '?&&&',
      '?=',
    ])
      await expectHarmless(`/products${query}`, {}, [200])
  })
})

describe('the hostile name of a signed-in visitor', () => {
  it.each(pages)('is escaped on %s', async (page) => {
    const html = await expectHarmless(page, { headers: shopper.cookie }, expectedStatuses(page))
    expect(html).not.toContain('</script><script>hostile')
  })
})

const FIELDS = {
  login: ['email', 'password'],
  register: ['name', 'email', 'password', 'confirmPassword'],
  forgotPassword: ['email'],
  findOrder: ['number', 'contact'],
  resetPassword: ['oobCode', 'password', 'confirmPassword'],
  contact: ['name', 'email', 'message', 'leave_empty'],
  accountDetails: ['firstName', 'lastName', 'phone'],
  accountPassword: ['oldPassword', 'password', 'confirmPassword'],
  accountDevices: ['which'],
  accountData: ['password'],
  checkout: ['payWith', 'mpesaPhone'],
  order: ['payWith', 'mpesaPhone'],
} as const satisfies Record<keyof typeof formActions, readonly string[]>
const BYTES = ['%ff%fe', '%', '%zz', '%00', '%c0%af', '+', '=', '&&', '%E0%A4%A']
const PROTOTYPE_NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'toString']
const REFUSED_STATUSES = [400, 401, 409, 413, 415, 429]
const SUCCESS_STATUSES = [200, 303]

let personCount = 0
const validValues = (): Record<string, string> => ({
  name: 'Amina',
  email: `form-${++personCount}@shopper.test`,
  password: PASSWORD,
  confirmPassword: PASSWORD,
  oobCode: 'unknown',
  oldPassword: PASSWORD,
  firstName: 'Amina',
  lastName: 'Wanjiru',
  phone: '0712 345 678',
  which: 'unknown',
  number: 'P-222222',
  contact: 'asks@shopper.test',
  message: 'Habari, a good message.',
  leave_empty: '',
  payWith: 'mpesa',
  mpesaPhone: '0812 345 678',
})

const unpaid = await placeOrder(
  ctx,
  shopper,
  orderRequest([{ id: 1, qty: 1 }], { payment: createMpesaPayment() }),
)

const orderKey = await createOrderKey(unpaid.body.order.number, ctx)

describe.each(Object.keys(formActions) as (keyof typeof FIELDS)[])('the form of %s', (name) => {
  const { needsLogin } = getPageDefinition(name)
  const { number } = unpaid.body.order
  const path =
    name === 'checkout'
      ? href('checkout', {}, { order: number })
      : name === 'order'
        ? href('order', { number }, { key: orderKey })
        : routes[name].path
  const session = needsLogin ? shopper.cookie : {}
  const post = (body: BodyInit, headers: Record<string, string> = {}) =>
    expectHarmless(path, { method: 'POST', body, headers: { Origin: ORIGIN, ...session, ...headers } }, [
      ...SUCCESS_STATUSES,
      ...REFUSED_STATUSES,
    ])
  const validFields = () => {
    const values = validValues()
    return FIELDS[name].map((field): [string, string] => [field, values[field] ?? ''])
  }

  it('escapes hostile texts', async () => {
    const expectEscaped = async (text: string, isHostile: (field: string) => boolean) => {
      const fields = validFields().map(
        ([key, value]) => [key, isHostile(key) ? text.toWellFormed() : value] as [string, string],
      )
      const html = await post(new URLSearchParams(fields))
      if (text.includes(MARKER)) expect(html).not.toContain(text.replace(/^[^<]*/, '') || MARKER.repeat(2))
    }
    for (const text of takeNextShare(HOSTILE_TEXTS)) await expectEscaped(text, () => true)
    for (const field of FIELDS[name])
      for (const text of takeNextShare(HOSTILE_TEXTS, 9)) await expectEscaped(text, (key) => key === field)
  })

  it('never fails on malformed percent-encoding or invalid UTF-8', async () => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    for (const field of FIELDS[name])
      for (const value of takeNextShare(BYTES, 3))
        await post(
          `${new URLSearchParams(validFields().filter(([key]) => key !== field))}&${field}=${value}`,
          type,
        )
  })

  it('never fails on fields that are missing, repeated, lists, files or named after prototype members', async () => {
    await post(new URLSearchParams())
    const prototypes = takeNextShare(PROTOTYPE_NAMES, 2)
    for (const field of [...FIELDS[name], ...prototypes]) {
      await post(new URLSearchParams([...validFields(), [field, 'again']]))
      await post(
        new URLSearchParams([
          ...validFields(),
          [`${field}[]`, 'x'],
          [`${field}[a]`, 'y'],
          [`${field}.b`, 'z'],
        ]),
      )
      const form = new FormData()
      for (const [key, value] of validFields()) if (key !== field) form.append(key, value)
      form.append(
        field,
        new File(['<script>hostile()</script>'], '"><img src=x onerror=hostile()>', { type: 'text/html' }),
      )
      await post(form)
    }
    expect({}).not.toHaveProperty('again')
  })

  it('never fails on other bodies, and rejects those over 64 KiB', async () => {
    const multipart = { 'Content-Type': 'multipart/form-data; boundary=x' }
    for (const body of [
      '',
      '--x',
      '--x\r\n\r\n',
      '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\na',
      '\0',
    ])
      await post(body, multipart)
    for (const type of ['text/plain', 'application/json', 'multipart/form-data', 'image/png', ''])
      await post('{"email":"a@b.ke"}', { 'Content-Type': type })
    await expectHarmless(
      path,
      {
        method: 'POST',
        body: new URLSearchParams({ email: 'x'.repeat(70_000) }),
        headers: { Origin: ORIGIN },
      },
      [413],
    )
  })

  it('can’t be sent from another site', async () => {
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: `${ORIGIN}.evil.example` },
      { Origin: 'http://pamba.test' },
      { Origin: ORIGIN, 'Sec-Fetch-Site': 'cross-site' },
      { Origin: ORIGIN, 'Sec-Fetch-Site': 'same-site' },
    ] as Record<string, string>[])
      await expectHarmless(path, { method: 'POST', body: new URLSearchParams(validFields()), headers }, [403])
  })
})

afterAll(() => {
  console.info(`${cases} hostile requests to the pages.`)
  expect(cases, 'hostile requests').toBeGreaterThan(850)
})
