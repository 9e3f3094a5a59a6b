import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { shop } from '#shared/shop.ts'
import { createAccount } from '#test/support/account.ts'
import { createUnpublishedCatalogue, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import items from '../../public/Items.json'

const get = (path: string, ctx = testContext()) => createApp(ctx).request(`https://pamba.test${path}`)

describe('the shop', () => {
  it.each(['/', '/products', '/product/1', '/about', '/contact', '/login', '/register', '/forgot-password'])(
    'responds to %s with a page',
    async (path) => {
      const response = await get(path)
      await expectStatus(response, 200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    },
  )

  it.each(['/nowhere', '/categories', '/product/abc', '/product/999999'])(
    'responds to %s with 404',
    async (path) => {
      await expectStatus(await get(path), 404)
    },
  )

  it.each([
    ['/product/1/', '/product/1'],
    ['/Product/1?utm_source=wa', '/product/1?utm_source=wa'],
    ['/products/?category=Toys&utm_source=wa', '/products?category=Toys&utm_source=wa'],
    ['/CART', '/cart'],
  ])('redirects %s to %s', async (path, page) => {
    const response = await get(path)
    await expectStatus(response, 308)
    expect(response.headers.get('location')).toBe(page)
  })

  it.each(['/products//', '//products', '/product/', '/Nowhere/', '/products%2f'])(
    'responds to the misspelled %s with 404',
    async (path) => {
      await expectStatus(await get(path), 404)
    },
  )

  it.each(['/cart', '/checkout', '/dashboard'])(
    'redirects a visitor without a session from %s to /login',
    async (path) => {
      const response = await get(path)
      await expectStatus(response, 302)
      expect(response.headers.get('Set-Cookie')).toContain(`requested=${encodeURIComponent(path)};`)
      expect(response.headers.get('location')).toBe('/login')
    },
  )

  it('renders the cart’s skeleton, not its empty state, on the server', async () => {
    const ctx = testContext()
    const { cookie } = await createAccount(ctx)
    const html = await (await createApp(ctx).request('https://pamba.test/cart', { headers: cookie })).text()
    expect(html).toContain('Loading your cart')
    expect(html).not.toContain('Your cart is empty!')
  })
})

describe('page content', () => {
  const fetchText = async (path: string) =>
    (await (await get(path)).text())
      .replace(/<script.*?<\/script>/gs, '')
      .replace(/<[^>]+>/g, ' ')
      .replaceAll('&amp;', '&')
      .replaceAll('&#x27;', "'")
      .replace(/\s+/g, ' ')

  it('Home has the headline, two links to the Shop, the figures and the hint', async () => {
    const text = await fetchText('/')
    for (const words of [
      'Sustainable Fashion for Little Ones',
      '1M+ Happy Families',
      '100% Organic Cotton',
      '5-star Customer Rating',
      'Click to explore',
    ])
      expect(text).toContain(words)
    const html = await (await get('/')).text()
    for (const name of ['Shop Kids Collection', 'Shop Women&#x27;s Collection'])
      expect(html).toMatch(new RegExp(`<a [^>]*href="/products"[^>]*>${name}</a>`))
  })

  it('About has the story, four cards and the figures', async () => {
    const text = await fetchText('/about')
    for (const words of [
      'Crafting Childhood Memories Where Quality Meets Playful Design',
      'Kids: Adaptive Clothing',
      'Women: Mom & Me Collections',
      'Jewelry: Child-Safe Accessories',
      'Tech: Smart Nursery',
      '2025 Visionaries 100k+ Happy Families 54% Recycled Materials 12 Design Awards',
    ])
      expect(text).toContain(words)
  })

  it('the 404 page links to Home and every category', async () => {
    const html = await (await get('/categories')).text()
    expect(html).toMatch(/<h1[^>]*>404<\/h1>/)
    expect(await fetchText('/categories')).toContain(
      "Whoops! The page you're looking for seems to have vanished. Return Home",
    )
    expect(html).toMatch(/<a [^>]*href="\/"[^>]*>Return Home</)
    expect(Array.from(html.matchAll(/<a class="chip" href="([^"]+)"/g), ([, link]) => link)).toEqual([
      '/products',
      '/products?category=Clothing',
      '/products?category=Toys',
      '/products?category=Nursery',
      '/products?category=Feeding',
      '/products?category=Accessories',
      '/products?category=Mom+%26+Baby',
      '/products?category=Footwear',
    ])
  })

  it('the footer has the year in Nairobi', async () => {
    expect(await fetchText('/about')).toMatch(
      new RegExp(`© 2026 ${shop.name}, ${shop.city}\\. All rights reserved\\. Designed by \\S`),
    )
    const newYear = testContext({ clock: () => Date.UTC(2026, 11, 31, 21) })
    expect(await (await get('/about', newYear)).text()).toContain(`© 2027 ${shop.name}`)
  })
})

describe('the Shop page', () => {
  it('sends the shell and skeleton before a slow catalogue, and the products after it', async () => {
    const slow = Promise.withResolvers<Response>()
    const response = await get(
      '/products',
      testContext({ catalogue: createUnpublishedCatalogue(() => slow.promise) }),
    )
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let shell = ''
    while (!shell.includes('type="module" async')) shell += (await reader?.read())?.value ?? ''
    expect(shell).toContain('Loading products')
    expect(shell).not.toContain('Buy Now')

    slow.resolve(Response.json(items))
    let rest = ''
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) rest += part.value
    expect(rest).toContain(`KSH ${items[0]?.price}`)
    expect(rest).toContain('id="page-data"')
    expect(rest.endsWith('</html>')).toBe(true)
  })

  it('renders the products inline, without a streaming script, once the catalogue is loaded', async () => {
    const html = await (await get('/products')).text()
    expect(html).toContain(`KSH ${items[0]?.price}`)
    expect(html).not.toContain('Loading products')
    expect(html).not.toContain('<script nonce')
  })
})

describe('/favicon.ico', () => {
  it('redirects to the SVG icon', async () => {
    const response = await get('/favicon.ico')
    await expectStatus(response, 301)
    expect(response.headers.get('location')).toBe('/favicon.svg')
  })
})
