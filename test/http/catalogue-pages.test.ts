import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { createAccount } from '#test/support/account.ts'
import { catalogue, createUnpublishedCatalogue, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { getApp } from '#test/support/posting.ts'
import items from '../../public/Items.json'

const defaultContext = testContext()
const get = (path: string, ctx = defaultContext, headers = {}) =>
  getApp(ctx).request(`https://pamba.test${path}`, { headers })

const broken = {
  'responds with an error': () => new Response('', { status: 500 }),
  'is not JSON': () => new Response('<html>'),
  'is not a list': () => Response.json({ products: [] }),
  'contains an invalid product': () => Response.json([{ ...items[0], price: -1 }]),
}

describe('the Shop page', () => {
  it('shows each product with a truncated title, its price without and with VAT, its range of sizes and a Buy Now link', async () => {
    const html = await (await get('/products')).text()
    expect(html.match(/>Buy Now</g)).toHaveLength(items.length)
    expect(html).toContain(
      '<h2>Organic Cott…</h2><b>KSH 1850</b><p>KSH\u00a02,146 with VAT</p><span>0–18 months</span><p>',
    )
    expect(html).toMatch(/<h2>Kiondo Bag<\/h2><b>KSH \d+<\/b><p>KSH\u00a03,944 with VAT<\/p><p>/)
    expect(html).toContain('</p><a href="/product/1">Buy Now</a>')
    expect(html).toContain('alt="Organic Cotton Snap Romper"')
  })

  it('treats an unknown category as All', async () => {
    const html = await (await get('/products?category=Spaceships')).text()
    expect(html.match(/>Buy Now</g)).toHaveLength(items.length)
  })

  it('sends the displayed products as JSON for hydration, without the texts that the cards have', async () => {
    const html = await (await get('/products')).text()
    const [, json = ''] = /<script type="application\/json" id="page-data">(.*?)<\/script>/.exec(html) ?? []
    const { products, count } = JSON.parse(json)
    expect(products.map(({ id }: { id: number }) => String(id))).toEqual(
      Array.from(html.matchAll(/href="\/product\/(\d+)"/g), ([, id]) => id),
    )
    expect(count).toBe(64)
    for (const text of ['Organic Cotton', 'printed by hand']) expect(json).not.toContain(text)
  })

  it('greets visitors by the time of day', async () => {
    expect(await (await get('/products')).text()).toContain('Good morning')
    const evening = testContext({ clock: () => Date.UTC(2026, 10, 21, 15) })
    expect(await (await get('/products', evening)).text()).toContain('Good evening')
  })

  it('loads the first images eagerly and the others lazily', async () => {
    const html = await (await get('/products')).text()
    const images = html.match(/<img [^>]+>/g) ?? []
    expect(images.filter((image) => image.includes('loading="lazy"'))).toHaveLength(items.length - 4)
    expect(images[0]).toMatch(/fetchPriority="high"/i)
    for (const image of images) expect(image).toMatch(/width="320" height="400"/)
  })

  it('paginates a large catalogue', async () => {
    const products = Array.from({ length: 5000 }, (_, n) => ({ ...catalogue[n % 64], id: n + 1 }))
    const large = testContext({
      catalogue: createUnpublishedCatalogue(() => Response.json(products.map(toFileEntry))),
    })
    await large.catalogue.load()
    const first = await (await get('/products', large)).text()
    expect(first.match(/>Buy Now</g)).toHaveLength(60)
    expect(first).toMatch(/<a [^>]*href="\/products\?page=2#products"[^>]*>More products</)
    expect(await (await get('/products?page=2', large)).text()).toContain('>Previous products<')
    expect(first.length).toBeLessThan((await (await get('/products')).text()).length * 1.1)
    const last = await (await get('/products?page=84', large)).text()
    expect(last).toContain('href="/product/5000"')
    expect(last).toContain('>5000 products, page 84 of 84')
    expect(last).not.toContain('More products')
    expect(await (await get('/products?page=85', large)).text()).toContain('page 84 of 84')
  })

  it('says that a category is empty', async () => {
    const ctx = testContext({ catalogue: createUnpublishedCatalogue(() => Response.json([items[0]])) })
    await ctx.catalogue.load()
    const html = await (await get('/products?category=Toys', ctx)).text()
    expect(html).toContain('No products in this category yet')
    expect(html).toContain('href="/products"')
  })

  it.each(Object.entries(broken))(
    'is served with a message and logs the error when the catalogue %s',
    async (_, respond) => {
      const ctx = testContext({ catalogue: createUnpublishedCatalogue(respond) })
      const response = await get('/products', ctx)
      await expectStatus(response, 200)
      const html = await response.text()
      expect(html).toContain('We couldn’t load the products')
      expect(html).not.toContain('Buy Now')
      expect(ctx.lines.flatMap(({ failures = [] }) => failures).join()).toMatch(
        /Failed to fetch products|Items\.json is invalid|JSON/,
      )
    },
  )

  it('logs “Failed to fetch products” when the catalogue can’t be fetched', async () => {
    const ctx = testContext({ catalogue: createUnpublishedCatalogue(broken['responds with an error']) })
    await (await get('/products', ctx)).text()
    expect(ctx.lines[0]?.failures?.[0]).toContain('Failed to fetch products')
  })

  it('sends bots the complete page once the catalogue has loaded', async () => {
    const slow = Promise.withResolvers<Response>()
    const ctx = testContext({ catalogue: createUnpublishedCatalogue(() => slow.promise) })
    const answer = get('/products', ctx, { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' })
    let isAnswered = false
    void Promise.resolve(answer).then(() => {
      isAnswered = true
    })
    await new Promise((resolve) => setTimeout(resolve))
    expect(isAnswered).toBe(false)
    slow.resolve(Response.json(items))
    const html = await (await answer).text()
    expect(html).toContain('Buy Now')
    expect(html).not.toContain('Loading products')
  })
})

describe('the product page', () => {
  it('shows the product with its category in upper case, price, rating, delivery terms and related products', async () => {
    const html = await (await get('/product/1')).text()
    expect(html).toContain('CHILDREN&#x27;S CLOTHING')
    expect(html).toContain('<h1>Organic Cotton Snap Romper</h1>')
    expect(html).toContain('KSH 1850')
    expect(html).toMatch(/Rating: <\/span>4\.9 <small>out of 5, rated by our team</)
    expect(html).toContain('>KSH\u00a02,146 with VAT<')
    expect(html.replaceAll('\u00a0', ' ')).toContain('Free delivery above KSH 1,000 · 14-day returns<')
    const [, related = ''] = html.split('class="related__row"')
    expect(related.match(/<a href="\/product\/\d+">Buy Now</g)?.length).toBeGreaterThan(4)
  })

  it('shares the product on WhatsApp through a link that needs no JavaScript', async () => {
    const [, href = ''] =
      /href="(https:\/\/wa\.me\/[^"]+)"/.exec(await (await get('/product/101')).text()) ?? []
    expect(new URL(href).searchParams.get('text')).toBe(
      'Organic Cotton Snap Romper https://pamba.test/product/1',
    )
  })

  it('shows the product’s name if it has no title', async () => {
    const namedItem = items.find((item) => !('title' in item))
    expect(await (await get(`/product/${namedItem?.id}`)).text()).toContain(`<h1>${namedItem?.name}</h1>`)
  })

  it.each([
    ['Amina Wanjiru', 'Welcome back, Amina Wanjiru!'],
    ['', 'Welcome back!'],
  ])('greets a signed-in user named "%s"', async (name, greeting) => {
    const ctx = testContext()
    const { cookie } = await createAccount(ctx, { name })
    expect(await (await get('/product/1', ctx, cookie)).text()).toContain(`>${greeting}<`)
    expect(await (await get('/product/1', ctx)).text()).not.toContain('Welcome back')
  })

  it('offers to change the size if there is another one', async () => {
    const oneSize = { ...items[0], sizes: items[0]?.sizes?.slice(0, 1) }
    const ctx = testContext({ catalogue: createUnpublishedCatalogue(() => Response.json([oneSize])) })
    expect(await (await get('/product/1')).text()).toContain('Change size')
    const html = await (await get('/product/1', ctx)).text()
    expect(html).toMatch(/>Size: (<!-- -->)?<span[^>]*>0–3 months</)
    expect(html).not.toContain('Change size')
  })

  it('waits for the catalogue to load, which decides the status', async () => {
    const ctx = () => testContext({ catalogue: createUnpublishedCatalogue(() => Response.json(items)) })
    await expectStatus(await get('/product/1', ctx()), 200)
    await expectStatus(await get('/product/999999', ctx()), 404)
  })

  it.each([
    '/product/999999',
    '/product/abc',
    '/product/1e1',
    '/product/0',
    '/product/-1',
    '/product/1.0',
    '/product/01x',
    '/product/%00',
    '/product/9007199254740993',
  ])('responds to %s with 404', async (path) => {
    const response = await get(path)
    await expectStatus(response, 404)
    const html = await response.text()
    expect(html).toContain('Product not found.')
    expect(html).toContain('<title>Product not found · Pamba</title>')
  })

  it('shows a message when the catalogue cannot be read', async () => {
    const ctx = testContext({ catalogue: createUnpublishedCatalogue(broken['is not JSON']) })
    const html = await (await get('/product/1', ctx)).text()
    expect(html).toContain('We couldn’t load this product')
    expect(html).not.toContain('Product not found')
    expect(ctx.lines[0]?.level).toBe('error')
  })

  it('escapes product data in markup and JSON, as does the Shop page', async () => {
    const evil = '</script><script>alert(1)</script><img src=x onerror=alert(1)>'
    const product = { ...items[0], title: evil, description: evil, category: evil }
    const ctx = testContext({ catalogue: createUnpublishedCatalogue(() => Response.json([product])) })
    const html = (await (await get('/product/1', ctx)).text()) + (await (await get('/products', ctx)).text())
    expect(html).not.toContain('<script>alert')
    expect(html).not.toContain('<img src=x')
  })
})

describe('requests', () => {
  it.each(['/api/nothing', '/api/', '/api/orders/1'])('for %s get a JSON 404', async (path) => {
    const response = await get(path)
    await expectStatus(response, 404)
    expect(await response.json()).toMatchObject({ code: 'not_found' })
  })

  it('with a wrong method under /api get a JSON 405 that lists the allowed methods', async () => {
    const response = await createApp(testContext()).request('https://pamba.test/api/health', {
      method: 'DELETE',
    })
    await expectStatus(response, 405)
    expect(response.headers.get('Allow')).toContain('GET')
    expect(await response.json()).toMatchObject({ code: 'method_not_allowed' })
  })

  it('get an error page with the request id when rendering fails, and the cause is logged', async () => {
    const ctx = testContext({
      catalogue: {
        current() {
          throw new Error('the render failed')
        },
        version: () => 'test',
        load: async () => [],
      },
    })
    const response = await get('/products', ctx)
    await expectStatus(response, 500)
    const id = response.headers.get('X-Request-Id') ?? 'none'
    const html = await response.text()
    expect(html).toContain(id)
    expect(html).not.toContain('render failed')
    expect(ctx.lines[0]).toMatchObject({ level: 'error', requestId: id, status: 500 })
    expect(ctx.lines[0]?.failures?.[0]).toContain('the render failed')
  })

  it('each get a unique request id', async () => {
    const ids = await Promise.all(
      ['/', '/products', '/nowhere', '/api/health', '/robots.txt'].map(async (path) =>
        (await get(path)).headers.get('X-Request-Id'),
      ),
    )
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{24}$/)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

function toFileEntry({ rating, ...product }: { rating?: number | undefined }) {
  return { ...product, rating: { rate: rating } }
}
