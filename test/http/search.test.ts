import { describe, expect, it, vi } from 'vitest'
import { createApp } from '#server/app.ts'
import * as loaders from '#server/page-loaders.ts'
import { shop } from '#shared/shop.ts'
import { testContext } from '#test/support/context.ts'
import { get } from '#test/support/posting.ts'

const fetchPage = async (path: string) => (await get(testContext(), path)).text()
const findPrices = (html: string) =>
  Array.from(html.matchAll(/<b>KSH ([\d.]+)<\/b>/g), ([, price]) => Number(price))

describe('the Shop page with a query string', () => {
  it('selects “All” only if no audience is chosen, and “All” removes the audience', async () => {
    const all = '<a class="chip" href="/products?q=shoes"'
    expect(await fetchPage('/products?q=shoes')).toContain(`${all} aria-current="true">All</a>`)
    expect(await fetchPage('/products?q=shoes&for=kids')).toContain(`${all}>All</a>`)
  })

  it('shows and counts the results, and fills in the query', async () => {
    const html = await fetchPage('/products?q=++Rompers+&category=Clothing')
    expect(html).toMatch(/Clothing: \d+ results? for “Rompers”/)
    expect(html).toContain('alt="Organic Cotton Snap Romper"')
    expect(html).not.toContain('alt="Kikoi Wrap Dress"')
    const [form = ''] = /<form id="search".+?<\/form>/s.exec(html) ?? []
    for (const part of [
      'action="/products"',
      'name="q"',
      'value="Rompers"',
      '<input type="hidden" name="category" value="Clothing"/>',
      'type="submit"',
    ])
      expect(form).toContain(part)
    expect(html).toMatch(/Sort by<select form="search" name="sort"><option value="" selected="">Best match/)
    expect(form).not.toContain('method=')
    expect(html).toContain('href="/products?category=Toys&amp;q=Rompers"')
  })

  it('shows the price with VAT on cards, which the price filter compares', async () => {
    const html = await fetchPage('/products?q=dress&max=3074&filters=open')
    expect(html).toContain('<b>KSH 2650</b><p>KSH\u00a03,074 with VAT</p>')
    expect(html).toContain('Remove </span>Up to KSH 3,074 with VAT<')
    expect(html).toContain('>Price to, with VAT</label>')
    const [within, justAbove] = (await fetchPage('/products?size=4-5-years&max=3073')).split(
      'Just above KSH 3,073 with VAT',
    )
    expect(within).not.toContain('KSH 2650')
    expect(justAbove).toContain('KSH 2650')
  })

  it('lists products that only their descriptions match under a heading, after the others', async () => {
    const html = await fetchPage('/products?q=dress')
    expect(html).toContain('>5 results for “dress”<')
    expect(html.match(/<h2[^>]*>[^<]*/g)?.map((heading) => heading.replace(/.*>/, ''))).toEqual([
      'Kikoi Wrap D…',
      'Kitenge Twir…',
      'Mama and Min…',
      'Other mentions of “dress” (2)',
      'Kanga Rag Do…',
      'Kitenge Knot…',
    ])
    expect(await fetchPage('/products?q=dress&sort=price-asc')).toContain('Other mentions of “dress”')
    expect(await fetchPage('/products?q=voile')).toContain('>1 result for “voile”<')
    const mentions = await fetchPage('/products?q=dress&category=Toys')
    expect(mentions).toContain('>Toys: no exact results for “dress”<')
    expect(mentions).not.toContain('Other mentions')
  })

  it.each(['q=dress+under+3000', 'q=dress&max=3000'])(
    'lists the nearest prices, then mentions, if nothing is within the limit: %s',
    async (query) => {
      const html = await fetchPage(`/products?${query}`)
      expect(html).toContain('>No exact results for “dress” at this price<')
      expect(html.match(/<h2[^>]*>[^<]*/g)?.map((heading) => heading.replace(/.*>/, ''))).toEqual([
        'Nothing up to KSH 3,000 with VAT. Just above:',
        'Kitenge Twir…',
        'Other mentions of “dress” (2)',
        'Kanga Rag Do…',
        'Kitenge Knot…',
        'You may also like',
      ])
    },
  )

  it('sorts a category by price in both directions', async () => {
    const up = findPrices(await fetchPage('/products?category=Toys&sort=price-asc'))
    expect(up).toEqual(up.toSorted((a, b) => a - b))
    const down = findPrices(await fetchPage('/products?category=Toys&sort=price-desc'))
    expect(down).toEqual(up.toReversed().toSorted((a, b) => b - a))
    expect(up.length).toBeGreaterThan(3)
  })

  it('suggests other searches when nothing is found', async () => {
    const html = await fetchPage('/products?q=spaceship&category=Toys')
    expect(html).toContain('Toys: 0 results for “spaceship”')
    expect(html).toContain('No products found')
    expect(html).toContain('href="/products?q=spaceship"')
    expect(html).toContain('href="/products?q=wooden+toys"')
  })

  it('links to the page that answers a query for help, and to the form for an order number', async () => {
    const delivery = await fetchPage('/products?q=delivery')
    expect(delivery).toMatch(
      /<h2>This may help<\/h2><p>See where we deliver and what it costs\.<\/p><a class="button" href="\/contact#delivery">Delivery<\/a>.*href="\/products\?q=wooden\+toys"/s,
    )
    const order = await fetchPage('/products?q=p+j68h5d')
    expect(order).toContain('<a class="button" href="/order?number=P-J68H5D">Track order P-J68H5D</a>')
    expect(order).not.toContain('Closest matches')
    expect(order).not.toContain('wooden+toys')
  })

  it('calls products that are only similar to the searched ones closest matches', async () => {
    const html = await fetchPage('/products?q=jeans')
    expect(html).toMatch(/>No exact results for “jeans”<.*>Closest matches \(3\)</s)
  })

  it('escapes hostile queries', async () => {
    const html = await fetchPage(
      `/products?q=${encodeURIComponent('"><script>alert(1)</script>')}&sort=__proto__`,
    )
    expect(html).not.toContain('<script>alert')
    expect(html).toContain('0 results for “&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;”')
  })

  it('excludes searches from search engines, and has one canonical URL for every sort order', async () => {
    const page = await fetchPage('/products?q=cotton&category=Toys')
    expect(page).toContain('<meta name="robots" content="noindex">')
    expect(page).toContain(`<title>“cotton” · Toys · Shop · ${shop.name}</title>`)
    const ordered = await fetchPage('/products?sort=price-asc&category=Toys')
    expect(ordered).not.toContain('noindex')
    expect(ordered).toContain('rel="canonical" href="https://pamba.test/products?category=Toys"')
  })

  it('reports a corrected word, near matches and results in other categories', async () => {
    const corrected = await fetchPage('/products?q=drses')
    expect(corrected).toContain('>Showing results for “dress”, not “drses”<')
    expect(await fetchPage('/products?q=drses&category=Clothing')).toContain(
      '>Clothing: showing results for “dress”, not “drses”<',
    )
    const near = await fetchPage('/products?q=kitenge+spaceship')
    expect(near).toMatch(/>No exact results for “kitenge spaceship”<.*>Closest matches \(\d+\)<\/h2>/s)
    expect(near).not.toContain('0 results')
    const nearInCategory = await fetchPage('/products?q=kitenge+spaceship&category=Clothing')
    expect(nearInCategory).toContain('>Clothing: no exact results for “kitenge spaceship”<')
    const footwear = await fetchPage('/products?q=kitenge&category=Footwear')
    expect(footwear).toMatch(/Footwear: 1 result for “kitenge”/)
    expect(footwear).toMatch(/href="\/products\?category=Clothing&amp;q=kitenge">\d more in Clothing</)
  })

  it('renders the filter form while it is open, and a link to remove each filter', async () => {
    const html = await fetchPage(
      '/products?q=dress&size=2-3-years&max=3100&stock=1&sort=price-asc&filters=open',
    )
    const [form = ''] = /<form id="filters".+?<\/form>/s.exec(html) ?? []
    for (const part of [
      'action="/products"',
      '<input type="hidden" name="q" value="dress"/>',
      '<input type="hidden" name="sort" value="price-asc"/>',
      '<optgroup label="Children, by age">',
      '<option selected="">2–3 years</option>',
      'name="max" value="3100"',
      '<option value="1" selected="">In stock</option>',
    ])
      expect(form).toContain(part)
    expect(form).not.toContain('Children’s shoes')
    expect(form).not.toContain('value="Clothing"')
    expect(html).toContain('href="/products?q=dress&amp;max=3100&amp;stock=1&amp;sort=price-asc"')
    expect(html).toContain('<input type="hidden" name="size" value="2-3-years"/>')
    expect(html).toContain('2 results for “dress”')
    const page = await fetchPage('/products?q=&size=2%E2%80%933+years&min=&max=3100&sort=price-asc')
    expect(findPrices(page)).toEqual(findPrices(page).toSorted((a, b) => a - b))
    expect(page).toMatch(/>\d+ products, lowest price first/)
  })

  it('shows a price limit in the query as a filter that can be removed', async () => {
    const html = await fetchPage('/products?q=Dress+under+3,100&filters=open')
    expect(html).toContain('results for “Dress”')
    expect(html).toContain('value="Dress under 3,100"')
    expect(html).toMatch(
      /href="\/products\?q=Dress"><span class="visually-hidden">Remove <\/span>Up to KSH 3,100 with VAT</,
    )
    expect(html).toContain('name="max" value="3100"')
    expect(await fetchPage('/products?q=coat+over+90k')).toContain('Nothing in this price range.')
    expect(await fetchPage('/products?q=dress+under+3100&min=1000&max=4000')).toContain('KSH 1,000–3,100')
    expect(await fetchPage('/products?q=under+580')).toContain('>3 products<')
  })

  it('offers products for children and for women, with the sizes of the chosen ones', async () => {
    const all = await fetchPage('/products?category=Clothing')
    expect(all).toMatch(/<nav aria-label="Categories">.+?>All<.+?>Kids<.+?>Women<.+?>Clothing</)
    expect(all).toContain('<a class="chip" href="/products?category=Clothing&amp;for=Women">Women</a>')
    const html = await fetchPage('/products?category=Clothing&for=women&filters=open')
    expect(html).toContain('>Clothing: 8 products for women<')
    expect(html).toContain('<title>Clothing · Women · Shop · ')
    expect(html).toContain('alt="Kikoi Wrap Dress"')
    expect(html).not.toContain('alt="Organic Cotton Snap Romper"')
    const remove =
      '<a class="chip chip--applied" href="/products?category=Clothing" aria-label="Remove Women">'
    expect(html).toContain(remove)
    const [form = ''] = /<form id="filters".+?<\/form>/s.exec(html) ?? []
    expect(form).toContain('<option selected="">Women</option>')
    expect(form).toContain('<option>XXL</option>')
    expect(form).not.toContain('Children')
    expect(await fetchPage('/products?category=Toys')).not.toContain('for=Women')
  })

  it('links to the products without one filter if all filters together match nothing', async () => {
    const toys = await fetchPage('/products?category=Toys&for=Women')
    expect(toys).toContain('No products found')
    expect(toys).toContain('<a class="chip" href="/products?category=Toys">For everyone: 8 products</a>')
    const cheap = await fetchPage('/products?for=Kids&size=2-3-years&max=300')
    expect(cheap).toMatch(
      /href="\/products\?for=Kids&amp;size=2-3-years">At any price: 26 products<.+href="\/products\?for=Kids&amp;max=300">In any size: 1 product</,
    )
    expect(cheap).not.toContain('See all products')
    expect(await fetchPage('/products?for=Women&size=eu-24&max=300')).toContain(
      'Clear the filters to see more.',
    )
    expect(await fetchPage('/products?q=spaceship&max=300')).toContain('check the spelling')
    const elsewhere = await fetchPage('/products?category=Toys&q=romper&max=3000')
    expect(elsewhere).toMatch(/>\d in Clothing<.*check the spelling.*>Search all products</s)
    expect(elsewhere).not.toMatch(/Clear (the )?filters/)
  })

  it('ignores unknown filters', async () => {
    const plain = await fetchPage('/products')
    expect(plain).not.toContain('id="filters"')
    expect(plain).not.toContain('Active filters')
    for (const query of ['for=everyone', 'size=nonsense', 'min=cheap&max=-1', 'stock=maybe', 'filters=maybe'])
      expect(findPrices(await fetchPage(`/products?${query}`))).toEqual(findPrices(plain))
  })

  it('has one canonical URL for every filter', async () => {
    const html = await fetchPage('/products?category=Clothing&size=2-3-years&page=2')
    expect(html).not.toContain('noindex')
    expect(html).toContain('rel="canonical" href="https://pamba.test/products?category=Clothing"')
    expect(await fetchPage('/products?for=Kids')).toContain(
      'rel="canonical" href="https://pamba.test/products"',
    )
  })

  it('is cached for each audience and sort order, but not for searches and filters', async () => {
    const renders = vi.spyOn(loaders.pageLoaders, 'shop')
    renders.mockClear()
    const app = createApp(testContext())
    const request = async (query: string) =>
      (await app.request(`https://pamba.test/products?${query}`)).text()
    for (const query of ['sort=price-asc', 'sort=price-asc&utm=1', 'sort=price-asc&q=+']) await request(query)
    expect(renders).toHaveBeenCalledTimes(1)
    for (const query of ['for=Kids', 'for=kids', 'for=Women', 'for=Women&for=Kids']) await request(query)
    expect(renders).toHaveBeenCalledTimes(3)
    expect(await request('for=Women')).toContain('>22 products for women<')
    expect(await request('for=Kids')).toContain('>49 products for kids<')
    await request('q=cotton')
    await request('q=cotton')
    expect(renders).toHaveBeenCalledTimes(5)
    for (const query of ['max=3000', 'max=3000', 'size=nonsense', 'stock=1', 'filters=open'])
      await request(query)
    expect(renders).toHaveBeenCalledTimes(10)
    await request('min=&max=&size=&for=&q=&sort=price-asc')
    expect(renders).toHaveBeenCalledTimes(10)
  })
})
