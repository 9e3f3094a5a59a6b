import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { keptAnswers } from '#server/pages/kept-answers.ts'
import { account, signedCookie } from '#test/support/account.ts'
import { NOW_MS, testDeps } from '#test/support/deps.ts'

const ORIGIN = 'https://pamba.test'
const PUBLIC = [
  '/',
  '/products',
  '/products?category=Toys',
  '/product/1',
  '/about',
  '/contact',
  '/login',
  '/register',
]

/** Headers of an answer, without the one that differs from request to request. */
const headersOf = ({ headers }: Response) => [...headers].filter(([name]) => name !== 'x-request-id')

describe('kept pages given at once', () => {
  it.each(PUBLIC)(
    'are, at %s, what the long way gives: bytes, headers, an id and a log line of their own',
    async (path) => {
      const deps = testDeps()
      const app = createApp(deps)
      await app.request(ORIGIN + path)
      const long = await app.request(ORIGIN + path, { headers: { Cookie: 'unknown=1' } })
      const short = await app.request(ORIGIN + path)
      expect(headersOf(short)).toEqual(headersOf(long))
      expect(await short.text()).toBe(await long.text())

      const [, longLine, shortLine] = deps.lines
      expect(shortLine).toEqual({ ...longLine, requestId: short.headers.get('X-Request-Id') })
      expect(shortLine?.requestId).not.toBe(longLine?.requestId)
    },
  )

  it("say the shop's year in the footer, from midnight in its own city on", async () => {
    const newYearMs = Date.UTC(2026, 11, 31, 21)
    let nowMs = newYearMs - 1000
    const app = createApp({ ...testDeps(), clock: () => nowMs })
    const footer = async () => (await (await app.request(`${ORIGIN}/about`)).text()).match(/© \d+ Pamba/)?.[0]
    expect(await footer()).toBe('© 2026 Pamba')
    nowMs = newYearMs
    expect(await footer()).toBe('© 2027 Pamba')
  })

  it('are for GET alone', async () => {
    const app = createApp(testDeps())
    await app.request(`${ORIGIN}/about`)
    expect(await (await app.request(`${ORIGIN}/about`, { method: 'HEAD' })).text()).toBe('')
    expect((await app.request(`${ORIGIN}/about`, { method: 'DELETE' })).status).toBe(405)
  })

  it("never show one visitor another's name, address, token or host", async () => {
    const deps = testDeps()
    const app = createApp(deps)
    const person = await account(deps, { name: 'Zawadi Secret', email: 'zawadi@secret.example' })
    const cookie = { id: 'x', secret: 'zawadi-secret', name: 'Zawadi Secret', email: 'zawadi@secret.example' }
    const forged = await signedCookie(testDeps(), { ...cookie, expiresAtMs: NOW_MS - 1 })
    const traces = [
      person.cookie,
      { Cookie: forged },
      { Cookie: `${person.cookie.Cookie}; zawadi=secret` },
      { ...person.cookie, ...person.bearer },
      person.bearer,
      { 'X-Forwarded-Host': 'zawadi.secret.example', Forwarded: 'host=zawadi.secret.example' },
      {
        'User-Agent': 'Zawadi secret bot',
        'Accept-Language': 'zawadi',
        Referer: 'https://zawadi.secret.example',
      },
    ]
    for (const path of PUBLIC) {
      const clean = await (await app.request(ORIGIN + path)).text()
      for (const headers of traces) {
        await (await app.request(ORIGIN + path, { headers })).text()
        await (await app.request(`https://zawadi.secret.example${path}`, { headers })).text()
        const after = await app.request(ORIGIN + path)
        expect(await after.text()).toBe(clean)
        expect(after.headers.get('Set-Cookie')).toBeNull()
      }
      expect(clean).not.toMatch(/zawadi|secret/i)
    }
  })

  it('are not given to somebody signed in, at an address that is kept', async () => {
    const deps = testDeps()
    const app = createApp(deps)
    await app.request(`${ORIGIN}/products`)
    const { cookie, user } = await account(deps)
    expect(await (await app.request(`${ORIGIN}/products`, { headers: cookie })).text()).toContain(user.email)
  })

  it('do not fill the memory, whatever query strings and hosts are asked for', async () => {
    const deps = testDeps()
    const kept = keptAnswers(deps)
    const page = { status: 200 as const, bytes: [new Uint8Array(100_000)], slots: [] }
    for (let index = 0; index < 3000; index++) {
      const request = new Request(`https://host-${index}.test/about?${index}`)
      const asked = {
        what: 'about',
        name: 'about' as const,
        pathname: '/about',
        origin: new URL(request.url).origin,
      }
      await kept.page(request, asked, async () => ({ page: { ...page }, isWhole: true }))
    }
    expect(kept.heldBytes()).toBeLessThan(9_000_000)
  })
})
