import { describe, expect, it, vi } from 'vitest'
import { createApp } from '#server/app.ts'
import { createPublishedContent } from '#server/content/content-source.ts'
import type { ServiceContext } from '#server/context.ts'
import * as loaders from '#server/page-loaders.ts'
import { createPageCache } from '#server/platform/page-cache/page-cache.ts'
import { splitAtSlots } from '#server/platform/page-cache/slots.ts'
import { shop } from '#shared/shop.ts'
import { HOUR_MS } from '#shared/time.ts'
import { createAccount, signCookie } from '#test/support/account.ts'
import { catalogue, createUnpublishedCatalogue, NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import items from '../../public/Items.json'

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

/** The page cache and the app are composed as in `worker.ts`. */
function createServer(ctx: ServiceContext = testContext()) {
  const renders = vi.spyOn(loaders.pageLoaders, 'shop')
  renders.mockClear()
  const pageCache = createPageCache(ctx)
  const app = createApp(ctx, pageCache)
  const request = async (path: string, init?: RequestInit) => {
    const incoming = new Request(new URL(path, ORIGIN), init)
    return pageCache.respond(incoming) ?? (await app.fetch(incoming))
  }
  return { renders, request, text: async (path: string) => (await request(path)).text() }
}

const withoutVolatileHeaders = ({ headers }: Response) =>
  [...headers].filter(([name]) => name !== 'x-request-id')

describe('a cached response', () => {
  it.each(PUBLIC)('at %s equals the rendered one, with its own request id and log line', async (path) => {
    const ctx = testContext()
    const { request } = createServer(ctx)
    await request(path)
    const fromApp = await request(path, { headers: { Cookie: 'unknown=1' } })
    const fromCache = await request(path)
    expect(withoutVolatileHeaders(fromCache)).toEqual(withoutVolatileHeaders(fromApp))
    expect(await fromCache.text()).toBe(await fromApp.text())

    const [, appLine, cacheLine] = ctx.lines
    expect(cacheLine).toEqual({ ...appLine, requestId: fromCache.headers.get('X-Request-Id') })
    expect(cacheLine?.requestId).not.toBe(appLine?.requestId)
  })

  it('of Login isn’t used for a visitor whom a protected page redirected', async () => {
    const { request, text } = createServer()
    await request('/login')
    const redirect = await request('/checkout?from=cart')
    const [cookie = ''] = redirect.headers.getSetCookie()
    expect(cookie).toContain('HttpOnly')
    const login = await request('/login', { headers: { Cookie: cookie.split(';')[0] ?? '' } })
    const [deletion] = login.headers.getSetCookie()
    expect(deletion).toMatch(/requested=; Max-Age=0/)
    const html = await login.text()
    expect(html).toContain('Log in or register to check out.')
    expect(html, 'the server doesn’t know the cart').not.toContain('saved')
    expect(html).toContain('"requestedPath":"/checkout?from=cart"')
    expect(await text('/login')).not.toContain('Log in or register to check out')
  })

  it('is logged at the configured rate; a rendered response always is', async () => {
    const config = { ...testContext().config, LOG_CACHED_PAGES: 0.25 }
    const ctx = testContext({ config })
    const { request } = createServer(ctx)
    for (let count = 0; count < 9; count++) await request('/about')
    expect(ctx.lines).toHaveLength(1 + 2)
    await request('/nowhere')
    expect(ctx.lines).toHaveLength(4)
  })

  it('is sent with its body for GET only', async () => {
    const { request } = createServer()
    await request('/about')
    expect(await (await request('/about', { method: 'HEAD' })).text()).toBe('')
    await expectStatus(await request('/about', { method: 'DELETE' }), 405)
  })

  it('never contains another visitor’s name, address, token or host', async () => {
    const ctx = testContext()
    const { request, text } = createServer(ctx)
    const person = await createAccount(ctx, { name: 'Zawadi Secret', email: 'zawadi@secret.example' })
    const cookie = { id: 'x', secret: 'zawadi-secret', name: 'Zawadi Secret', email: 'zawadi@secret.example' }
    const forged = await signCookie(testContext(), { ...cookie, expiresAtMs: NOW_MS - 1 })
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
      const clean = await text(path)
      for (const headers of traces) {
        await (await request(path, { headers })).text()
        await (await request(`https://zawadi.secret.example${path}`, { headers })).text()
        const after = await request(path)
        expect(await after.text()).toBe(clean)
        expect(after.headers.get('Set-Cookie')).toBeNull()
      }
      expect(clean).not.toMatch(/zawadi|secret/i)
    }
  })

  it('is not sent to signed-in visitors', async () => {
    const ctx = testContext()
    const { request, text } = createServer(ctx)
    await text('/products')
    const { cookie, user } = await createAccount(ctx)
    expect(await (await request('/products', { headers: cookie })).text()).toContain(user.email)
  })

  it('has no inline script that needs a nonce', async () => {
    expect(await createServer().text('/products')).not.toMatch(/<script(?! type="(module|application\/))/)
  })
})

it('an order number in the address fills in the form for its visitor only', async () => {
  const { text } = createServer()
  const plain = await text('/order')
  expect(await text('/order?number=P-7K3M9Q')).toContain('value="P-7K3M9Q"')
  expect(await text('/order?number=')).toBe(plain)
  expect(await text('/order')).toBe(plain)
})

describe('the cache key', () => {
  it('excludes unknown query strings', async () => {
    const { renders, text } = createServer()
    for (const path of ['/products', '/products?utm=1', '/products?category=nonsense', '/products?a=b&c=d']) {
      expect(await text(path)).toContain('Buy Now')
    }
    expect(renders).toHaveBeenCalledTimes(1)
  })

  it('excludes tracking parameters, so such an address is an immediate hit', async () => {
    const ctx = testContext()
    const pageCache = createPageCache(ctx)
    const app = createApp(ctx, pageCache)
    for (const [page, tracked] of [
      ['/product/1', '/product/1?utm_source=wa&fbclid=1'],
      ['/products', '/products?igshid=1'],
      ['/products?category=Toys', '/products?gclid=1&category=Toys'],
    ] as const) {
      const rendered = await (await app.request(ORIGIN + page)).text()
      expect(await pageCache.respond(new Request(ORIGIN + tracked))?.text()).toBe(rendered)
    }
  })

  it('includes everything after the first question mark', async () => {
    const { text } = createServer()
    const others = ['max=3000', 'for=Women', 'filters=open', 'q=dress', 'page=2']
    const clean = await Promise.all(others.map((query) => createServer().text(`/products?${query}`)))
    for (const query of others) await text(`/products?${query}?x`)
    expect(await Promise.all(others.map((query) => text(`/products?${query}`)))).toEqual(clean)
    expect(await text('/products?q=?dress')).toContain('for “?dress”')
  })

  it('includes the category', async () => {
    const { renders, text } = createServer()
    expect(await text('/products?category=Toys')).not.toEqual(await text('/products?category=Feeding'))
    await text('/products?category=toys')
    expect(renders).toHaveBeenCalledTimes(2)
  })

  it('includes the greeting of the visitor’s hour, but not the time', async () => {
    let nowMs = NOW_MS
    const { renders, text } = createServer({ ...testContext(), clock: () => nowMs })
    expect(await text('/products')).toContain(`"nowMs":${NOW_MS}`)
    nowMs += 1000
    expect(await text('/products')).toContain(`"nowMs":${nowMs}`)
    expect(renders).toHaveBeenCalledTimes(1)
    nowMs += 12 * HOUR_MS
    expect(await text('/products')).toContain('Good evening')
    expect(renders).toHaveBeenCalledTimes(2)
  })

  it('includes the footer’s year, which changes at midnight in the shop’s time zone', async () => {
    const newYearMs = Date.UTC(2026, 11, 31, 21)
    let nowMs = newYearMs - 1000
    const { text } = createServer({ ...testContext(), clock: () => nowMs })
    const footer = async () => (await text('/about')).match(/© \d+ [^,]+/)?.[0]
    expect(await footer()).toBe(`© 2026 ${shop.name}`)
    nowMs = newYearMs
    expect(await footer()).toBe(`© 2027 ${shop.name}`)
  })

  it('includes the catalogue version, so a new version is shown immediately', async () => {
    let current = { products: catalogue, version: '1' }
    const { text, request } = createServer(
      testContext({
        catalogue: {
          current: () => current.products,
          version: () => current.version,
          load: async () => current.products,
        },
      }),
    )
    const [first, second] = catalogue
    if (!first || !second) throw new Error('The catalogue needs two products.')
    await text(`/product/${first.id}`)
    expect(await text(`/product/${second.id}`)).toContain(second.title)

    current = { products: [{ ...first, title: 'A new title' }], version: '2' }
    expect(await text(`/product/${first.id}`)).toContain('A new title')
    expect(await text('/products')).toContain('A new title')
    await expectStatus(await request(`/product/${second.id}`), 404)
  })
})

describe('the page cache', () => {
  it('sends the data that the markup was rendered with, even if the content changes during rendering', async () => {
    const hero = (version: number) => ({
      hash: `${version}`,
      text: JSON.stringify({ hero: { image: `/photos/abcdefgh12${version}/640.jpg`, alt: 'A dress' } }),
    })
    let text = hero(1)
    const content = createPublishedContent({ content: () => text, loadContent: async () => text })
    const { request, text: fetchText } = createServer(testContext({ content }))
    vi.spyOn(loaders.pageLoaders, 'home').mockImplementationOnce(async (...args) => {
      await Promise.resolve()
      text = hero(2)
      return loaders.pageLoaders.home(...args)
    })
    const listHeroes = (html: string) => [...new Set(html.match(/abcdefgh12\d/g))]
    expect(listHeroes(await (await request('/')).text())).toEqual(['abcdefgh121'])
    expect(listHeroes(await fetchText('/'))).toEqual(['abcdefgh122'])
  })

  it('does not store incomplete pages', async () => {
    let isBroken = true
    const source = createUnpublishedCatalogue(() =>
      isBroken ? new Response('', { status: 500 }) : Response.json(items),
    )
    const { text } = createServer(testContext({ catalogue: source }))
    expect(await text('/products')).not.toContain('Buy Now')
    isBroken = false
    expect(await text('/products')).toContain('Buy Now')
  })

  it('stays within its memory limit for any query strings and hosts', async () => {
    const pageCache = createPageCache(testContext())
    const html = 'x'.repeat(100_000)
    for (let index = 0; index < 3000; index++) {
      await pageCache.getOrRender(new Request(`https://host-${index}.test/about?${index}`), async () => ({
        page: splitAtSlots(200, html),
        isComplete: true,
      }))
    }
    expect(pageCache.sizeBytes()).toBeLessThan(9_000_000)
  })
})
