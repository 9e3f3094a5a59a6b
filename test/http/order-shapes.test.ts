import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Account, createAccount } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { billing, countRows, orderRequest, postOrder } from '#test/support/orders.ts'
import { postJson } from '#test/support/posting.ts'

const ctx = testContext()
const shopper: Account = await createAccount(ctx)
const validOrder = orderRequest()
const withLine = (line: unknown) => ({ ...validOrder, lines: [line] })
const withBilling = (overrides: object) => ({ ...validOrder, billing: { ...billing, ...overrides } })
const withPayment = (overrides: object) => ({
  ...validOrder,
  payment: { ...validOrder.payment, ...overrides },
})

const quantities = [0, -1, 1.5, 100, 1e9, 2 ** 53, '2', '', null, undefined, true, [], {}, [1], 'NaN', -0]
const ids = [0, -1, 1.5, 2 ** 53, '1', '', null, undefined, true, [], {}, "1' OR '1'='1"]
const lineLists = [
  [],
  null,
  undefined,
  'lines',
  {},
  [null],
  [1],
  [[]],
  [{}],
  [
    { id: 1, qty: 1 },
    { id: 1, qty: 1 },
  ],
  Array.from({ length: 101 }, (_, index) => ({ id: index + 1, qty: 1 })),
]
const keys = [
  '',
  'short',
  'x'.repeat(65),
  'has spaces in the key',
  'key/with/slashes/in-it',
  'ключ-ключ-ключ-ключ',
  '%00'.repeat(8),
]

it.each<[string, unknown]>([
  ...quantities.map((qty): [string, unknown] => [`qty ${JSON.stringify(qty)}`, withLine({ id: 1, qty })]),
  ...ids.map((id): [string, unknown] => [`id ${JSON.stringify(id)}`, withLine({ id, qty: 1 })]),
  ...lineLists.map((lines): [string, unknown] => [
    `lines ${JSON.stringify(lines)?.slice(0, 40)}`,
    { ...validOrder, lines },
  ]),
  ...[null, undefined, 1, 'x', []].map((value): [string, unknown] => [
    `billing ${value}`,
    { ...validOrder, billing: value },
  ]),
  ...Object.keys(billing)
    .filter((field) => field !== 'address2')
    .flatMap((field): [string, unknown][] => [
      [`an empty ${field}`, withBilling({ [field]: ' ' })],
      [`no ${field}`, withBilling({ [field]: undefined })],
      [`a number as ${field}`, withBilling({ [field]: 7 })],
      [`an overlong ${field}`, withBilling({ [field]: 'x'.repeat(5000) })],
    ]),
  ['an invalid email address', withBilling({ email: 'nobody' })],
  ['two email addresses', withBilling({ email: 'a@b.ke, c@d.ke' })],
  ['another country', withBilling({ country: 'Uganda' })],
  ['another county', withBilling({ state: 'Kampala' })],
  ['no payment', { ...validOrder, payment: undefined }],
  ['a card number as the token', withPayment({ token: 'tok_4242424242424242' })],
  ['an empty token', withPayment({ token: '' })],
  [
    'a full card number as the last four digits',
    withPayment({ card: { brand: 'Visa', lastFour: '4242424242424242' } }),
  ],
  ['an unknown brand', withPayment({ card: { brand: '4242424242424242', lastFour: '4242' } })],
  ...[-1, 1.5, '2320', null, undefined, 2 ** 60].map((total): [string, unknown] => [
    `expectedTotal ${JSON.stringify(total)}`,
    { ...validOrder, expectedTotal: total },
  ]),
  ...[7, '', ' ', 'x'.repeat(41), {}, null].map((code): [string, unknown] => [
    `promoCode ${JSON.stringify(code)}`,
    { ...validOrder, promoCode: code },
  ]),
  ...['', '{', 'null', '[]', '"x"', '1', '{"lines":'].map((text): [string, unknown] => [
    `the body ${text}`,
    text,
  ]),
])('an order with %s gets a 400 with a message', async (_what, body) => {
  const before = await countRows(ctx)
  const response = await postOrder(ctx, shopper, body)
  await expectStatus(response, 400)
  expect(response.body.message).toMatch(/\S/)
  expect(response.body.message).not.toContain('Invalid input')
  expect(await countRows(ctx)).toEqual(before)
})

it.each(keys)('an order with the idempotency key %j gets a 400', async (key) => {
  const { status, body } = await postOrder(ctx, shopper, validOrder, encodeURI(key).replaceAll('%20', ' '))
  expect([status, body.code]).toEqual([400, 'invalid_key'])
})

it('an order with a random body gets a 400, 409 or 422', async () => {
  const anyBody = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        lines: fc.oneof(
          fc.jsonValue(),
          fc.array(
            fc.record({
              id: fc.oneof(fc.integer(), fc.jsonValue()),
              qty: fc.oneof(fc.integer(), fc.jsonValue()),
            }),
          ),
        ),
        billing: fc.oneof(fc.jsonValue(), fc.constant(billing)),
        payment: fc.oneof(fc.jsonValue(), fc.constant(validOrder.payment)),
        promoCode: fc.oneof(fc.string(), fc.jsonValue()),
        expectedTotal: fc.oneof(fc.integer(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
  )
  await fc.assert(
    fc.asyncProperty(anyBody, async (body) => {
      const { status } = await postOrder(ctx, shopper, JSON.stringify(body))
      expect([400, 409, 422]).toContain(status)
    }),
    { numRuns: 300 },
  )
})

it('an order of another content type gets a 415, and one over 64 KiB a 413', async () => {
  const send = async (type: string, body: string) =>
    (
      await postJson(ctx, '/api/orders', body, {
        ...shopper.bearer,
        'Content-Type': type,
        'Content-Length': String(body.length),
      })
    ).status
  expect(await send('text/plain', JSON.stringify(validOrder))).toBe(415)
  expect(await send('application/json', JSON.stringify(withBilling({ address: 'x'.repeat(66_000) })))).toBe(
    413,
  )
})

it('an order with real-world names and addresses is accepted', async () => {
  const { status, body } = await postOrder(
    ctx,
    shopper,
    withBilling({
      firstName: "  Nyokabi-Ann O'Hara ",
      lastName: 'Müller 🌿 \ud800',
      address: '<b>12</b> "Ngong" & Sons',
      address2: ' Gate B ',
    }),
  )
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body.order.lines).toHaveLength(1)
})
