import { METHOD_NAME_ALL } from 'hono/router'
import { describe, expect, it } from 'vitest'
import { fieldsOf, HOSTILE_TEXTS, HOSTILE_VALUES, withField } from '#test/support/hostile.ts'
import { app, callNames, callsWithBody, goodBody, json } from '#test/support/hostile-calls.ts'
import { expectNoneWrong, testRecordsAfterwards } from '#test/support/hostile-records.ts'

// Some of these send hundreds of requests.

it('the hostile requests know every call of the Worker', () => {
  const calls = app.routes
    .filter(({ method, path }) => method !== METHOD_NAME_ALL && /^\/(api|v1)\/[^*]+$/.test(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect([...new Set(calls)].sort()).toEqual([...callNames].sort())
})

describe.each(callsWithBody)('%s', (name) => {
  it.each(fieldsOf(goodBody(name)))('answers as documented whatever stands in %s', async (path) => {
    await expectNoneWrong(
      [...HOSTILE_TEXTS, ...HOSTILE_VALUES].map((value): [string, RequestInit] => [
        name,
        json(name, withField(goodBody(name), path, value)),
      ]),
    )
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
        JSON.stringify(goodBody(name)).replace('{', `{${JSON.stringify(key)}:${value},`),
      ),
    )
    await expectNoneWrong(bodies.map((body) => [name, json(name, body)]))
    expect({}).not.toHaveProperty('polluted')
    expect({}).not.toHaveProperty('isAdmin')
  })

  it('takes the last of a key that stands twice, or none', async () => {
    const body = JSON.stringify(goodBody(name))
    await expectNoneWrong(
      Object.keys(goodBody(name)).flatMap((key) => [
        [name, json(name, body.replace('{', `{"${key}":null,`))] as [string, RequestInit],
        [name, json(name, body.replace(/}$/, `,"${key}":{"$gt":""}}`))] as [string, RequestInit],
      ]),
    )
  })
})

testRecordsAfterwards(3000)
