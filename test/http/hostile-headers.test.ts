import { describe, it } from 'vitest'
import { HOSTILE_TEXTS } from '#test/support/hostile.ts'
import { callNames, goodBody, json, shopper, withHeaders } from '#test/support/hostile-calls.ts'
import { expectNoneWrong, testRecordsAfterwards } from '#test/support/hostile-records.ts'

// Some of these send hundreds of requests.

/** Sent alone: each may lead to an early answer, which hides what the others would do. */
const DECIDING_HEADERS = ['Authorization', 'Cookie', 'Content-Length']
/** Sent together, each with another of the values. */
const OTHER_HEADERS = ['Accept', 'User-Agent', 'X-Forwarded-For', 'CF-Connecting-IP']
const HEADER_VALUES = [
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
const QUERIES = [
  '?',
  '?&&&=',
  '?%',
  '?%00=%ff',
  '?before=1&before=2',
  '?before[]=1',
  '?__proto__[x]=1',
  '?a='.padEnd(8000, 'x'),
]
const CURSORS = [
  ...HOSTILE_TEXTS,
  '1.P-222222',
  '999999999999999.P-ABCDEF',
  '-1.P-ABCDEF',
  "1.P-'OR'1",
  '1e3.P-ABCDEF',
]

const HEADERS = HEADER_VALUES.flatMap((value, index) => [
  ...DECIDING_HEADERS.map((header) => ({ [header]: value })),
  Object.fromEntries(OTHER_HEADERS.map((header, offset) => [header, HEADER_VALUES.at(index - offset) ?? ''])),
])

describe.each(callNames)('%s', (name) => {
  it('answers as documented whatever its headers say', async () => {
    await expectNoneWrong(HEADERS.map((headers) => [name, withHeaders(name, headers)]))
  })

  it('takes no notice of a query, or says what is wrong with it', async () => {
    await expectNoneWrong(QUERIES.map((query) => [name, withHeaders(name), query]))
  })
})

it('the list of orders takes no made-up place in it', async () => {
  await expectNoneWrong(
    CURSORS.map((value) => [
      'GET /api/orders',
      { headers: shopper.bearer },
      `?before=${encodeURIComponent(value.toWellFormed().slice(0, 4000))}`,
    ]),
  )
})

it('placing an order takes no made-up key', async () => {
  const name = 'POST /api/orders'
  const keys = HOSTILE_TEXTS.filter((text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text))
  await expectNoneWrong(keys.map((key) => [name, json(name, goodBody(name), { 'Idempotency-Key': key })]))
})

testRecordsAfterwards(1000)
