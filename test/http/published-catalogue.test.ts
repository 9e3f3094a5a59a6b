import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { latestVersion, publishCatalogue, updatePointer } from '#server/catalogue/catalogue-versions.ts'
import {
  type CatalogueLogLine,
  type CatalogueStore,
  POINTER_KEY,
  publishedCatalogue,
  versionKey,
} from '#server/catalogue/published-catalogue.ts'
import type { ServiceContext } from '#server/context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { createPageCache } from '#server/platform/page-cache/page-cache.ts'
import { expectAtMost } from '#test/support/budget.ts'
import { memoryStore, NOW_MS, testContext } from '#test/support/context.ts'

const ORIGIN = 'https://pamba.test'
const MINUTE_MS = 60_000

/** An `Items.json` with one product at a price. */
const file = (price: number, title = 'Wooden cow') =>
  JSON.stringify([
    {
      ...{ id: 1, title, description: 'A toy.', price, image: '/a.svg', category: 'Toys' },
      rating: { rate: 4 },
    },
  ])

const publish = async (ctx: ServiceContext, text: string) => {
  const base = (await latestVersion(ctx))?.number ?? 0
  return publishCatalogue({ text, base, actor: 'achieng@pamba.test', changes: 'Prices.' }, ctx)
}

/** A shop whose build has a product at 100 KSH, on a store; a minute passes as the test says. */
function shop(store: CatalogueStore = memoryStore(), timeoutMs?: number) {
  const lines: CatalogueLogLine[] = []
  const background: Promise<unknown>[] = []
  let nowMs = NOW_MS
  let isBuildThere = true
  const published = publishedCatalogue(
    {
      store: { get: (...args) => store.get(...args) },
      assets: {
        fetch: async () =>
          new Response(isBuildThere ? file(100) : null, { status: isBuildThere ? 200 : 404 }),
      },
      clock: () => nowMs,
      background: (work) => void background.push(work),
      log: (line) => void lines.push(line),
    },
    timeoutMs,
  )
  const ctx = testContext({ catalogue: published, publishedCatalogue: published, catalogueStore: store })
  const pageCache = createPageCache(ctx)
  const app = createApp(ctx, pageCache)
  const request = async (path: string, headers: Record<string, string> = {}) => {
    published.refresh()
    const asked = new Request(ORIGIN + path, { headers })
    return pageCache.respond(asked) ?? (await app.fetch(asked))
  }
  return {
    ctx,
    lines,
    request,
    text: async (path: string) => (await request(path)).text(),
    /** What shoppers get a minute later. */
    async later() {
      nowMs += MINUTE_MS
      await request('/products')
      await Promise.all(background)
    },
    removeBuild: () => {
      isBuildThere = false
    },
  }
}

describe('a published catalogue', () => {
  it('replaces the file of the build everywhere, within a minute and in the background', async ({ task }) => {
    const { ctx, request, text, later } = shop()
    expect(await text('/product/1')).toContain('KSH 100')
    const before = await request('/Items.json')
    await publish(ctx, file(250))
    expect(await text('/product/1')).toContain('KSH 100')
    await later()

    expect(await text('/product/1')).toContain('"price":"250"')
    expect(await text('/products')).toContain('KSH 250')
    expectAtMost({ task }, 60, {
      id: 'S16',
      what: 'from publishing until shoppers see it',
      value: 60,
      unit: 's',
    })
    expect(await text('/feed.xml')).toContain('250.00 KES')
    const after = await request('/Items.json')
    expect(await after.json()).toEqual(JSON.parse(file(250)))
    expect(after.headers.get('Content-Type')).toBe('application/json')
    expect(after.headers.get('ETag')).not.toBe(before.headers.get('ETag'))
    const tag = after.headers.get('ETag') ?? ''
    expect((await request('/Items.json', { 'If-None-Match': `W/${tag}` })).status).toBe(304)
  })

  it('is the first that a cold isolate shows', async () => {
    const store = memoryStore()
    await publish(shop(store).ctx, file(250))
    expect(await shop(store).text('/products')).toContain('KSH 250')
  })

  it('can be an earlier one again, whose cached pages show nothing of the one between', async () => {
    const { ctx, text, later } = shop()
    for (const price of [250, 300, 250]) {
      await publish(ctx, file(price))
      await later()
      expect(await text('/products')).toContain(`KSH ${price}`)
      expect(await text('/product/1')).toContain(`KSH ${price}`)
    }
  })

  it('replaces another while requests run: every page is of one version', async () => {
    const { ctx, request, later } = shop()
    const pages: Promise<Response>[] = []
    for (let price = 200; price < 206; price++) {
      await publish(ctx, file(price, `Cow for ${price}`))
      const changed = later()
      for (let n = 0; n < 5; n++)
        pages.push(...['/product/1', '/products', '/feed.xml', '/Items.json'].map((path) => request(path)))
      await changed
      pages.push(request('/product/1'))
    }
    const answers = await Promise.all(pages)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    // Titles and prices in the markup, its data block, JSON-LD and files; a file's tag is that of its bytes.
    const versions = texts.map((text) => [
      ...new Set(
        Array.from(
          text.matchAll(/Cow for (\d+)|(?:KSH |"price":"?|<g:price>)(\d{3})\b/g),
          ([, a, b]) => a ?? b,
        ),
      ),
    ])
    expect(versions.filter(({ length }) => length !== 1)).toEqual([])
    for (const [index, { headers }] of answers.entries())
      if (headers.has('ETag')) expect(headers.get('ETag')).toBe(`"${await sha256Hex(texts[index] ?? '')}"`)
    expect(texts.at(-1)).toContain('Cow for 205')
  })
})

describe('while the store', () => {
  const broken: [string, Partial<CatalogueStore> & { text?: string; pointer?: string }, RegExp][] = [
    ['is away', { get: () => Promise.reject(new Error('KV GET failed: 503')) }, /KV GET failed/],
    ['does not answer', { get: () => new Promise(() => {}) }, /does not answer/],
    ['has a pointer that is garbage', { pointer: '<html>' }, /pointer/],
    [
      'has a pointer to nothing',
      { pointer: JSON.stringify({ number: 9, hash: 'ab'.repeat(32) }) },
      /is missing/,
    ],
    ['has a version that is garbage', { text: '{"id":' }, /JSON/],
    ['has a version with a broken product', { text: file(-1) }, /Item 1 \(id 1\), field "price"/],
    ['has a version that somebody changed', { text: file(1) }, /is damaged/],
  ]

  it.each(broken)(
    '%s, the last version stays, and the log has one line',
    async (_, { get, text, pointer }, reason) => {
      const entries = new Map<string, string>()
      const store = memoryStore(entries)
      const { ctx, lines, later, text: page, removeBuild } = shop(store, 20)
      await page('/products')
      await publish(ctx, file(250))
      await later()
      removeBuild()

      const published = await publish(ctx, file(300))
      if (!published.ok) throw new Error('It was not published.')
      if (get) store.get = get
      if (pointer) entries.set(POINTER_KEY, pointer)
      if (text) entries.set(versionKey(published.data.hash), text)
      await later()
      await later()
      expect(await page('/products')).toContain('KSH 250')
      expect(await page('/Items.json')).toBe(file(250))
      expect(lines).toEqual([expect.objectContaining({ level: 'error', catalogue: 'not read' })])
      expect(lines[0]?.reason).toMatch(reason)

      // A cold isolate begins with the file of the build.
      const cold = shop(store, 20)
      expect(await cold.text('/products')).toContain('KSH 100')
      expect(cold.lines).toHaveLength(1)
    },
  )
})

describe('a publish', () => {
  it('is refused by item and field', async () => {
    const { ctx } = shop()
    expect(await publish(ctx, file(-1))).toEqual({
      ok: false,
      error: {
        code: 'broken',
        message: 'Items.json is broken. Item 1 (id 1), field "price": must be above 0',
      },
    })
  })

  it('of two people who saw the same version ends in one version and one clear answer', async () => {
    const entries = new Map<string, string>()
    const { ctx } = shop(memoryStore(entries))
    const base = (await latestVersion(ctx))?.number ?? 0
    const results = await Promise.all(
      [250, 300].map((price) =>
        publishCatalogue({ text: file(price), base, actor: `person-${price}@pamba.test`, changes: '' }, ctx),
      ),
    )
    const [winner] = results.filter((result) => result.ok)
    const [loser] = results.filter((result) => !result.ok)
    if (!winner?.ok || loser?.ok !== false) throw new Error('Both or none were published.')
    expect(loser.error.message).toMatch(/^person-\d+@pamba.test has published version \d+ meanwhile\./)
    const { number, hash } = winner.data
    expect(await latestVersion(ctx)).toMatchObject({ number, hash })
    expect(JSON.parse(entries.get(POINTER_KEY) ?? '')).toEqual({ number, hash })
  })

  it('whose pointer the store refuses is shown by the next scheduled run', async () => {
    const entries = new Map<string, string>()
    const store = memoryStore(entries)
    const { put } = store
    const { ctx, text, later } = shop(store)
    await text('/products')
    store.put = async (key, value) => {
      if (key === POINTER_KEY) throw new Error('KV PUT failed: 429 Too Many Requests')
      await put(key, value)
    }
    const published = await publish(ctx, file(250))
    expect(published).toMatchObject({ ok: true, data: { isPointed: false } })
    store.put = put
    await updatePointer(ctx)
    await later()
    expect(await text('/products')).toContain('KSH 250')
  })
})
