import { METHOD_NAME_ALL } from 'hono/router'
import { describe, expect, it } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  HOSTILE_BODIES,
  HOSTILE_TEXTS,
  HOSTILE_VALUES,
  listFieldPaths,
  takeNextShare,
  withField,
} from '#test/support/hostile.ts'
import {
  app,
  callNames,
  callsWithBody,
  createValidBody,
  jsonRequest,
  send,
  shopper,
  withHeaders,
} from '#test/support/hostile-calls.ts'
import { expectDocumented, testStoredRows } from '#test/support/hostile-records.ts'

// All requests are in one file, so that `testStoredRows` can count their rows: tables are emptied before each file.

/** Each of these headers is sent alone, because it may cause an error before the others are read. */
const SINGLE_HEADERS = ['Authorization', 'Cookie', 'Content-Length']
const COMBINED_HEADERS = ['Accept', 'User-Agent', 'X-Forwarded-For', 'CF-Connecting-IP']
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
  ...SINGLE_HEADERS.map((header) => ({ [header]: value })),
  Object.fromEntries(
    COMBINED_HEADERS.map((header, offset) => [header, HEADER_VALUES.at(index - offset) ?? '']),
  ),
])

const UNKNOWN_KEYS = [
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
const MEMBERS = UNKNOWN_KEYS.flatMap((key) =>
  ['{"polluted":true}', '"x"', '1', 'null'].map((value) => `${JSON.stringify(key)}:${value}`),
)
const OTHER_TYPES = [
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
const JSON_TYPES = [
  'application/json;charset=utf-16',
  'APPLICATION/JSON',
  ' application/json ;x',
  'application/json;;',
]

it('hostile requests cover every API call', () => {
  const calls = app.routes
    .filter(({ method, path }) => method !== METHOD_NAME_ALL && /^\/(api|v1)\/[^*]+$/.test(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect([...new Set(calls)].sort()).toEqual([...callNames].sort())
})

describe.each(callsWithBody)('%s, whatever its fields', (name) => {
  it.each(listFieldPaths(createValidBody(name)))(
    'responds as documented to hostile values of %s',
    async (path) => {
      await expectDocumented(
        [...takeNextShare(HOSTILE_TEXTS, 9), ...takeNextShare(HOSTILE_VALUES, 4)].map(
          (value): [string, RequestInit] => [
            name,
            jsonRequest(name, withField(createValidBody(name), path, value)),
          ],
        ),
      )
    },
  )

  it('responds as documented to unknown keys, including prototype members', async () => {
    const bodyWith = (member: string) => JSON.stringify(createValidBody(name)).replace('{', `{${member},`)
    await expectDocumented(
      takeNextShare(MEMBERS).map((member) => [name, jsonRequest(name, bodyWith(member))]),
    )
    expect({}).not.toHaveProperty('polluted')
    expect({}).not.toHaveProperty('isAdmin')
  })

  it('responds as documented to duplicate keys', async () => {
    const body = JSON.stringify(createValidBody(name))
    await expectDocumented(
      Object.keys(createValidBody(name)).flatMap((key) => [
        [name, jsonRequest(name, body.replace('{', `{"${key}":null,`))] as [string, RequestInit],
        [name, jsonRequest(name, body.replace(/}$/, `,"${key}":{"$gt":""}}`))] as [string, RequestInit],
      ]),
    )
  })
})

describe.each(callsWithBody)('%s, whatever its body', (name) => {
  it('responds as documented to hostile bodies', async () => {
    await expectDocumented(
      takeNextShare(HOSTILE_BODIES, 4).map((body) => [name, { ...jsonRequest(name, ''), body }]),
    )
  })

  it('rejects content types other than JSON', async () => {
    for (const type of takeNextShare(OTHER_TYPES, 2)) {
      const { status } = await send(name, jsonRequest(name, createValidBody(name), { 'Content-Type': type }))
      expect(status, type).toBe(415)
    }
  })

  it('responds as documented to other spellings of the JSON content type', async () => {
    await expectDocumented(
      takeNextShare(JSON_TYPES, 2).map((type) => [
        name,
        jsonRequest(name, createValidBody(name), { 'Content-Type': type }),
      ]),
    )
  })

  it('rejects a large streamed body without reading all of it', async () => {
    let pieces = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1
        if (pieces > 4000) controller.close()
        else controller.enqueue(new TextEncoder().encode('"'.padEnd(1024, 'x')))
      },
    })
    await expectStatus(await send(name, { ...jsonRequest(name, ''), body }), 413)
    expect(pieces).toBeLessThan(100)
  })
})

describe.each(callNames)('%s, whatever its headers and query string', (name) => {
  it('responds as documented to hostile headers', async () => {
    await expectDocumented(takeNextShare(HEADERS, 9).map((headers) => [name, withHeaders(name, headers)]))
  })

  it('responds as documented to hostile query strings', async () => {
    await expectDocumented(takeNextShare(QUERIES, 4).map((query) => [name, withHeaders(name), query]))
  })
})

it('listing orders responds as documented to hostile cursors', async () => {
  await expectDocumented(
    CURSORS.map((value) => [
      'GET /api/orders',
      { headers: shopper.bearer },
      `?before=${encodeURIComponent(value.toWellFormed().slice(0, 4000))}`,
    ]),
  )
})

it('placing an order responds as documented to hostile idempotency keys', async () => {
  const name = 'POST /api/orders'
  const keys = HOSTILE_TEXTS.filter((text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text))
  await expectDocumented(
    keys.map((key) => [name, jsonRequest(name, createValidBody(name), { 'Idempotency-Key': key })]),
  )
})

testStoredRows(1800)
