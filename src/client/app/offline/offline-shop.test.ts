import { createStore } from 'jotai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bootAtom } from '#client/app/boot.ts'
import type { OfflineBuild } from '#shared/boot.ts'
import {
  canOpenOffline,
  createOfflineShop,
  getFetchStrategy,
  MAX_CACHED_PICTURES,
  RESPONSE_TIMEOUT_MS,
} from './offline-shop.ts'

const ORIGIN = 'https://pamba.test'
const ENTRY = '/assets/entry-12345678.js'
const ACCOUNT_SCRIPT = '/assets/cart-page-12345678.js'
const NOW_MS = Date.UTC(2026, 10, 21, 6, 5, 7)

const build = (id: string): OfflineBuild => ({
  id,
  assets: [ENTRY],
  accountAssets: [ACCOUNT_SCRIPT],
  shell: ['<script>', '</script>'],
  boot: createStore().get(bootAtom),
  headers: { 'Content-Security-Policy': "default-src 'none'" },
})

function createBrowserCaches() {
  const stores = new Map<string, Map<string, Response>>()
  const urlOf = (request: RequestInfo | URL) => (request instanceof Request ? request.url : `${request}`)
  const open = async (name: string) => {
    const entries = stores.get(name) ?? new Map<string, Response>()
    stores.set(name, entries)
    const cache = {
      match: async (request: RequestInfo) => entries.get(urlOf(request))?.clone(),
      put: async (request: RequestInfo, response: Response) => void entries.set(urlOf(request), response),
      addAll: async (requests: RequestInfo[]) => {
        for (const request of requests) entries.set(urlOf(request), await fetchMock(request))
      },
      keys: async () => [...entries.keys()].map((url) => new Request(url)),
      delete: async (request: RequestInfo) => entries.delete(urlOf(request)),
    }
    return cache as unknown as Cache
  }
  const names = async () => [...stores.keys()]
  const urls = (name: string) => [...(stores.get(name)?.keys() ?? [])]
  return { caches: { open, keys: names, delete: async (name: string) => stores.delete(name) }, urls }
}

const fetchMock = vi.fn<(request: RequestInfo, init?: RequestInit) => Promise<Response>>()

function createWorker(id: string, browser = createBrowserCaches()) {
  const { caches } = browser
  const offlineShop = createOfflineShop({
    build: build(id),
    origin: ORIGIN,
    caches,
    fetch: fetchMock,
    clock: () => NOW_MS,
  })
  async function sendRequest(
    path: string,
    init: { method?: string; mode?: string; destination?: string } = {},
  ) {
    const background: Promise<unknown>[] = []
    const request = Object.assign(new Request(ORIGIN + path, { method: init.method ?? 'GET' }))
    for (const [name, value] of Object.entries(init)) Object.defineProperty(request, name, { value })
    const response = await offlineShop.respond({
      request,
      waitUntil: (promise) => void background.push(promise),
    })
    await Promise.all(background)
    return response
  }
  return { ...offlineShop, ...browser, sendRequest }
}

const PAGE = { mode: 'navigate', destination: 'document' }
const IMAGE = { mode: 'no-cors', destination: 'image' }

beforeEach(() => {
  fetchMock
    .mockReset()
    .mockImplementation(
      async (request) => new Response(`sent: ${request instanceof Request ? request.url : request}`),
    )
})
afterEach(() => vi.useRealTimers())

describe('the service worker', () => {
  it.each([
    ['/', PAGE, 'page'],
    ['/dashboard?x=1', PAGE, 'page'],
    [ENTRY, {}, 'asset'],
    ['/assets/entry-87654321.js', {}, undefined],
    ['/Items.json', {}, 'data'],
    ['/content.json', {}, 'data'],
    ['/images/products/a.svg', IMAGE, 'picture'],
    ['https://elsewhere.example/a.jpg', IMAGE, undefined],
    ['/api/stock', {}, 'data'],
    ['/api/orders', {}, undefined],
    ['/api/orders', PAGE, 'page'],
    ['/v1/accounts:sendOobCode', { method: 'POST' }, undefined],
    ['/favicon.svg', { method: 'HEAD' }, undefined],
    ['/contact', { ...PAGE, method: 'POST' }, undefined],
    ['/logout', { ...PAGE, method: 'POST' }, 'logout'],
    ['https://api.example/v2/auth/logout', { method: 'POST' }, 'logout'],
  ])('picks a fetch strategy for %s %o: %s', (url, init, handling) => {
    const request = {
      method: 'GET',
      mode: 'cors',
      destination: '',
      ...init,
      url: new URL(url, ORIGIN).href,
    }
    expect(getFetchStrategy(request as Request, { origin: ORIGIN, assets: [ENTRY] })).toBe(handling)
  })

  it('opens the shop’s pages offline, but not password resets, files and API calls', () => {
    const pages = ['/', '/product/1', '/cart', '/dashboard/details', '/login', '/order/P-7K3M9Q']
    expect(pages.map(canOpenOffline)).not.toContain(false)
    const others = [
      '/reset-password',
      '/order/P-7K3M9Q/receipt',
      '/verify-email',
      '/back-in-stock/end',
      '/feed.xml',
      '/api/orders',
    ]
    expect(others.map(canOpenOffline)).not.toContain(true)
  })

  it("returns the server's page and does not cache it", async () => {
    const worker = createWorker('a')
    await worker.install()
    expect(await (await worker.sendRequest('/about', PAGE))?.text()).toBe(`sent: ${ORIGIN}/about`)
    expect([worker.urls('build a'), worker.urls('catalogue')]).toEqual([
      [ORIGIN + ENTRY],
      [`${ORIGIN}/Items.json`, `${ORIGIN}/content.json`, `${ORIGIN}/api/stock`],
    ])
  })

  it('opens a page offline: signed out, with the security policy, its script, and the cached catalogue, stock and time', async () => {
    const worker = createWorker('a')
    await worker.install()
    fetchMock.mockRejectedValue(new TypeError('Failed to fetch'))
    const page = await worker.sendRequest('/products', PAGE)
    expect(page?.headers.get('Content-Security-Policy')).toBe("default-src 'none'")
    const boot = JSON.parse(/<script>(.*)<\/script>/.exec((await page?.text()) ?? '')?.[1] ?? '')
    expect(boot).toMatchObject({
      cookieUser: null,
      nowMs: NOW_MS,
      storedAtMs: NOW_MS,
      isSlow: false,
      year: '2026',
    })
    await expect(worker.sendRequest('/reset-password?oobCode=x', PAGE)).rejects.toThrow('Failed to fetch')
    expect(await (await worker.sendRequest(ENTRY))?.text()).toContain(ENTRY)
    for (const file of ['/Items.json', '/content.json', '/api/stock'])
      expect(await (await worker.sendRequest(file))?.text()).toContain(file)
  })

  it('opens the account’s pages offline once their scripts are cached, which it does once', async () => {
    const worker = createWorker('a')
    await worker.install()
    fetchMock.mockRejectedValue(new TypeError('Failed to fetch'))
    for (const path of ['/cart', '/order/P-7K3M9Q'])
      await expect(worker.sendRequest(path, PAGE)).rejects.toThrow('Failed to fetch')

    await expect(worker.cacheAccountPages()).rejects.toThrow('Failed to fetch')
    fetchMock.mockReset().mockResolvedValue(new Response('script'))
    await worker.cacheAccountPages()
    await worker.cacheAccountPages()
    expect(fetchMock).toHaveBeenCalledOnce()
    fetchMock.mockRejectedValue(new TypeError('Failed to fetch'))
    for (const path of ['/cart', '/order/P-7K3M9Q'])
      expect(await (await worker.sendRequest(path, PAGE))?.text()).toContain('"storedAtMs"')
    expect(await (await worker.sendRequest(ACCOUNT_SCRIPT))?.text()).toBe('script')
  })

  it('waits for a slow server up to the timeout, then opens the page as if offline', async () => {
    const worker = createWorker('a')
    await worker.install()
    vi.useFakeTimers()
    const slow = Promise.withResolvers<Response>()
    fetchMock.mockReturnValue(slow.promise)
    const inTime = worker.sendRequest('/about', PAGE)
    await vi.advanceTimersByTimeAsync(RESPONSE_TIMEOUT_MS - 1)
    slow.resolve(new Response('late'))
    expect(await (await inTime)?.text()).toBe('late')

    fetchMock.mockReturnValue(new Promise(() => {}))
    const tooLate = worker.sendRequest('/about', PAGE)
    await vi.advanceTimersByTimeAsync(RESPONSE_TIMEOUT_MS)
    expect(await (await tooLate)?.text()).toContain('"isSlow":true')

    const slower = Promise.withResolvers<Response>()
    fetchMock.mockReturnValue(slower.promise)
    const uncached = worker.sendRequest('/cart', PAGE)
    await vi.advanceTimersByTimeAsync(RESPONSE_TIMEOUT_MS)
    slower.resolve(new Response('later'))
    expect(await (await uncached)?.text()).toBe('later')
  })

  it('caches a limited number of pictures until a logout', async () => {
    const worker = createWorker('a')
    for (let number = 0; number <= MAX_CACHED_PICTURES; number++)
      await worker.sendRequest(`/images/${number}.svg`, IMAGE)
    expect(worker.urls('pictures')).toHaveLength(MAX_CACHED_PICTURES)
    fetchMock.mockRejectedValue(new TypeError('Failed to fetch'))
    expect(await (await worker.sendRequest('/images/1.svg', IMAGE))?.text()).toContain('/images/1.svg')
    await expect(worker.sendRequest('/images/0.svg', IMAGE)).rejects.toThrow('Failed to fetch')
    expect(fetchMock).toHaveBeenLastCalledWith(`${ORIGIN}/images/0.svg`, { cache: 'force-cache' })
    expect(await worker.sendRequest('/api/auth/logout', { method: 'POST' })).toBeUndefined()
    expect(worker.urls('pictures')).toEqual([])
  })

  it('returns another width of a product’s picture offline if the requested one is not cached', async () => {
    const worker = createWorker('a')
    await worker.sendRequest('/p/romper/320.avif', IMAGE)
    fetchMock.mockRejectedValue(new TypeError('Failed to fetch'))
    expect(await (await worker.sendRequest('/p/romper/640.avif', IMAGE))?.text()).toContain(
      '/p/romper/320.avif',
    )
    await expect(worker.sendRequest('/p/dress/640.avif', IMAGE)).rejects.toThrow('Failed to fetch')
  })

  it('opens offline without the stock if that could not be loaded', async () => {
    const worker = createWorker('a')
    fetchMock.mockImplementation(async (request) => {
      if (String(request).endsWith('/api/stock')) throw new TypeError('Failed to fetch')
      return new Response('sent')
    })
    await worker.install()
    expect(worker.urls('catalogue')).toEqual([`${ORIGIN}/Items.json`, `${ORIGIN}/content.json`])
    fetchMock.mockRejectedValue(new TypeError('Failed to fetch'))
    expect((await worker.sendRequest('/products', PAGE))?.ok).toBe(true)
    await expect(worker.sendRequest('/api/stock')).rejects.toThrow('Failed to fetch')
  })

  it('does not cache errors, and keeps the cached catalogue', async () => {
    const worker = createWorker('a')
    await worker.install()
    fetchMock.mockResolvedValue(new Response('down', { status: 503 }))
    expect((await worker.sendRequest('/Items.json'))?.status).toBe(503)
    expect((await worker.sendRequest('/images/1.svg', IMAGE))?.status).toBe(503)
    fetchMock.mockRejectedValue(new TypeError('Failed to fetch'))
    expect(await (await worker.sendRequest('/Items.json'))?.text()).toContain('sent:')
    expect(worker.urls('pictures')).toEqual([])
  })

  it('deletes the files of the previous build when it is activated', async () => {
    const browser = createBrowserCaches()
    const [first, second] = [createWorker('a', browser), createWorker('b', browser)]
    await first.install()
    await first.activate()
    await second.install()
    expect(await browser.caches.keys()).toEqual(['build a', 'catalogue', 'build b'])
    await second.activate()
    expect(await browser.caches.keys()).toEqual(['catalogue', 'build b'])
  })
})
