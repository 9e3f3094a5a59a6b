import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { catalogueFrom, testDeps } from '#test/support/deps.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import items from '../../public/Items.json'

const get = (path: string, deps = testDeps()) => createApp(deps).request(`https://pamba.test${path}`)

describe('page statuses', () => {
  it.each(['/', '/products', '/product/1', '/about', '/contact', '/login', '/register', '/forgot-password'])(
    'answers %s with a page',
    async (path) => {
      const response = await get(path)
      await expectStatus(response, 200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    },
  )

  it.each(['/nowhere', '/categories', '/product/abc', '/product/999999'])(
    'answers %s with 404',
    async (path) => {
      await expectStatus(await get(path), 404)
    },
  )

  it.each([
    ['/product/1/', '/product/1'],
    ['/Product/1?utm_source=wa', '/product/1?utm_source=wa'],
    ['/products/?category=Toys&utm_source=wa', '/products?category=Toys&utm_source=wa'],
    ['/CART', '/cart'],
  ])('redirects %s, which differs by a trailing slash or letter case alone, to %s', async (path, page) => {
    const response = await get(path)
    await expectStatus(response, 308)
    expect(response.headers.get('location')).toBe(page)
  })

  it.each(['/products//', '//products', '/product/', '/Nowhere/', '/products%2f'])(
    'answers %s, which differs by more, with 404',
    async (path) => {
      await expectStatus(await get(path), 404)
    },
  )

  it.each(['/cart', '/checkout', '/dashboard'])(
    'sends a visitor without a session from %s to /login',
    async (path) => {
      const response = await get(path)
      await expectStatus(response, 302)
      expect(response.headers.get('location')).toBe('/login')
    },
  )
})

describe('the stream', () => {
  it('sends the shell and the skeleton before a slow catalogue, and the products after it', async () => {
    const slow = Promise.withResolvers<Response>()
    const response = await get('/products', testDeps({ catalogue: catalogueFrom(() => slow.promise) }))
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

  it('renders a catalogue that is in memory inline, without any script to reveal it', async () => {
    const html = await (await get('/products')).text()
    expect(html).toContain(`KSH ${items[0]?.price}`)
    expect(html).not.toContain('Loading products')
    expect(html).not.toContain('<script nonce')
  })
})

describe('the icon that browsers ask for by themselves', () => {
  it('leads from /favicon.ico to the real one', async () => {
    const response = await get('/favicon.ico')
    await expectStatus(response, 301)
    expect(response.headers.get('location')).toBe('/favicon.svg')
  })
})
