import { describe, expect, it, vi } from 'vitest'
import { createApp } from '#server/app.ts'
import * as loaders from '#server/page-loaders.ts'
import { shop } from '#shared/shop.ts'
import { testContext } from '#test/support/context.ts'
import { get } from '#test/support/posting.ts'

const pageAt = async (address: string) => (await get(testContext(), address)).text()
const pricesIn = (html: string) =>
  Array.from(html.matchAll(/<b>KSH ([\d.]+)<\/b>/g), ([, price]) => Number(price))

describe('searching and sorting the Shop by its address', () => {
  it('shows what holds the words and how many, and gives the words back', async () => {
    const html = await pageAt('/products?q=++Rompers+&category=Clothing')
    expect(html).toMatch(/Clothing: \d+ products? for “Rompers”/)
    expect(html).toContain('alt="Organic Cotton Snap Romper"')
    expect(html).not.toContain('alt="Kikoi Wrap Dress"')
    // Without scripts, the form of the page asks for words, order and category.
    const [form = ''] = /<form class="search".+?<\/form>/s.exec(html) ?? []
    for (const part of [
      'action="/products"',
      'name="q"',
      'value="Rompers"',
      '<input type="hidden" name="category" value="Clothing"/>',
      'name="sort"',
      '<option value="price-desc"',
      'type="submit"',
    ])
      expect(form).toContain(part)
    expect(form).not.toContain('method=')
    expect(html).toContain('href="/products?category=Toys&amp;q=Rompers"')
  })

  it('orders by price, up and down, the category in place', async () => {
    const up = pricesIn(await pageAt('/products?category=Toys&sort=price-asc'))
    expect(up).toEqual(up.toSorted((one, other) => one - other))
    const down = pricesIn(await pageAt('/products?category=Toys&sort=price-desc'))
    expect(down).toEqual(up.toReversed().toSorted((one, other) => other - one))
    expect(up.length).toBeGreaterThan(3)
  })

  it('is kind when nothing is found, and leads back', async () => {
    const html = await pageAt('/products?q=spaceship&category=Toys')
    expect(html).toContain('Toys: 0 products for “spaceship”')
    expect(html).toContain('No products found')
    expect(html).toContain('href="/products?q=spaceship"')
  })

  it('takes hostile words for words', async () => {
    const html = await pageAt(
      `/products?q=${encodeURIComponent('"><script>alert(1)</script>')}&sort=__proto__`,
    )
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('0 products for')
  })

  it('keeps searches out of search engines, and one address for every order', async () => {
    const found = await pageAt('/products?q=cotton&category=Toys')
    expect(found).toContain('<meta name="robots" content="noindex">')
    expect(found).toContain(`<title>“cotton” · Toys · Shop · ${shop.name}</title>`)
    const ordered = await pageAt('/products?sort=price-asc&category=Toys')
    expect(ordered).not.toContain('noindex')
    expect(ordered).toContain('rel="canonical" href="https://pamba.test/products?category=Toys"')
  })

  it('keeps a page for each order, and none for what shoppers type', async () => {
    const renders = vi.spyOn(loaders.pageLoaders, 'shop')
    renders.mockClear()
    const app = createApp(testContext())
    const ask = async (query: string) => (await app.request(`https://pamba.test/products?${query}`)).text()
    for (const query of ['sort=price-asc', 'sort=price-asc&utm=1', 'sort=price-asc&q=+']) await ask(query)
    expect(renders).toHaveBeenCalledTimes(1)
    await ask('q=cotton')
    await ask('q=cotton')
    expect(renders).toHaveBeenCalledTimes(3)
  })
})
