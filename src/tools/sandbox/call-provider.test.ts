import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { callProvider } from '#server/payments/providers/call-provider.ts'
import { openSandboxServer } from './sandbox-server.ts'

it('a provider call times out without a response, and returns no body for one that isn’t JSON', async () => {
  const server = await openSandboxServer(new Hono().all('*', (c) => c.html('<html>Bad gateway</html>')))
  const request = { url: server.url, json: {}, timeoutMs: 5000 }
  expect(await callProvider(request)).toEqual({ status: 200, body: undefined })
  await server.fail('silent')
  expect(await callProvider({ ...request, timeoutMs: 20 })).toEqual({
    failure: expect.stringContaining('TimeoutError'),
  })
  await server.close()
})
