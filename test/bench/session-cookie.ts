import { Hono } from 'hono'
import { type SessionCookie, sendSessionCookie } from '#server/auth/cookie.ts'
import { parseConfig } from '#server/env.ts'

const DAY_MS = 86_400_000

/** What the measured shop is configured with. */
export const SETTINGS = { ENVIRONMENT: 'local', COOKIE_SECRET: 'a-secret-for-the-benchmark-alone-0123456789' }

/** The session cookie of somebody signed in, as their browser sends it over http. */
export async function sessionCookie(): Promise<string> {
  const deps = { config: parseConfig(SETTINGS), clock: Date.now }
  const session: SessionCookie = {
    id: 'benchmark',
    secret: 'benchmark',
    name: 'Amina Wanjiru',
    email: 'amina@example.com',
    expiresAtMs: Date.now() + 30 * DAY_MS,
  }
  const app = new Hono().get('/', async (c) => {
    await sendSessionCookie(c, deps, session)
    return c.text('')
  })
  const response = await app.request('http://pamba.test/')
  return response.headers.get('Set-Cookie')?.split(';')[0] ?? ''
}
