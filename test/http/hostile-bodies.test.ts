import { describe, expect, it } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import { HOSTILE_BODIES } from '#test/support/hostile.ts'
import { callsWithBody, goodBody, json, send } from '#test/support/hostile-calls.ts'
import { expectNoneWrong, testRecordsAfterwards } from '#test/support/hostile-records.ts'

// Some of these send hundreds of requests.

describe.each(callsWithBody)('%s', (name) => {
  it('answers as documented whatever the body is', async () => {
    await expectNoneWrong(HOSTILE_BODIES.map((body) => [name, { ...json(name, ''), body }]))
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
      const { status } = await send(name, json(name, goodBody(name), { 'Content-Type': type }))
      expect(status, type).toBe(415)
    }
  })

  it('takes JSON by its type however that is written, or says what is wrong with it', async () => {
    const types = [
      'application/json;charset=utf-16',
      'APPLICATION/JSON',
      ' application/json ;x',
      'application/json;;',
    ]
    await expectNoneWrong(types.map((type) => [name, json(name, goodBody(name), { 'Content-Type': type })]))
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
    await expectStatus(await send(name, { ...json(name, ''), body }), 413)
    expect(pieces).toBeLessThan(100)
  })
})

testRecordsAfterwards(300)
