import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import {
  publishCatalogue,
  readLatestVersion,
  toPointer,
  updatePointerIfOutdated,
} from '#server/catalogue/catalogue-versions.ts'
import {
  type CatalogueLogLine,
  type CatalogueStore,
  createPublishedCatalogue,
  DEFAULT_CONTENT_TEXT,
  getVersionKey,
  POINTER_KEY,
} from '#server/catalogue/published-catalogue.ts'
import type { ServiceContext } from '#server/context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { createPageCache } from '#server/platform/page-cache/page-cache.ts'
import { MINUTE_MS } from '#shared/time.ts'
import { expectWithinBudget } from '#test/support/budget.ts'
import { createMemoryStore, NOW_MS, testContext } from '#test/support/context.ts'

const ORIGIN = 'https://pamba.test'

const createFile = (price: number, title = 'Wooden cow') =>
  JSON.stringify([
    {
      id: 1,
      title,
      description: 'A toy.',
      price,
      image: '/a.svg',
      category: 'Toys',
      rating: { rate: 4 },
    },
  ])

const publish = async (ctx: ServiceContext, items: string, content: string | null = null) => {
  const base = (await readLatestVersion(ctx))?.number ?? 0
  return publishCatalogue(
    { items, content, base, actor: { email: 'achieng@pamba.test', role: 'owner' }, changes: 'Prices.' },
    ctx,
  )
}

/** `advanceClock` moves the clock, by default by a minute, and waits until the catalogue has been refreshed. */
function createPublishedShop(store: CatalogueStore = createMemoryStore(), timeoutMs?: number) {
  const lines: CatalogueLogLine[] = []
  const work: Promise<unknown>[] = []
  let nowMs = NOW_MS
  let hasBuildFile = true
  const published = createPublishedCatalogue(
    {
      store: { get: (...args) => store.get(...args) },
      assets: {
        fetch: async () =>
          new Response(hasBuildFile ? createFile(100) : null, { status: hasBuildFile ? 200 : 404 }),
      },
      clock: () => nowMs,
      waitUntil: (promise) => void work.push(promise),
      log: (line) => void lines.push(line),
    },
    timeoutMs,
  )
  const ctx = testContext({ catalogue: published, publishedCatalogue: published, catalogueStore: store })
  const pageCache = createPageCache(ctx)
  const app = createApp(ctx, pageCache)
  const request = async (path: string, headers: Record<string, string> = {}) => {
    published.refresh()
    const incoming = new Request(ORIGIN + path, { headers })
    return pageCache.respond(incoming) ?? (await app.fetch(incoming))
  }
  return {
    ctx,
    lines,
    request,
    fetchText: async (path: string) => (await request(path)).text(),
    async advanceClock(ms = MINUTE_MS) {
      nowMs += ms
      await request('/products')
      await Promise.all(work)
    },
    removeBuild: () => {
      hasBuildFile = false
    },
  }
}

describe('a published catalogue', () => {
  it('is shown immediately in the isolate that published it, even though KV still has the previous pointer', async () => {
    const entries = new Map<string, string>()
    const { ctx, fetchText, advanceClock } = createPublishedShop(createMemoryStore(entries))
    await publish(ctx, createFile(250))
    const cached = entries.get(POINTER_KEY) ?? ''
    expect(await fetchText('/product/1')).toContain('"price":"250"')
    await publish(ctx, createFile(300))
    const latest = await readLatestVersion(ctx)
    entries.set(POINTER_KEY, cached)
    if (latest) await ctx.publishedCatalogue.show(toPointer(latest))
    expect(await fetchText('/product/1')).toContain('"price":"300"')
    await advanceClock(30_000)
    expect(await fetchText('/product/1')).toContain('"price":"300"')
    await advanceClock()
    expect(await fetchText('/product/1')).toContain('"price":"250"')
  })

  it('replaces the build’s file on pages, in the feed and in Items.json within a minute', async ({
    task,
  }) => {
    const { ctx, request, fetchText, advanceClock } = createPublishedShop()
    expect(await fetchText('/product/1')).toContain('KSH 100')
    const before = await request('/Items.json')
    await publish(ctx, createFile(250))
    expect(await fetchText('/product/1')).toContain('KSH 100')
    await advanceClock()

    expect(await fetchText('/product/1')).toContain('"price":"250"')
    expect(await fetchText('/products')).toContain('KSH 250')
    expectWithinBudget({ task }, 60, {
      id: 'S16',
      what: 'from publishing until shoppers see it',
      value: 60,
      unit: 's',
    })
    expect(await fetchText('/feed.xml')).toContain('250.00 KES')
    const after = await request('/Items.json')
    expect(await after.json()).toEqual(JSON.parse(createFile(250)))
    expect(after.headers.get('Content-Type')).toBe('application/json')
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
    const tag = after.headers.get('ETag') ?? ''
    expect((await request('/Items.json', { 'If-None-Match': `W/${tag}` })).status).toBe(304)
  })

  it('is served immediately by a cold isolate', async () => {
    const store = createMemoryStore()
    await publish(createPublishedShop(store).ctx, createFile(250))
    expect(await createPublishedShop(store).fetchText('/products')).toContain('KSH 250')
  })

  it('can be rolled back, without stale cached pages', async () => {
    const { ctx, fetchText, advanceClock } = createPublishedShop()
    for (const price of [250, 300, 250]) {
      await publish(ctx, createFile(price))
      await advanceClock()
      expect(await fetchText('/products')).toContain(`KSH ${price}`)
      expect(await fetchText('/product/1')).toContain(`KSH ${price}`)
    }
  })

  it('replaces another during requests without mixing versions in a page', async () => {
    const { ctx, request, advanceClock } = createPublishedShop()
    const pages: Promise<Response>[] = []
    for (let price = 200; price < 206; price++) {
      await publish(ctx, createFile(price, `Cow for ${price}`))
      const changed = advanceClock()
      for (let n = 0; n < 5; n++)
        pages.push(...['/product/1', '/products', '/feed.xml', '/Items.json'].map((path) => request(path)))
      await changed
      pages.push(request('/product/1'))
    }
    const responses = await Promise.all(pages)
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    const texts = await Promise.all(responses.map((response) => response.text()))
    // A page has products in its markup, its data block and its JSON-LD.
    const versions = texts.map((text) => [
      ...new Set(
        Array.from(
          text.matchAll(/Cow for (\d+)|(?:KSH |"price":"?|<g:price>)(\d{3})\b(?!\S*\swith)/g),
          ([, a, b]) => a ?? b,
        ),
      ),
    ])
    expect(versions.filter(({ length }) => length !== 1)).toEqual([])
    for (const [index, { headers }] of responses.entries())
      if (headers.has('ETag')) expect(headers.get('ETag')).toBe(`"${await sha256Hex(texts[index] ?? '')}"`)
    expect(texts.at(-1)).toContain('Cow for 205')
  })
})

describe('published content', () => {
  const CONTENT = JSON.stringify({ returns: 'Within a week.' })

  it('is loaded without the products, and replaced and rolled back with the version', async () => {
    const entries = new Map<string, string>()
    const { ctx, advanceClock } = createPublishedShop(createMemoryStore(entries))
    const { publishedCatalogue: published } = ctx
    expect(await published.loadContent()).toEqual(DEFAULT_CONTENT_TEXT)
    await publish(ctx, createFile(250), CONTENT)
    expect(published.content()).toEqual(DEFAULT_CONTENT_TEXT)
    await advanceClock()
    expect(published.content().text).toBe(CONTENT)
    expect(
      (await createPublishedShop(createMemoryStore(entries)).ctx.publishedCatalogue.loadContent()).text,
    ).toBe(CONTENT)
    await publish(ctx, createFile(250))
    await advanceClock()
    expect(published.content()).toEqual(DEFAULT_CONTENT_TEXT)
  })

  it.each([
    ['fails', (entries: Map<string, string>) => entries.set(POINTER_KEY, '<html>')],
    ['lost it', (entries: Map<string, string>) => deleteContent(entries)],
    ['has other content under its name', (entries: Map<string, string>) => deleteContent(entries, '{}')],
  ])('is the default in a cold isolate when KV %s, and stays in a warm one', async (_, breakStore) => {
    const entries = new Map<string, string>()
    const { ctx, advanceClock } = createPublishedShop(createMemoryStore(entries))
    await publish(ctx, createFile(250), CONTENT)
    await ctx.publishedCatalogue.loadContent()
    breakStore(entries)
    await advanceClock()
    expect(ctx.publishedCatalogue.content().text).toBe(CONTENT)
    const cold = createPublishedShop(createMemoryStore(entries))
    expect(await cold.ctx.publishedCatalogue.loadContent()).toEqual(DEFAULT_CONTENT_TEXT)
    expect(cold.lines).toHaveLength(1)
  })

  function deleteContent(entries: Map<string, string>, replacement?: string) {
    const [key = ''] = [...entries.keys()].filter((key) => key.startsWith('content:'))
    entries.delete(key)
    if (replacement) entries.set(key, replacement)
  }
})

describe('a warm isolate', () => {
  const broken: [string, Partial<CatalogueStore> & { text?: string; pointer?: string }, RegExp][] = [
    ['fails', { get: () => Promise.reject(new Error('KV GET failed: 503')) }, /KV GET failed/],
    ['does not respond', { get: () => new Promise(() => {}) }, /didn’t respond/],
    ['has an invalid pointer', { pointer: '<html>' }, /pointer/],
    [
      'points to a missing version',
      { pointer: JSON.stringify({ number: 9, hash: 'ab'.repeat(32) }) },
      /is missing/,
    ],
    ['has a version with invalid JSON', { text: '{"id":' }, /JSON/],
    [
      'has a version with an invalid product',
      { text: createFile(-1) },
      /Item 1 \(ID 1\): Price must be above 0/,
    ],
    ['has a version that was tampered with', { text: createFile(1) }, /is corrupted/],
  ]

  it.each(broken)(
    'serves the last version and logs one line when KV %s; a cold one serves the build’s file',
    async (_, { get, text, pointer }, reason) => {
      const entries = new Map<string, string>()
      const store = createMemoryStore(entries)
      const { ctx, lines, advanceClock, fetchText: page, removeBuild } = createPublishedShop(store, 20)
      await page('/products')
      await publish(ctx, createFile(250))
      await advanceClock()
      removeBuild()

      const published = await publish(ctx, createFile(300))
      if (!published.ok) throw new Error('Publishing failed.')
      if (get) store.get = get
      if (pointer) entries.set(POINTER_KEY, pointer)
      if (text) entries.set(getVersionKey(published.data.hash), text)
      await advanceClock()
      await advanceClock()
      expect(await page('/products')).toContain('KSH 250')
      expect(await page('/Items.json')).toBe(createFile(250))
      expect(lines).toEqual([expect.objectContaining({ level: 'error', catalogue: 'load failed' })])
      expect(lines[0]?.reason).toMatch(reason)

      // A cold isolate must start with the build's file.
      const cold = createPublishedShop(store, 20)
      expect(await cold.fetchText('/products')).toContain('KSH 100')
      expect(cold.lines).toHaveLength(1)
    },
  )
})

describe('publishing', () => {
  it('is refused for an invalid product, and the message names it and the field', async () => {
    const { ctx } = createPublishedShop()
    expect(await publish(ctx, createFile(-1))).toEqual({
      ok: false,
      error: {
        code: 'broken',
        message: 'Items.json is invalid. Item 1 (ID 1): Price must be above 0',
      },
    })
  })

  it('lets one of two concurrent publishers succeed and tells the other', async () => {
    const entries = new Map<string, string>()
    const { ctx } = createPublishedShop(createMemoryStore(entries))
    const base = (await readLatestVersion(ctx))?.number ?? 0
    const results = await Promise.all(
      [250, 300].map((price) =>
        publishCatalogue(
          {
            items: createFile(price),
            content: null,
            base,
            actor: { email: `person-${price}@pamba.test`, role: 'owner' },
            changes: '',
          },
          ctx,
        ),
      ),
    )
    const [winner] = results.filter((result) => result.ok)
    const [loser] = results.filter((result) => !result.ok)
    if (!winner?.ok || loser?.ok !== false) throw new Error('Expected exactly one to be published.')
    expect(loser.error.message).toMatch(
      /^person-\d+@pamba.test published version \d+ while you were reviewing\./,
    )
    const { number, hash } = winner.data
    expect(await readLatestVersion(ctx)).toMatchObject({ number, hash })
    expect(JSON.parse(entries.get(POINTER_KEY) ?? '')).toEqual({ number, hash })
  })

  it('is completed by the scheduled job if KV rejects the pointer', async () => {
    const entries = new Map<string, string>()
    const store = createMemoryStore(entries)
    const { put } = store
    const { ctx, fetchText, advanceClock } = createPublishedShop(store)
    await fetchText('/products')
    store.put = async (key, value) => {
      if (key === POINTER_KEY) throw new Error('KV PUT failed: 429 Too Many Requests')
      await put(key, value)
    }
    const published = await publish(ctx, createFile(250))
    expect(published).toMatchObject({ ok: true, data: { isPointed: false } })
    store.put = put
    await updatePointerIfOutdated(ctx)
    await advanceClock()
    expect(await fetchText('/products')).toContain('KSH 250')
  })
})
