import { describe, expect, it } from 'vitest'
import { CATEGORIES } from '#shared/catalogue/catalogue.ts'
import { withStock } from '#shared/catalogue/catalogue-stock.ts'
import { listProductItems } from '#shared/catalogue/items.ts'
import { DEFAULT_TERMS } from '#shared/checkout/delivery.ts'
import { type Page, routes } from '#shared/routes.ts'
import { shop, shopProfile } from '#shared/shop.ts'
import { catalogue, createCatalogueSource, testContext } from '#test/support/context.ts'
import { getApp } from '#test/support/posting.ts'

const ORIGIN = 'https://pamba.test'
const defaultContext = testContext()
const get = (path: string, ctx = defaultContext, headers = {}) =>
  getApp(ctx).request(ORIGIN + path, { headers })
const fetchHtml = async (path: string) => (await get(path)).text()

const publicPaths = Object.values<Page>(routes)
  .filter(({ needsLogin, path }) => !needsLogin && !path.includes(':'))
  .map(({ path }) => path)
const paths = [
  ...publicPaths,
  '/product/1',
  '/product/24',
  '/products?category=Toys',
  '/products?category=Footwear',
]

const getTitle = (html: string) => /<title>([^<]+)<\/title>/.exec(html)?.[1]
const getMeta = (html: string, key: string) =>
  new RegExp(`<meta (?:name|property)="${key}" content="([^"]*)">`).exec(html)?.[1]
const getCanonical = (html: string) => /<link rel="canonical" href="([^"]+)">/.exec(html)?.[1]
const parseJsonLd = (html: string) =>
  [...html.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/g)].map(([, json]) =>
    JSON.parse(json ?? ''),
  )

describe('page metadata', () => {
  it('has a unique title and description on every public page', async () => {
    const pages = await Promise.all(paths.map(fetchHtml))
    for (const extract of [getTitle, (html: string) => getMeta(html, 'description')]) {
      const values = pages.map(extract)
      expect(values.every((text) => text && text.length > 5)).toBe(true)
      expect(new Set(values).size).toBe(paths.length)
    }
  })

  it.each([
    ['/products?utm_source=chat', '/products'],
    ['/products?category=toys&utm_source=chat', '/products?category=Toys'],
    ['/products?category=Spaceships', '/products'],
    ['/products?page=7', '/products'],
    ['/product/1?from=mail', '/product/1'],
    ['/product/101', '/product/1'],
    ['/?x=1', '/'],
  ])('gives %s the canonical address %s', async (path, canonical) => {
    const html = await fetchHtml(path)
    expect(getCanonical(html)).toBe(ORIGIN + canonical)
    expect(getMeta(html, 'og:url')).toBe(ORIGIN + canonical)
  })

  it('includes the shop’s PNG preview image with an absolute URL, except on product pages', async () => {
    for (const path of paths.filter((path) => !path.startsWith('/product/'))) {
      expect(getMeta(await fetchHtml(path), 'og:image')).toBe(`${ORIGIN}/images/share.png`)
    }
  })

  it('of a product has its image, name and price, including with Save-Data', async () => {
    const [product] = catalogue
    if (!product) throw new Error('The catalogue is empty.')
    for (const headers of [{}, { 'Save-Data': 'on' }]) {
      const html = await (await get(`/product/${product.id}`, testContext(), headers)).text()
      const picture = ORIGIN + product.image.replace('.svg', '.share.jpg')
      expect(getMeta(html, 'og:image')).toBe(picture)
      expect([getMeta(html, 'og:image:width'), getMeta(html, 'og:image:height')]).toEqual(['1200', '630'])
      expect(getMeta(html, 'og:title')).toBe(`${product.title} · KSH ${product.price}`)
    }
  })

  it('uses a product’s photo as its preview image', async () => {
    const [product] = catalogue
    if (!product) throw new Error('The catalogue is empty.')
    const photographed = [{ ...product, image: '/images/romper.jpg' }]
    const ctx = testContext({ catalogue: createCatalogueSource(photographed) })
    const html = await (await get('/product/1', ctx)).text()
    expect(getMeta(html, 'og:image')).toBe(`${ORIGIN}/images/romper.jpg`)
  })

  it('describes the shop on Home as a schema.org ClothingStore', async () => {
    const [store] = parseJsonLd(await fetchHtml('/'))
    expect(store).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'ClothingStore',
      name: shop.name,
      url: `${ORIGIN}/`,
      address: {
        '@type': 'PostalAddress',
        addressLocality: shop.city,
        addressCountry: shopProfile.countryCode,
      },
    })
  })

  it('has an offer with the price on a product page, and no reviews', async () => {
    for (const product of catalogue.filter(({ sizing }) => !sizing).slice(0, 10)) {
      const [data] = parseJsonLd(await fetchHtml(`/product/${product.id}`))
      expect(data).toMatchObject({
        '@type': 'Product',
        name: product.title,
        sku: String(product.id),
        offers: {
          '@type': 'Offer',
          price: String(product.price),
          priceCurrency: 'KES',
          url: `${ORIGIN}/product/${product.id}`,
          availability: 'https://schema.org/InStock',
        },
        additionalProperty: { '@type': 'PropertyValue', name: 'Rating', value: product.rating, maxValue: 5 },
      })
      expect(data.image).toMatch(/^https:\/\//)
      expect(data).not.toHaveProperty('aggregateRating')
    }
  })

  it('groups the sizes of a product as variants, each with its price and address', async () => {
    const [jacket] = parseJsonLd(await fetchHtml('/product/30'))
    const product = catalogue.find(({ id }) => id === 30)
    expect(jacket).toMatchObject({
      '@type': 'ProductGroup',
      productGroupID: '30',
      name: product?.title,
      variesBy: 'https://schema.org/size',
    })
    expect(jacket.hasVariant).toMatchObject(
      product?.sizing?.sizes.map(({ id, label, price }) => ({
        '@type': 'Product',
        name: `${product.title}, ${label}`,
        sku: String(id),
        size: label,
        image: jacket.image,
        offers: {
          '@type': 'Offer',
          url: `${ORIGIN}/product/${id}`,
          price: String(price),
          priceCurrency: 'KES',
          availability: 'https://schema.org/InStock',
        },
      })) ?? [],
    )
  })

  it.each([
    ['the fee', {}, [['30', undefined]]],
    [
      'each fee with its counties',
      {
        zones: {
          Nairobi: { name: null, feeKsh: 30 },
          Mombasa: { name: 'Coast', feeKsh: 250 },
          Kisumu: { name: null, feeKsh: 30 },
        },
      },
      [
        ['30', ['Nairobi', 'Kisumu']],
        ['250', ['Mombasa']],
      ],
    ],
  ])('has %s for delivery, and the terms of returns', async (_, terms, fees) => {
    const ctx = testContext({ delivery: { ...DEFAULT_TERMS, ...terms } })
    const [cheap, dear] = [200, 1001].map((price) =>
      catalogue.find(
        (product) => !product.sizing && product.price > price && (price > 1000 || product.price <= 1000),
      ),
    )
    const blocksOf = async (id = 0) => parseJsonLd(await (await get(`/product/${id}`, ctx)).text())
    const [{ offers }, ...policies] = await blocksOf(cheap?.id)
    const byId = new Map(policies.map((policy) => [policy['@id'], policy]))
    const shipping = offers.shippingDetails.map((reference: { '@id': string }) => byId.get(reference['@id']))
    expect(
      shipping.map(({ shippingRate, shippingDestination }: (typeof policies)[number]) => [
        shippingRate.value,
        shippingDestination.addressRegion,
      ]),
    ).toEqual(fees)
    expect(byId.get(offers.hasMerchantReturnPolicy['@id'])).toMatchObject({
      '@type': 'MerchantReturnPolicy',
      applicableCountry: 'KE',
      merchantReturnDays: 14,
    })
    const [, free, returns, ...others] = await blocksOf(dear?.id)
    expect([free.shippingRate.value, returns['@type'], others.length]).toEqual([
      '0',
      'MerchantReturnPolicy',
      0,
    ])
  })

  it.each(['/nowhere', '/product/999999', '/forgot-password'])('marks %s as noindex', async (path) => {
    expect(getMeta(await fetchHtml(path), 'robots')).toBe('noindex')
  })
})

it('security.txt says where to report a vulnerability, and expires within a year', async () => {
  const response = await get('/.well-known/security.txt')
  expect(response.headers.get('Content-Type')).toMatch(/^text\/plain/)
  expect((await response.text()).split('\n')).toEqual([
    `Contact: mailto:${shop.email}`,
    'Expires: 2027-05-20T00:00:00Z',
    'Preferred-Languages: en',
    `Canonical: ${ORIGIN}/.well-known/security.txt`,
    '',
  ])
})

describe('sitemap.xml', () => {
  it('lists each public page, category and product once, with absolute addresses that respond', async () => {
    const response = await get('/sitemap.xml')
    expect(response.headers.get('Content-Type')).toBe('application/xml; charset=utf-8')
    const xml = await response.text()
    const listed = [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url?.replaceAll('&amp;', '&'))
    expect(new Set(listed).size).toBe(listed.length)
    for (const path of [
      '/',
      '/products',
      '/about',
      '/contact',
      '/product/1',
      '/products?category=Mom+%26+Baby',
    ])
      expect(listed).toContain(ORIGIN + path)
    for (const path of ['/cart', '/checkout', '/dashboard', '/forgot-password', '/product/:id'])
      expect(listed).not.toContain(ORIGIN + path)
    expect(listed.filter((url) => url?.includes('/product/'))).toHaveLength(catalogue.length)
    expect(listed.filter((url) => url?.includes('category='))).toHaveLength(CATEGORIES.length - 1)
    for (const url of listed) {
      const path = url?.slice(ORIGIN.length) ?? ''
      const page = await get(path)
      expect([path, page.status]).toEqual([path, 200])
      expect(getCanonical(await page.text())).toBe(url)
    }
  })

  it('uses the configured origin', async () => {
    const config = { ...testContext().config, SITE_ORIGIN: 'https://shop.example' }
    const xml = await (await get('/sitemap.xml', testContext({ config }))).text()
    expect(xml).toContain('<loc>https://shop.example/products</loc>')
  })
})

describe('robots.txt', () => {
  it('disallows signed-in pages and the API and names the sitemap', async () => {
    const text = await (await get('/robots.txt')).text()
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        'User-agent: *',
        'Disallow: /cart',
        'Disallow: /checkout',
        'Disallow: /dashboard',
        'Disallow: /api/',
        `Sitemap: ${ORIGIN}/sitemap.xml`,
      ]),
    )
    expect(text).not.toContain('Disallow: /products')
  })
})

type Element = { name: string; text: string; children: Element[] }

/** Parses XML, in which only the root may have attributes. Throws if the XML is not well-formed. */
function parseXml(xml: string): Element {
  const root: Element = { name: '', text: '', children: [] }
  const open = [root]
  for (const [, tag, text = ''] of xml.replace(/^<\?xml[^?]*\?>\s*/, '').matchAll(/<([^>]*)>|([^<]+)/g)) {
    const parent = open.at(-1)
    if (!parent) throw new Error('Something follows the root element.')
    if (tag === undefined) {
      if (/&(?!(amp|lt|gt|quot|#39);)|\p{Cc}/u.test(text.trim()))
        throw new Error(`A text is not escaped: ${text}`)
      parent.text += text
    } else if (tag.startsWith('/')) {
      if (open.pop()?.name !== tag.slice(1)) throw new Error(`</${tag.slice(1)}> closes nothing.`)
    } else {
      const element = { name: tag.split(' ', 1)[0] ?? '', text: '', children: [] }
      parent.children.push(element)
      open.push(element)
    }
  }
  if (open.length !== 1 || !root.children[0]) throw new Error('An element is not closed.')
  return root.children[0]
}

describe('the product feed', () => {
  const hostile = {
    ...catalogue[4],
    id: 9001,
    title: 'A & B </title>\u0007 <b>',
    image: 'https://img.test/a.jpg?x=1&y=2',
  }
  const products = withStock([...catalogue, hostile as (typeof catalogue)[number]], { 5: 0, 54: 2 })
  const ctx = () => testContext({ catalogue: createCatalogueSource(products) })

  it('lists every item with the fields Google and Meta require, in well-formed RSS 2.0', async () => {
    const response = await get('/feed.xml', ctx())
    expect(response.headers.get('Content-Type')).toBe('application/rss+xml; charset=utf-8')
    const xml = await response.text()
    expect(xml).toContain('<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">')
    const [channel] = parseXml(xml).children
    const items = channel?.children.filter(({ name }) => name === 'item') ?? []
    const fields = items.map(({ children }) => new Map(children.map(({ name, text }) => [name, text])))
    expect(fields.map((item) => Number(item.get('g:id')))).toEqual(
      products.flatMap(listProductItems).map(({ id }) => id),
    )
    for (const item of fields) {
      expect(item.get('title')).toMatch(/^.{1,150}$/)
      expect(item.get('description')).toMatch(/\S/)
      expect(item.get('link')).toBe(`${ORIGIN}/product/${item.get('g:id')}`)
      expect(item.get('g:image_link')).toMatch(/^https:\/\/\S+\.(jpg|png)(\?\S*)?$/)
      expect(item.get('g:price')).toMatch(/^\d+\.\d\d KES$/)
      expect(item.get('g:availability')).toMatch(/^(in_stock|out_of_stock)$/)
      expect([item.get('g:condition'), item.get('g:brand')]).toEqual(['new', shop.name])
      expect(item.has('g:size')).toBe(item.has('g:item_group_id'))
    }
    const byId = (id: string) => fields.find((item) => item.get('g:id') === id)
    expect(byId('5')?.get('g:availability')).toBe('out_of_stock')
    expect(byId('54')?.get('g:availability')).toBe('in_stock')
    expect([byId('104')?.get('g:item_group_id'), byId('104')?.get('g:size')]).toEqual(['2', 'M'])
  })

  it('responds with 304 if unchanged', async () => {
    const context = ctx()
    const tag = (await get('/feed.xml', context)).headers.get('ETag') ?? ''
    expect((await get('/feed.xml', context, { 'If-None-Match': `W/${tag}` })).status).toBe(304)
    expect((await get('/feed.xml', testContext(), { 'If-None-Match': tag })).status).toBe(200)
  })
})
