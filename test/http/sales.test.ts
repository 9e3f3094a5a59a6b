import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { createFixedCatalogue } from '#server/catalogue/published-catalogue.ts'
import { withSalePrices } from '#server/catalogue/sale-prices.ts'
import { createPageCache } from '#server/platform/page-cache/page-cache.ts'
import { parseCatalogueEntries } from '#shared/catalogue/catalogue-schema.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { calculateCheckoutTotals } from '#shared/checkout/pricing.ts'
import { HOUR_MS } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { CATALOGUE_ITEMS, openCatalogueOffice, product } from '#test/support/catalogue-office.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { listOrders, orderRequest, postOrder } from '#test/support/orders.ts'

const START = NOW_MS + HOUR_MS
const END = START + 24 * HOUR_MS
const toIso = (ms: number) => new Date(ms).toISOString()
const SALE_PRODUCT = product(1, 'Wooden cow', 750, {
  compareAtPrice: 900,
  saleStartsAt: toIso(START),
  saleEndsAt: toIso(END),
})
const REGULAR_PRODUCT = product(3, 'Rattle', 400)

async function createShopWithSale(items: object[] = [SALE_PRODUCT, REGULAR_PRODUCT]) {
  let nowMs = NOW_MS
  const clock = () => nowMs
  const published = await createFixedCatalogue(JSON.stringify(items))
  const ctx = testContext({
    clock,
    catalogue: withSalePrices(published, clock),
    publishedCatalogue: published,
  })
  const pageCache = createPageCache(ctx)
  const app = createApp(ctx, pageCache)
  return {
    ctx,
    setClock: (ms: number) => {
      nowMs = ms
    },
    async read(path: string, headers: Record<string, string> = {}) {
      const request = new Request(`https://pamba.test${path}`, { headers })
      const cached = pageCache.respond(request)
      const response = cached ?? (await app.fetch(request))
      return {
        isCached: cached !== undefined,
        status: response.status,
        text: await response.text(),
        headers: response.headers,
      }
    },
  }
}

const PHASES = [
  ['before', NOW_MS, '900', undefined],
  ['at the start', START, '750', '900'],
  ['until the last moment', END - 1, '750', '900'],
  ['at the end', END, '900', undefined],
] as const

describe('a sale', () => {
  it('shows its prices on cached pages from the moment it starts until the moment it ends', async () => {
    const { setClock, read } = await createShopWithSale()
    for (const [phase, ms, price, regular] of PHASES) {
      setClock(ms)
      for (const path of ['/products', '/product/1', '/product/3']) {
        await read(path)
        const { text, isCached } = await read(path)
        expect(isCached, `${path} ${phase}`).toBe(true)
        expect(text, `${path} ${phase}`).toContain(`KSH ${price}`)
        const struckThrough = `<s><span class="visually-hidden">was </span>KSH ${regular}</s>`
        expect(text.includes(struckThrough), `${path} ${phase}`).toBe(regular !== undefined)
      }
    }
  })

  it('is in Items.json, the feed and JSON-LD only while it lasts', async () => {
    const { setClock, read } = await createShopWithSale()
    const tags = new Set<string | null>()
    for (const [phase, ms, price, regular] of PHASES) {
      setClock(ms)
      const file = await read('/Items.json')
      tags.add(file.headers.get('ETag'))
      expect((await read('/Items.json', { 'If-None-Match': file.headers.get('ETag') ?? '' })).status).toBe(
        304,
      )
      const [cow, rattle] = JSON.parse(file.text)
      const saleFields = regular ? { compareAtPrice: 900, saleEndsAt: toIso(END) } : {}
      expect(cow, phase).toEqual({ ...product(1, 'Wooden cow', Number(price)), ...saleFields })
      expect(rattle).toEqual(REGULAR_PRODUCT)
      expect(findItem(parseCatalogueEntries(JSON.parse(file.text)), 1)?.price).toBe(Number(price))

      const { text: feed } = await read('/feed.xml')
      expect(feed, phase).toContain(`<g:price>900.00 KES</g:price>`)
      expect(feed.includes('<g:sale_price>750.00 KES</g:sale_price>'), phase).toBe(regular !== undefined)
      expect(feed.includes(`<g:sale_price_effective_date>${toIso(START)}/${toIso(END)}<`)).toBe(
        regular !== undefined,
      )

      const { text: page } = await read('/product/1')
      expect(page, phase).toContain(`"price":"${price}"`)
      expect(page.includes('StrikethroughPrice","price":"900"'), phase).toBe(regular !== undefined)
      expect(page.includes(`"priceValidUntil":"${toIso(END)}"`), phase).toBe(regular !== undefined)
    }
    // The file is the same before and after the sale. Its ETag differs, because it contains the time of the last
    // change.
    expect(tags.size).toBe(3)
  })

  it('is charged by the server’s clock, and an order keeps what it was charged', async () => {
    const { setClock, ctx } = await createShopWithSale()
    const shopper = await createAccount(ctx)
    const totalKsh = (price: number) => calculateCheckoutTotals([{ price, qty: 1 }]).totalCents / 100
    const order = (price: number) =>
      postOrder(ctx, shopper, orderRequest([{ id: 1, qty: 1 }], { expectedTotal: totalKsh(price) }))
    const early = await order(750)
    expect([early.status, early.body.code]).toEqual([409, 'prices_changed'])
    expect(early.body.lines).toMatchObject([{ id: 1, price: 900 }])
    setClock(START)
    const bought = await order(750)
    expect(bought.status).toBe(201)
    expect(bought.body.order.lines).toMatchObject([{ unitPriceCents: 75_000 }])
    expect((await order(900)).body.lines).toMatchObject([{ id: 1, price: 750, compareAtPrice: 900 }])
    setClock(END)
    expect((await order(750)).status).toBe(409)
    expect((await order(900)).status).toBe(201)
    const { body } = await listOrders(ctx, shopper)
    const first = body.orders.find(({ number }) => number === bought.body.order.number)
    expect(first?.lines).toMatchObject([{ unitPriceCents: 75_000 }])
  })

  it('that has no period leaves the file as it was published', async () => {
    const forever = product(1, 'Wooden cow', 750, { compareAtPrice: 900 })
    const { read } = await createShopWithSale([forever])
    expect((await read('/Items.json')).text).toBe(JSON.stringify([forever]))
    expect((await read('/products')).text).toContain('was </span>KSH 900</s>')
  })
})

describe('a sale in the office', () => {
  const SALE = { salePrice: '750', saleStartsAt: '2026-12-24T00:00', saleEndsAt: '2026-12-27T00:00' }
  const DATE_PROBLEM = 'Please enter a date and a time under “Starts” and “Ends”, or leave them empty.'

  it('is entered on the shop’s clock, reviewed with its dates and published', async () => {
    const { save, get, publish, readPublished, readFields, ctx } = await openCatalogueOffice([
      product(1, 'Wooden cow', 900),
    ])
    await save(1, SALE)
    expect(await readFields(1)).toMatchObject({ price: '900', ...SALE })
    expect((await get('/catalogue/publish')).text).toContain(
      'KSH 900 → <strong>KSH 750 (was KSH 900) from 24 Dec 2026, 00:00 until 27 Dec 2026, 00:00</strong>',
    )
    await publish()
    expect((await readPublished())[0]).toEqual(
      product(1, 'Wooden cow', 750, {
        compareAtPrice: 900,
        saleStartsAt: '2026-12-23T21:00:00.000Z',
        saleEndsAt: '2026-12-26T21:00:00.000Z',
      }),
    )
    expect((await readLatestCatalogue(ctx))[0]?.price).toBe(900)
    await save(1, { salePrice: '' })
    await publish()
    expect(await readPublished()).toEqual([product(1, 'Wooden cow', 900)])
  })

  it('can have its own price for each size', async () => {
    const { save, publish, readPublished } = await openCatalogueOffice(CATALOGUE_ITEMS)
    await save(2, { 'sale-7': '1900' })
    await publish()
    expect((await readPublished())[1]?.sizes).toEqual([
      { id: 2, label: 'S' },
      { id: 7, label: 'M', price: 1900, compareAtPrice: 2100 },
    ])
  })

  it.each([
    [{ salePrice: '100' }, 'The sale price must be lower than the regular price.'],
    [{ salePrice: 'half' }, 'Please enter prices in KSH'],
    [{ ...SALE, saleEndsAt: '2026-12-24T00:00' }, 'The sale must end after it starts.'],
    [{ ...SALE, saleStartsAt: 'Christmas' }, DATE_PROBLEM],
    [{ ...SALE, saleStartsAt: '12/24/2026' }, DATE_PROBLEM],
    [{ ...SALE, saleStartsAt: '2026-02-31T10:00' }, DATE_PROBLEM],
    [{ ...SALE, saleEndsAt: '20266-12-27T00:00' }, DATE_PROBLEM],
    [{ ...SALE, saleEndsAt: '275760-09-13' }, DATE_PROBLEM],
  ])('is rejected with %o, and the form keeps what was typed', async (changes, problem) => {
    const { save } = await openCatalogueOffice()
    const { status, text } = await save(1, {
      price: '100',
      ...(changes.salePrice ? { price: changes.salePrice === '750' ? '900' : '100' } : {}),
      ...changes,
    })
    expect(status).toBe(409)
    expect(text).toContain(problem)
    for (const value of Object.values(changes)) expect(text).toContain(`value="${value}"`)
  })
})
