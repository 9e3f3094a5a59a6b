import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import { prepareDatabase, type ServedShop, serve } from '#tools/local-shop.ts'
import { freePort } from '#tools/ports.ts'

type Answer = { status: number; body: string }
const asked: { url: string; body: unknown }[] = []
let answer: Answer
let service: Server
let shop: ServedShop
let stateFolder: string

/** A third-party identity service over real HTTP, which answers as the test says. */
beforeAll(async () => {
  service = createServer(async (request, response) => {
    asked.push({ url: request.url ?? '', body: JSON.parse(await textOf(request)) })
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-identity-'))
  await prepareDatabase(stateFolder)
  shop = await serve({
    port: await freePort(),
    stateFolder,
    vars: { IDENTITY_BASE: `http://127.0.0.1:${port}/identity/`, IDENTITY_KEY: 'a key' },
    onLog: () => {},
  })
})

afterAll(async () => {
  await shop?.close()
  service?.close()
  await rm(stateFolder, { recursive: true, force: true })
})

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

let count = 0
async function ask(told: Answer) {
  answer = told
  count += 1
  const response = await fetch(`${shop.url}/v1/accounts:sendOobCode`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': `10.9.9.${count}` },
    body: JSON.stringify({ requestType: 'PASSWORD_RESET', email: `Amina${count}@Shopper.test ` }),
  })
  return { status: response.status, body: await response.json() }
}

const failure = (message: string) => JSON.stringify({ error: { code: 400, message, errors: [{ message }] } })

describe('a configured identity service', () => {
  it('is asked for the reset mail, with its key, by its own contract', async () => {
    const told = {
      status: 200,
      body: '{"kind":"identitytoolkit#GetOobConfirmationCodeResponse","email":"x"}',
    }
    const { status, body } = await ask(told)
    expect(status).toBe(200)
    expect(body).toEqual({ email: `Amina${count}@Shopper.test` })
    expect(asked.at(-1)).toEqual({
      url: '/identity/v1/accounts:sendOobCode?key=a+key',
      body: {
        requestType: 'PASSWORD_RESET',
        email: `amina${count}@shopper.test`,
        clientType: 'CLIENT_TYPE_WEB',
      },
    })
  })

  it('has its message handed on when it refuses', async () => {
    expect(await ask({ status: 400, body: failure('EMAIL_NOT_FOUND') })).toEqual({
      status: 400,
      body: { error: { code: 400, message: 'EMAIL_NOT_FOUND' } },
    })
  })

  it.each([
    [401, failure('API key not valid.'), 503, 'API key not valid.'],
    [403, failure('Forbidden.'), 503, 'Forbidden.'],
    [429, failure('TOO_MANY_ATTEMPTS_TRY_LATER'), 429, 'TOO_MANY_ATTEMPTS_TRY_LATER'],
    [500, 'no JSON', 503, 'Reset failed. Try again.'],
    [400, '{"error":{}}', 400, 'Reset failed. Try again.'],
  ])('answers %i with %s, and the shop %i', async (status, body, expected, message) => {
    const outcome = await ask({ status, body })
    await expectStatus(outcome, expected)
    expect(outcome.body).toEqual({ error: { code: expected, message } })
  })

  it('is not asked about what breaks a rule', async () => {
    const before = asked.length
    const response = await fetch(`${shop.url}/v1/accounts:sendOobCode`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"requestType":"PASSWORD_RESET","email":""}',
    })
    await expectStatus(response, 400)
    expect(asked.length).toBe(before)
  })

  it('may be out of reach', async () => {
    service.closeAllConnections()
    await new Promise((resolve) => service.close(resolve))
    expect(await ask({ status: 200, body: '{}' })).toEqual({
      status: 503,
      body: { error: { code: 503, message: 'Reset failed. Try again.' } },
    })
  })
})
