import { expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { createPageCache } from '#server/platform/page-cache/page-cache.ts'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'

const ctx = testContext({
  config: { ...testContext().config, ENVIRONMENT: 'production', SITE_ORIGIN: 'https://pamba.test' },
})
const app = createApp(ctx, createPageCache(ctx))
const send = (url: string, method = 'GET') => app.request(url, { method, redirect: 'manual' })

it.each(['/', '/products?category=Toys', '/api/health', '/nowhere'])(
  'the shop redirects %s from http to https in production',
  async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await send(`http://elsewhere.test${path}`, method)
      await expectStatus(response, 308)
      expect(response.headers.get('Location')).toBe(`https://pamba.test${path}`)
      expect(await response.text()).toBe('')
    }
  },
)

it.each(['/login', '/api/auth/login', '/v1/accounts:sendOobCode'])(
  'the shop rejects a POST to %s over http in production',
  async (path) => {
    const response = await send(`http://pamba.test${path}`, 'POST')
    await expectStatus(response, 403)
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await response.text()).toContain('This shop only works over HTTPS.')
  },
)

it('the shop serves https requests in production', async () => {
  await expectStatus(await send('https://pamba.test/about'), 200)
})
