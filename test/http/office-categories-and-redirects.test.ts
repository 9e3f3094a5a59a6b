import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { readPublishedCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { createFixedCatalogue } from '#server/catalogue/published-catalogue.ts'
import { createPublishedContent } from '#server/content/content-source.ts'
import { createPageCache } from '#server/platform/page-cache/page-cache.ts'
import { CATEGORIES } from '#shared/catalogue/catalogue.ts'
import { AUDIENCES } from '#shared/catalogue/shop-filter.ts'
import { CATALOGUE_ITEMS, openCatalogueOffice, product } from '#test/support/catalogue-office.ts'
import { testContext } from '#test/support/context.ts'

const MATERNITY = product(9, 'Nursing dress', 1800, { category: 'Maternity wear' })

async function openCategoriesOffice(items: object[] = CATALOGUE_ITEMS) {
  const office = await openCatalogueOffice(items)
  const change = (to: string, name = '') => office.post('/catalogue/categories', { to, name })
  const createPublishedShop = async () => {
    const { items, content } = await readPublishedCatalogue(office.ctx)
    const published = await createFixedCatalogue(items, content)
    const ctx = testContext({
      catalogue: published,
      publishedCatalogue: published,
      content: createPublishedContent(published),
    })
    const pageCache = createPageCache(ctx)
    return { pageCache, app: createApp(ctx, pageCache) }
  }
  const openShop = async () => {
    const { pageCache, app } = await createPublishedShop()
    return async (path: string) => {
      const request = new Request(`https://pamba.test${path}`)
      return (pageCache.respond(request) ?? (await app.fetch(request))).text()
    }
  }
  const redirect = async (path: string) => {
    const { app } = await createPublishedShop()
    const { status, headers } = await app.request(`https://pamba.test${path}`)
    return [status, headers.get('Location'), headers.get('Cache-Control')]
  }
  return { ...office, change, openShop, redirect }
}

function findButtons(html: string): string[] {
  const [nav = ''] = /<nav aria-label="Categories">.*?<\/nav>/s.exec(html) ?? []
  const labels = Array.from(nav.matchAll(/>([^<]+)<\/a>/g), ([, label = '']) => label.replace('&amp;', '&'))
  return labels.filter((label) => !AUDIENCES.some((audience) => audience === label))
}

describe('the owner’s own category', () => {
  it('has a filter button and is on the 404 page and in the sitemap once published with a product', async () => {
    const { change, publish, openShop, get, readAudit } = await openCategoriesOffice([
      ...CATALOGUE_ITEMS,
      MATERNITY,
    ])
    expect((await change('add', ' Maternity ')).location).toBe('/catalogue/categories?done=saved')
    await change('up', 'Maternity')
    expect(findButtons(await (await openShop())('/products'))).toEqual(CATEGORIES)
    expect((await get('/catalogue/products/1')).text).toContain('<option value="Maternity">')
    const review = (await get('/catalogue/publish')).text
    expect(review).toContain('<summary>Categories</summary>')
    expect(review).toContain('Accessories, Mom &amp; Baby, Maternity, Footwear</blockquote>')
    expect((await publish()).status).toBe(303)
    const read = await openShop()
    const expected = [...CATEGORIES.slice(0, -1), 'Maternity', 'Footwear']
    for (const time of ['rendered', 'cached'])
      expect(findButtons(await read('/products')), time).toEqual(expected)
    const page = await read('/products?category=maternity')
    expect(page).toContain('Maternity: 1 product')
    expect(page).toContain('<title>Maternity · Shop')
    expect(page).toContain('"categories":["All",')
    expect(await read('/nowhere')).toContain('href="/products?category=Maternity"')
    expect(await read('/sitemap.xml')).toContain('/products?category=Maternity<')
    expect(await read('/feed.xml')).toContain('<g:product_type>Maternity wear<')
    expect(await readAudit()).toContainEqual(['catalogue.categories', null, expected.slice(1).join(', ')])
  })

  it('is hidden while it is empty, and behaves like an unknown one', async () => {
    const { change, publish, openShop } = await openCategoriesOffice()
    await change('add', 'Maternity')
    await publish()
    const read = await openShop()
    expect(findButtons(await read('/products'))).toEqual(CATEGORIES)
    expect(await read('/products?category=Maternity')).toContain('>3 products<')
    for (const path of ['/products', '/nowhere', '/sitemap.xml'])
      expect(await read(path)).not.toContain('Maternity')
    expect(await read('/products')).not.toContain('"categories":')
  })

  it('is removed with one tap, and the original order is restored with another', async () => {
    const { change, get, publish, openShop } = await openCategoriesOffice([...CATALOGUE_ITEMS, MATERNITY])
    await change('add', 'Maternity')
    await change('up', 'Footwear')
    await publish()
    expect(findButtons(await (await openShop())('/products')).slice(-3)).toEqual([
      'Footwear',
      'Mom & Baby',
      'Maternity',
    ])
    await change('remove', 'Maternity')
    expect((await get('/catalogue/categories')).text).not.toContain('Maternity')
    await change('restore')
    await publish()
    expect(findButtons(await (await openShop())('/products'))).toEqual(CATEGORIES)
    await change('restore')
    expect((await get('/catalogue/publish')).text).toContain('No changes to publish.')
  })
})

it.each([
  ['no name', 'add', '  ', 'Enter a name of 1 to 30 characters.'],
  ['a long name', 'add', 'x'.repeat(31), 'Enter a name of 1 to 30 characters.'],
  ['a name in use', 'add', 'TOYS', 'There’s already a category with this name.'],
  ['the name of all', 'add', 'all', 'There’s already a category with this name.'],
  ['a control character', 'add', 'a\u0007b', 'Enter a name of 1 to 30 characters.'],
  ['the removal of an original one', 'remove', 'Toys', 'Someone else removed this category.'],
  ['the move of an unknown one', 'up', 'Hats', 'Someone else removed this category.'],
])('a change of the categories is refused: %s', async (_, to, name, problem) => {
  const { change } = await openCategoriesOffice()
  const { status, text } = await change(to, name)
  expect([status, text.includes(problem)]).toEqual([409, true])
})

describe('a hidden product', () => {
  it('redirects its address and those of its sizes to the product that the owner chose', async () => {
    const { save, get, publish, redirect, readFields } = await openCategoriesOffice()
    await save(2, { state: 'hidden', redirectTo: '3' })
    expect(await readFields(2)).toMatchObject({ state: 'hidden', redirectTo: '3' })
    expect((await get('/catalogue/publish')).text).toContain(
      'Product 2 redirects to product 3\nProduct 7 redirects to product 3',
    )
    await publish()
    expect(await redirect('/product/2?utm_source=x')).toEqual([308, '/product/3', 'no-cache'])
    expect(await redirect('/product/7')).toEqual([308, '/product/3', 'no-cache'])
    expect(await redirect('/product/3')).toEqual([200, null, 'private, no-cache'])
    expect(await redirect('/product/99')).toEqual([404, null, 'private, no-cache'])

    await save(3, { state: 'hidden', redirectTo: '1' })
    await publish()
    expect(await redirect('/product/7')).toEqual([308, '/product/1', 'no-cache'])
    await save(3, { redirectTo: '' })
    await publish()
    expect(await redirect('/product/7')).toEqual([404, null, 'private, no-cache'])
    await save(2, { state: 'active' })
    await publish()
    expect(await redirect('/product/7')).toEqual([200, null, 'private, no-cache'])
  })

  it.each(['2', '99', 'rattle', '-1'])('can’t redirect to %s', async (redirectTo) => {
    const { save } = await openCategoriesOffice()
    const { status, text } = await save(2, { state: 'hidden', redirectTo })
    expect([
      status,
      text.includes('To redirect customers, enter the number of another product that they can see'),
    ]).toEqual([409, true])
    expect(text).toMatch(new RegExp(`name="redirectTo"[^>]*value="${redirectTo}"`))
  })
})
