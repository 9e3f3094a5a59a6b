import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { createPageCache } from '#server/platform/page-cache/page-cache.ts'
import { createStockSnapshot, type StockLogLine, withStockSnapshot } from '#server/stock/stock-snapshot.ts'
import { createAccount } from '#test/support/account.ts'
import { catalogue, createCatalogueSource, NOW_MS, testContext } from '#test/support/context.ts'
import { createSpyDatabase } from '#test/support/database.ts'
import { setStock } from '#test/support/stock.ts'

const ORIGIN = 'https://pamba.test'
const REFRESH_MS = 10_000
const [RINGS, HAT, LARGE_HAT, BEANIE] = [5, 54, 175, 63]

/** Composes the stock snapshot, the page cache and the app as `worker.ts` does. */
function createStockedShop() {
  const state = { isDown: false, isUnresponsive: false, reads: 0, nowMs: NOW_MS }
  const logged: StockLogLine[] = []
  const db = createSpyDatabase((go) => {
    state.reads += 1
    if (state.isUnresponsive) return new Promise(() => {})
    return state.isDown ? Promise.reject(new Error('D1_ERROR: Network connection lost.')) : go()
  })
  const clock = () => state.nowMs
  const work: Promise<unknown>[] = []
  const waitUntil = (promise: Promise<unknown>) => void work.push(promise)
  const stock = createStockSnapshot({ db, clock, waitUntil, log: (line) => logged.push(line) })
  const ctx = testContext({
    clock,
    stock,
    catalogue: withStockSnapshot(createCatalogueSource(catalogue), stock),
  })
  const pageCache = createPageCache(ctx)
  const app = createApp(ctx, pageCache)
  let fromCache = 0
  async function fetchText(path: string, headers = {}) {
    stock.refresh()
    const request = new Request(ORIGIN + path, { headers })
    const cached = pageCache.respond(request)
    if (cached) fromCache += 1
    return (cached ?? (await app.fetch(request))).text()
  }
  return {
    ctx,
    state,
    logged,
    fetchText,
    countHits: () => fromCache,
    async advanceClock() {
      state.nowMs += REFRESH_MS
      await fetchText('/about')
      await Promise.all(work)
    },
  }
}

const productCard = (html: string, id: number) =>
  html.split('<li').find((card) => card.includes(`href="/product/${id}"`)) ?? ''

describe('public pages', () => {
  it('mark sold-out products and show low stock once the snapshot has been read', async () => {
    const { ctx, fetchText, advanceClock } = createStockedShop()
    await setStock(ctx, RINGS, 0)
    await setStock(ctx, HAT, 0)
    await setStock(ctx, LARGE_HAT, 2)
    expect(productCard(await fetchText('/products?category=Toys'), RINGS)).not.toContain('Sold out')
    await advanceClock()
    expect(productCard(await fetchText('/products?category=Toys'), RINGS)).toMatch(
      /<small>Sold out<\/small>.*disabled=""[^>]*>Add to Cart/s,
    )
    const page = await fetchText(`/product/${RINGS}`)
    expect(page).toMatch(
      /Sold out<\/p>.*<form id="back-in-stock".*form="back-in-stock"[^>]*>Email me when it’s back</s,
    )
    expect(page).toContain('https://schema.org/OutOfStock')
    expect(productCard(await fetchText('/products?category=Accessories'), HAT)).toMatch(
      /Only 2 left.*>Add to Cart/s,
    )
    expect(productCard(await fetchText('/products?category=Accessories'), HAT)).not.toContain('disabled')
    expect(await fetchText(`/product/${HAT}`)).toMatch(/OutOfStock.*LimitedAvailability/s)
    const api = await (await createApp(ctx).request(`${ORIGIN}/api/stock`)).json()
    expect(api).toEqual({
      left: [
        { id: RINGS, left: 0 },
        { id: HAT, left: 0 },
        { id: LARGE_HAT, left: 2 },
      ],
    })
    await setStock(ctx, RINGS, 50)
    await advanceClock()
    expect(await fetchText(`/product/${RINGS}`)).not.toContain('disabled')
  })

  it('show the stock of a size on the product page only once that size is selected', async () => {
    const { ctx, fetchText, advanceClock } = createStockedShop()
    await setStock(ctx, HAT, 0)
    await setStock(ctx, LARGE_HAT, 2)
    await advanceClock()
    const article = async (id: number) =>
      /<article.+<\/article>/s.exec(await fetchText(`/product/${id}`))?.[0] ?? ''
    expect(await article(HAT)).not.toMatch(/Only 2 left|Sold out<\/p>/)
    expect(await article(LARGE_HAT)).toContain('Only 2 left</p>')
    expect(await article(LARGE_HAT)).toContain('Add to Cart')

    await setStock(ctx, LARGE_HAT, 0)
    await advanceClock()
    const searchPage = await fetchText('/products?q=hat')
    expect(searchPage.indexOf(`href="/product/${BEANIE}"`)).toBeLessThan(
      searchPage.indexOf(`href="/product/${HAT}"`),
    )
    await setStock(ctx, HAT, 1)
    await advanceClock()
    expect(await article(LARGE_HAT)).toContain('Sold out in 50–52 cm</p>')
    expect(productCard(await fetchText('/products?size=50-52-cm'), HAT)).toMatch(
      /<small>Sold out in 50–52 cm<\/small>.*disabled=""[^>]*>Add to Cart/s,
    )
    await setStock(ctx, HAT, 0)
    await advanceClock()
    const unselected = await article(HAT)
    expect(unselected).toContain('Sold out</p>')
    expect(unselected).toContain('>Choose a size to hear when it’s back<')
    expect(unselected).toContain('href="#sizes">Email me when it’s back<')
    expect(unselected).not.toContain('name="item"')
    const selected = await article(LARGE_HAT)
    expect(selected).toMatch(/form="back-in-stock"[^>]*>Email me when it’s back</)
    expect(selected).toContain(`name="item" value="${LARGE_HAT}"`)
    expect(selected).not.toContain('Add to Cart')
  })

  it('prefill the stock alert with a signed-in shopper’s email', async () => {
    const { ctx, fetchText, advanceClock } = createStockedShop()
    await setStock(ctx, RINGS, 0)
    await advanceClock()
    const { user, cookie } = await createAccount(ctx)
    expect(await fetchText(`/product/${RINGS}`, cookie)).toContain(`value="${user.email}"`)
    expect(await fetchText(`/product/${RINGS}`)).toMatch(/<input id="back-in-stock-email"(?![^>]*value=)/)
  })

  it('list a cart link’s items at today’s prices, name those that are short, and count unknown ones', async () => {
    const { ctx, fetchText, advanceClock } = createStockedShop()
    await setStock(ctx, RINGS, 0)
    await setStock(ctx, LARGE_HAT, 2)
    await advanceClock()
    const page = await fetchText(`/buy/${RINGS}:1,${LARGE_HAT}:3,1:2,99999:1`)
    expect(page).toContain('We’re sold out of Jacaranda Wood Stacking Rings.')
    expect(page).toContain('Floppy Sun Hat, 50–52 cm: only 2 left.')
    expect(page).toContain('A product in this link is no longer available.')
    expect(page).toMatch(/2 × KSH 1,850<.*KSH 3,700</s)
    expect(page).toContain('Your cart needs JavaScript')
    expect(page).toContain('<meta name="robots" content="noindex')
  })

  it('say that a malformed cart link doesn’t work', async () => {
    const response = await createApp(createStockedShop().ctx).request(`${ORIGIN}/buy/1:1,oops`)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('<h1>This link doesn’t work</h1>')
  })

  it('stay cached while the stock changes in ways that they do not show', async () => {
    const { ctx, fetchText, advanceClock, countHits, state } = createStockedShop()
    await setStock(ctx, RINGS, 50)
    await advanceClock()
    await fetchText('/products')
    await setStock(ctx, RINGS, 20)
    await advanceClock()
    const before = countHits()
    await fetchText('/products')
    expect(countHits()).toBe(before + 1)
    const { reads } = state
    for (let times = 0; times < 5; times++) await fetchText('/products')
    expect(state.reads).toBe(reads)
  })

  it('show the last snapshot while the database is down or unresponsive, without waiting for it', async () => {
    const { ctx, fetchText, advanceClock, state, logged } = createStockedShop()
    await setStock(ctx, RINGS, 0)
    await advanceClock()
    state.isDown = true
    await advanceClock()
    await advanceClock()
    expect(productCard(await fetchText('/products'), RINGS)).toContain('Sold out')
    expect(logged).toMatchObject([{ stock: 'not read', reason: expect.stringContaining('lost') }])
    state.isUnresponsive = true
    state.nowMs += REFRESH_MS
    expect(productCard(await fetchText('/products'), RINGS)).toContain('Sold out')
  })
})
