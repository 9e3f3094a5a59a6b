import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { readLatestVersion } from '#server/catalogue/catalogue-versions.ts'
import { readDraft } from '#server/catalogue/draft.ts'
import { createFixedCatalogue, POINTER_KEY } from '#server/catalogue/published-catalogue.ts'
import {
  auditLog,
  catalogueDraft,
  catalogueVersions,
  draftProducts,
  orderLines,
  orders,
  stock,
  users,
} from '#server/platform/db/schema.ts'
import type { CatalogueEntry } from '#shared/catalogue/catalogue-schema.ts'
import {
  CATALOGUE_ITEMS,
  openCatalogueOffice,
  product,
  readPublishForm,
  SIZED_PRODUCT,
} from '#test/support/catalogue-office.ts'
import { testContext } from '#test/support/context.ts'
import { HOSTILE_TEXTS, takeNextShare } from '#test/support/hostile.ts'
import { createOfficeClient, OFFICE_ORIGIN } from '#test/support/office.ts'

describe('the draft', () => {
  it('starts as the live catalogue and can be searched and filtered', async () => {
    const { get, post } = await openCatalogueOffice()
    expect((await get('/catalogue')).text).toContain('3 of 3 products')
    expect((await get('/catalogue?q=kikoi')).text).toContain('1 of 3 products')
    expect((await get('/catalogue?category=Toys')).text).toContain('3 of 3 products')
    for (const sizeQuery of ['7', 'dress+m', 'M+kikoi'])
      expect((await get(`/catalogue?q=${sizeQuery}`)).text, sizeQuery).toContain('1 of 3 products')
    await post('/catalogue/state', { id: '3', to: 'hidden' })
    const { text } = await get('/catalogue?state=hidden')
    expect(text).toContain('1 of 3 products')
    expect(text).toContain('Rattle')
  })

  it('adds no blank option to the category filter for products without a category', async () => {
    const { get, save } = await openCatalogueOffice()
    await save('new', { title: 'Half a dress', category: '' })
    const [categories = ''] = /<select id="category".*?<\/select>/s.exec((await get('/catalogue')).text) ?? []
    expect(categories.match(/<option value=""/g)).toHaveLength(1)
  })

  it('keeps its filter when a product is opened, saved, moved, hidden or deleted, as the stock list does', async () => {
    const { get, post, readFields } = await openCatalogueOffice()
    const filter = '?q=e&category=Toys'
    const { text } = await get(`/catalogue${filter}`)
    const query = filter.replace('&', '&amp;')
    for (const path of ['/catalogue/state', '/catalogue/move', '/catalogue/products/1'])
      expect(text, path).toContain(`"${path}${query}"`)
    const form = (await get(`/catalogue/products/1${filter}`)).text
    for (const path of ['/catalogue', '/catalogue/products/1', '/catalogue/products/1/delete'])
      expect(form, path).toContain(`"${path}${query}"`)
    const locations = [
      await post(`/catalogue/state${filter}`, { id: '1', to: 'hidden' }),
      await post(`/catalogue/move${filter}`, { id: '1', to: 'down' }),
      await post(`/catalogue/products/1${filter}`, await readFields(1)),
      await post(`/catalogue/products/3/delete${filter}`, {}),
    ].map(({ location }) => location)
    expect(locations).toEqual([
      `/catalogue${filter}#product-1`,
      `/catalogue${filter}#product-1`,
      `/catalogue${filter}&done=saved`,
      `/catalogue${filter}&done=deleted`,
    ])
    expect((await get('/stock?q=kikoi')).text).toContain('action="/stock?q=kikoi" method="post"')
    const counted = await post('/stock?q=kikoi', { item: '7', units: '4', seen: '' })
    expect(counted.location).toBe('/stock?q=kikoi&counted=7')
    const isNow = async (count: string) =>
      expect((await get(counted.location ?? '')).text).toMatch(
        new RegExp(`Stock updated\\. [^<]+: ${count}\\. The shop will show it within a minute\\.`),
      )
    await isNow('4 in stock')
    await post('/stock', { item: '7', units: '', seen: '4' })
    await isNow('made to order, so it never sells out')
  })

  it('can’t be published when nothing differs, even after changes that were undone', async () => {
    const { get, post, save, publish, ctx } = await openCatalogueOffice()
    const offer = 'Publish changes</button>'
    await save(1, { price: '120' })
    const { base, revision, text } = await readPublishForm(get)
    expect(text).toContain(offer)
    await save(1, { price: '100' })
    expect((await get('/catalogue/publish')).text).not.toContain(offer)
    const next = String(Number(revision) + 1)
    const refused = await post('/catalogue/publish', { base, revision: next })
    expect([refused.status, refused.text.includes('There’s nothing to publish')]).toEqual([409, true])
    expect(await readLatestVersion(ctx)).toBeUndefined()
    await save(3, { title: 'Silver rattle' })
    await publish()
    expect(await readLatestVersion(ctx)).toMatchObject({ number: 2 })
  })

  it('lists changes with prices first, and stays invisible until published', async () => {
    const { get, save, publish, readPublished, ctx, readAudit } = await openCatalogueOffice()
    expect((await save(1, { price: '120', title: 'Wooden cow, painted' })).status).toBe(303)
    expect((await save(2, { 'price-7': '2250' })).status).toBe(303)
    await ctx.backgroundDone()
    expect(await readPublished()).toEqual(CATALOGUE_ITEMS)

    const { text } = await get('/catalogue/publish')
    expect(text).toContain('Wooden cow, painted: KSH 100 → <strong>KSH 120</strong>')
    expect(text).toContain('Kikoi dress, M: KSH 2,100 → <strong>KSH 2,250</strong>')
    expect(text).toContain('Wooden cow, painted: name')
    expect(text.indexOf('Prices')).toBeLessThan(text.indexOf('Edited'))
    expect((await get('/stock')).text).not.toContain('painted')

    expect((await publish()).location).toBe('/catalogue/publish?done=now')
    const [cow, dress] = await readPublished()
    expect(cow).toEqual(product(1, 'Wooden cow, painted', 120))
    expect(dress?.sizes).toEqual([
      { id: 2, label: 'S' },
      { id: 7, label: 'M', price: 2250 },
    ])
    expect((await get('/catalogue/publish')).text).toContain('No changes to publish.')
    expect((await get('/stock')).text).toContain('Wooden cow, painted')
    expect(await readAudit()).toEqual([
      ['catalogue.save', 'KSH 100', 'KSH 120, name'],
      ['catalogue.save', null, 'sizes'],
      ['catalogue.publish', null, '2 prices, 1 edited'],
    ])
  })

  it('never reuses ids, even after a product is deleted', async () => {
    const { save, post, publish, readPublished, ctx } = await openCatalogueOffice()
    const dress = {
      title: 'Linen dress',
      description: 'Cool.',
      price: '1500',
      category: 'Toys',
      'image-other': '/a.svg',
      scale: 'clothing',
      'label-new0': 'S',
      'label-new2': 'M',
      'price-new2': '1600',
      'units-new2': '4',
    }
    await save('new', dress)
    const idsOfFirst = async () => {
      const [first] = (await readDraft(ctx)).entries
      return first?.product.sizes.map(({ id }) => id) ?? []
    }
    const [id, medium] = await idsOfFirst()
    expect([id, medium]).toEqual([8, 9])
    expect(await ctx.db.select().from(stock)).toEqual([{ itemId: 9, onHand: 4, reserved: 0 }])
    expect((await post('/catalogue/products/8/delete', {})).location).toBe('/catalogue?done=deleted')
    await save('new', dress)
    expect(await idsOfFirst()).toEqual([10, 11])
    await publish()
    expect((await readPublished()).map((entry) => entry.id)).toEqual([10, 1, 2, 3])
  })

  it('allows hiding products with orders but not deleting them', async () => {
    const { post, get, publish, readPublished, ctx } = await openCatalogueOffice()
    const nobody = { id: 'buyer', email: 'buyer@shopper.test', name: '', passwordHash: '', createdAtMs: 0 }
    await ctx.db.insert(users).values(nobody).onConflictDoNothing()
    await ctx.db.insert(orders).values({
      id: 'sold',
      number: 'P-SOLD',
      userId: 'buyer',
      idempotencyKey: 'sold',
      requestHash: '',
      status: 'placed',
      createdAtMs: 0,
      firstName: '',
      lastName: '',
      email: '',
      address: '',
      country: '',
      state: '',
      zip: '',
      subtotalCents: 0,
      discountCents: 0,
      shippingCents: 0,
      vatCents: 0,
      totalCents: 0,
    })
    await ctx.db.insert(orderLines).values({
      orderId: 'sold',
      position: 0,
      productId: 7,
      title: 'Kikoi dress',
      size: 'M',
      image: '',
      unitPriceCents: 1,
      qty: 1,
    })
    const refused = await post('/catalogue/products/2/delete', {})
    expect(refused.status).toBe(409)
    expect(refused.text).toContain('This product has orders, so it can’t be deleted.')
    await post('/catalogue/state', { id: '2', to: 'hidden' })
    expect((await get('/catalogue/publish')).text).toContain('No longer in the shop')
    await publish()
    expect((await readPublished()).map(({ id }) => id)).toEqual([1, 3])
    await ctx.db.delete(orderLines).where(eq(orderLines.orderId, 'sold'))
  })

  it('can be reordered, and publishes the new order', async () => {
    const { post, publish, readPublished, get } = await openCatalogueOffice()
    await post('/catalogue/move', { id: '3', to: 'up' })
    await post('/catalogue/move', { id: '2', to: 'first' })
    expect((await get('/catalogue/publish')).text).toContain('The products are in a different order.')
    await publish()
    expect((await readPublished()).map(({ id }) => id)).toEqual([2, 1, 3])
  })

  it('can’t be published while incomplete, and the page names each product and field', async () => {
    const { save, get, publish, post, readPublished } = await openCatalogueOffice()
    await save('new', { title: 'Half a dress', category: 'Toys' })
    await save(2, { 'label-7': '' })
    const { text } = await get('/catalogue/publish')
    expect(text).toContain('Half a dress</a>: Description is missing')
    expect(text).toContain('Half a dress</a>: Price is missing')
    expect(text).toContain('Kikoi dress</a>: Size 2 name is missing')
    expect(text).not.toContain('name="base"')
    expect((await publish()).status).toBe(400)
    const forced = await post('/catalogue/publish', { base: '0', revision: '3' })
    expect([forced.status, forced.text.includes('Half a dress: Description is missing.')]).toEqual([
      409,
      true,
    ])
    expect(await readPublished()).toEqual(CATALOGUE_ITEMS)
  })

  describe('of a product with sizes but no size type', () => {
    const DRESS = {
      title: 'Linen dress',
      description: 'Cool.',
      price: '1500',
      category: 'Toys',
      'image-other': '/a.svg',
      scale: '',
      'label-new0': 'S',
      'units-new0': '2',
      'label-new1': 'M',
      'units-new1': '5',
    }

    it('isn’t saved, and the form names the field and keeps what was typed', async () => {
      const { save, ctx } = await openCatalogueOffice()
      const { status, text } = await save('new', DRESS)
      expect([status, (await readDraft(ctx)).entries.length]).toEqual([409, 3])
      expect(text).toContain('Please choose a size type, or remove the sizes by clearing their names.')
      expect(text).toMatch(/<select id="scale"[^>]*aria-invalid="true"[^>]*aria-describedby="scale-error"/)
      for (const [name, value] of Object.entries({ 'label-new1': 'M', 'units-new1': '5', price: '1500' }))
        expect(text, name).toMatch(new RegExp(`name="${name}"[^>]*value="${value}"`))
      expect((await save('new', { ...DRESS, scale: 'clothing' })).location).toBe('/catalogue?done=saved')
      expect(await ctx.db.select().from(stock)).toEqual([
        { itemId: 8, onHand: 2, reserved: 0 },
        { itemId: 9, onHand: 5, reserved: 0 },
      ])
    })

    it('isn’t published, even if the draft already has it', async () => {
      const { ctx, get, post, readPublished } = await openCatalogueOffice()
      const { entries, revision } = await readDraft(ctx)
      const dress = entries.find(({ product: { id } }) => id === 2)?.product
      await ctx.db
        .update(draftProducts)
        .set({ product: JSON.stringify({ ...dress, scale: null }) })
        .where(eq(draftProducts.id, 2))
      expect((await get('/catalogue/publish')).text).toContain(
        'Kikoi dress</a>: Size type is required with sizes',
      )
      const forced = await post('/catalogue/publish', { base: '0', revision: String(revision) })
      expect(forced.status).toBe(409)
      expect(await readPublished()).toEqual(CATALOGUE_ITEMS)
    })

    it('is saved once the names of the sizes are cleared, and sells as one item', async () => {
      const { save, publish, readPublished, readFields, ctx } = await openCatalogueOffice()
      expect((await save(2, { scale: '' })).status).toBe(409)
      const cleared = { scale: '', 'label-2': '', 'label-7': '' }
      expect((await save(2, cleared)).location).toBe('/catalogue?done=saved')
      expect((await save(2, { title: 'Kikoi shawl', 'units-2': '4' })).status).toBe(303)
      await publish()
      const [, shawl] = await readPublished()
      expect(shawl).toEqual(product(2, 'Kikoi shawl', 2000))
      expect(await ctx.db.select().from(stock)).toEqual([{ itemId: 2, onHand: 4, reserved: 0 }])
      expect((await readFields(2))['label-7'], 'the name, in case the sizes come back').toBe('M')
      await save(2, { scale: 'clothing', 'shown-7': 'yes' })
      await publish()
      expect((await readPublished())[1]).toEqual({ ...SIZED_PRODUCT, title: 'Kikoi shawl' })
    })
  })

  it('can’t have two sizes with the same name', async () => {
    const { save } = await openCatalogueOffice()
    const { status, text } = await save(2, { 'label-new2': 'M' })
    expect(status).toBe(409)
    expect(text).toContain('Two sizes are named “M”. Please give each size a different name.')
    expect(text).toMatch(/<input id="label-new0"[^>]*aria-invalid="true"/)
  })

  it.each([
    ['price', '-5', 'The price must be above 0.'],
    ['price', '0', 'The price must be above 0.'],
    ['price', '99000000', 'The price must be at most 10,000,000.'],
    ['price', '9.999', 'The price can have at most two decimal places.'],
    ['price', 'ten', 'Please enter prices in KSH, for example 1250 or 99.50.'],
    ['salePrice', '0', 'The sale price must be above 0.'],
    ['price-7', '-1', 'The price must be above 0.'],
    ['sale-7', '-1', 'The sale price must be above 0.'],
  ])('isn’t saved with the %s %s, which couldn’t be published', async (field, value, message) => {
    const { save, ctx } = await openCatalogueOffice()
    const before = await readDraft(ctx)
    const { status, text } = await save(2, { [field]: value })
    expect([status, text.includes(message)]).toEqual([409, true])
    expect(text).toContain(`id="${field}-error"`)
    expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"[^>]*value="${value}"`))
    expect(await readDraft(ctx)).toEqual(before)
  })

  it('rejects the second of two conflicting saves and keeps what was typed', async () => {
    const { get, post, readFields, ctx } = await openCatalogueOffice()
    const shown = await readFields(1)
    await post('/catalogue/products/1', { ...shown, price: '120' })
    const second = await post('/catalogue/products/1', { ...shown, price: '130' })
    expect(second.status).toBe(409)
    expect(second.text).toContain('This has changed since you opened it.')
    expect(second.text).toContain('value="130"')
    expect((await get('/catalogue')).text).toContain('KSH 120')
    const edits = [1, 2, 3].map(async (id) =>
      post(`/catalogue/products/${id}`, { ...(await readFields(id)), title: `New ${id}` }),
    )
    expect((await Promise.all(edits)).map(({ status }) => status)).toEqual([303, 303, 303])
    expect((await readDraft(ctx)).entries.map(({ product: { title } }) => title)).toEqual([
      ...['New 1', 'New 2', 'New 3'],
    ])
  })
})

describe('the photos of a product', () => {
  const picture = (image: string, alt: string) => ({ image: `/images/${image}.svg`, alt })
  const PICTURED = product(1, 'Wooden cow', 100, {
    image: '/images/front.svg',
    images: [picture('front', 'From the front'), picture('back', 'From behind'), picture('hoof', 'A hoof')],
  })

  it('can be reordered, added and removed before saving, and the form keeps what was typed', async () => {
    const { save, readFields, post, publish, readPublished } = await openCatalogueOffice([PICTURED])
    const before = await readFields(1)
    const typed = { ...before, price: '120', 'units-own': '7', 'image-other': '/images/side.svg' }
    const { status, text } = await post('/catalogue/products/1', { ...typed, arrange: 'first-2' })
    expect([status, text.includes('Not saved yet.')]).toEqual([200, true])
    const shown = text.match(/value="\/images\/\w+\.svg"/g)
    expect(shown).toEqual(['hoof', 'front', 'back', 'side'].map((name) => `value="/images/${name}.svg"`))
    expect(text).toMatch(/name="units-own"[^>]*value="7"/)
    expect(text).toMatch(/name="price"[^>]*value="120"/)
    expect(await readFields(1)).toEqual(before)
    const removed = await post('/catalogue/products/1', { ...typed, arrange: 'remove-1' })
    expect(removed.text).not.toContain('back.svg')

    await save(1, { 'image-0': '/images/hoof.svg', 'alt-0': 'A hoof', 'image-2': '', 'alt-2': '' })
    await publish()
    expect(await readPublished()).toEqual([
      {
        ...PICTURED,
        image: '/images/hoof.svg',
        images: [picture('hoof', 'A hoof'), picture('back', 'From behind')],
      },
    ])
  })

  it('require a description in the form when there are several', async () => {
    const { get } = await openCatalogueOffice([PICTURED, product(2, 'Rattle')])
    const countRequiredFields = async (id: number) => {
      const { text } = await get(`/catalogue/products/${id}`)
      return (text.match(/<input[^>]*name="alt-\d"[^>]*>/g) ?? []).filter((tag) => tag.includes('required'))
        .length
    }
    expect([await countRequiredFields(1), await countRequiredFields(2)]).toEqual([3, 0])
  })

  it('are not preloaded on the product’s form', async () => {
    const { get } = await openCatalogueOffice([PICTURED])
    const { text } = await get('/catalogue/products/1')
    expect(text).toContain('placeholder-image.jpg')
    expect(text).not.toMatch(/<link[^>]*as="image"/)
  })

  it('must differ and have descriptions before they can be published', async () => {
    const { save, get } = await openCatalogueOffice([PICTURED, product(2, 'Rattle'), product(3, 'Kite')])
    await save(1, { 'alt-1': '' })
    await save(2, { 'image-other': '/images/rattle-2.svg', 'alt-other': 'In a hand' })
    await save(3, { 'alt-0': 'In the sky', 'image-other': '/images/products/3.svg', 'alt-other': 'Again' })
    const { text } = await get('/catalogue/publish')
    expect(text).toContain('Wooden cow</a>: Photo 2 description is missing')
    expect(text).toContain('Rattle</a>: Photo 1 description is missing')
    expect(text).toContain('Kite</a>: Photos must all be different')
  })

  it('all appear on the product page with their descriptions, and only the first elsewhere', async () => {
    const source = await createFixedCatalogue(JSON.stringify([PICTURED, product(2, 'Rattle')]))
    const app = createApp(testContext({ catalogue: source, publishedCatalogue: source }))
    const page = async (path: string, headers = {}) =>
      (await app.request(`https://pamba.test${path}`, { headers })).text()
    const shown = (html: string) =>
      (html.match(/<img[^>]*>/g) ?? []).flatMap((tag) => /alt="([^"]*)"/.exec(tag)?.[1] ?? [])
    const own = await page('/product/1')
    expect(shown(own).slice(0, 3)).toEqual(['From the front', 'From behind', 'A hoof'])
    expect(own).toMatch(/aria-label="Pictures"[^>]*tabindex="0"/i)
    expect(await page('/product/2')).not.toMatch(/aria-label="Pictures"[^>]*tabindex/i)
    for (const path of ['/products', '/product/2', '/feed.xml'])
      expect(await page(path), path).not.toContain('back.svg')
    expect(await page('/products')).toContain('front.svg')
  })
})

it('every form of the catalogue escapes hostile texts and stays usable', async () => {
  const { get, post, readFields } = await openCatalogueOffice()
  const fields = await readFields(2)
  const forms: [path: string, good: Record<string, string>, names?: string[]][] = [
    [
      '/catalogue/products/2',
      fields,
      ['title', 'description', 'category', 'price', 'rate', 'image-0', 'alt-0'],
    ],
    ['/catalogue/products/2', fields, ['scale', 'label-2', 'price-2', 'saleStartsAt', 'redirectTo', 'seen']],
    ['/catalogue/bulk', { scope: 'all', matching: '3', edit: 'percent', amount: '5', category: '' }],
    ['/catalogue/categories', { name: 'Maternity', to: 'add' }],
    ['/catalogue/state', { id: '1', to: 'hidden' }],
    ['/catalogue/publish', { base: '0', revision: '1' }],
    ['/catalogue/restore', { number: '1' }],
  ]
  const markup = /<script>|<img src=x|<svg onload|href="(javascript|data):/
  for (const [path, good, names = Object.keys(good)] of forms)
    for (const name of names)
      for (const text of takeNextShare(HOSTILE_TEXTS, 20)) {
        const answer = await post(path, { ...good, [name]: text })
        expect([303, 400, 404, 409, 413], `${path} ${name} ${text.slice(0, 30)}`).toContain(answer.status)
        expect(answer.text).not.toMatch(markup)
      }
  for (const path of ['/catalogue', '/catalogue/products/2', '/catalogue/publish', '/catalogue/categories']) {
    const { status, text } = await get(path)
    expect([path, status]).toEqual([path, 200])
    expect(text).not.toMatch(markup)
  }
})

it('a rejected save keeps the stock that was typed', async () => {
  const { save, ctx } = await openCatalogueOffice()
  const refused = await save(2, { 'units-7': '4', 'label-new3': 'L', 'units-new3': '9', price: 'much' })
  expect(refused.status).toBe(409)
  expect(refused.text).toMatch(/name="units-7"[^>]*value="4"/)
  expect(refused.text).toMatch(/name="units-new0"[^>]*value="9"/)
  expect(await ctx.db.select().from(stock)).toEqual([])
})

it('an outdated save is still rejected after a validation error', async () => {
  const { save, readFields, post } = await openCatalogueOffice()
  const opened = await readFields(1)
  await save(1, { price: '120' })
  const refused = await post('/catalogue/products/1', { ...opened, title: '' })
  const seen = /name="seen" value="(\d+)"/.exec(refused.text)?.[1] ?? ''
  const again = await post('/catalogue/products/1', { ...opened, seen })
  expect([again.status, again.text.includes('This has changed since you opened it.')]).toEqual([409, true])
})

describe('two concurrent publishers', () => {
  it('create one version and one error', async () => {
    const { get, post, save, ctx, entries } = await openCatalogueOffice()
    await save(1, { price: '120' })
    const { base, revision } = await readPublishForm(get)
    const answers = await Promise.all([1, 2].map(() => post('/catalogue/publish', { base, revision })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409])
    expect(answers.find(({ status }) => status === 409)?.text).toContain('published version 2')
    expect(await ctx.db.select().from(catalogueVersions)).toHaveLength(2)
    expect(JSON.parse(entries.get(POINTER_KEY) ?? '')).toMatchObject({ number: 2 })
  })

  it('never lose a third person’s save: they get errors instead', async () => {
    const { get, save, publish, readPublished, ctx } = await openCatalogueOffice()
    await save(1, { price: '120' })
    const shown = await readPublishForm(get)
    const fields = { base: shown.base, revision: shown.revision }
    const publishers = await Promise.all(
      ['achieng', 'barasa'].map((n) => createOfficeClient(ctx, `${n}@pamba.test`)),
    )
    const [saved, ...answers] = await Promise.all([
      save(2, { title: 'Kikoi dress, long' }),
      ...publishers.map(({ post }) => post('/catalogue/publish', fields)),
    ])
    expect(saved?.status).toBe(303)
    const refused = answers.filter(({ status }) => status !== 303)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, text } of refused) {
      expect(status).toBe(409)
      expect(text).toMatch(/@pamba.test published version 2|The draft changed/)
    }
    expect((await publish()).status).toBe(303)
    const items = await readPublished()
    expect([items[0]?.price, items[1]?.title]).toEqual([120, 'Kikoi dress, long'])
  })
})

it('a publisher can’t publish changes they haven’t reviewed', async () => {
  const { get, post, save, ctx } = await openCatalogueOffice()
  await save(1, { price: '120' })
  const { base, revision } = await readPublishForm(get)
  await save(1, { price: '130' })
  const late = await post('/catalogue/publish', { base, revision })
  expect([late.status, late.text.includes('The draft changed')]).toEqual([409, true])
  expect(await readLatestVersion(ctx)).toBeUndefined()
})

describe('a rollback', () => {
  it('publishes an earlier version, which the draft follows', async () => {
    const { save, publish, post, readPublished, get } = await openCatalogueOffice()
    for (const price of ['120', '130']) {
      await save(1, { price })
      await publish()
    }
    expect((await get('/catalogue/publish')).text).toContain('Roll back to version 2')
    const { location } = await post('/catalogue/restore', { number: '2' })
    expect((await readPublished())[0]?.price).toBe(120)
    const { text } = await get(location ?? '')
    expect(text).toContain('rolled back to version 2')
    expect(text).toContain('Rolled back to version 2. Customers will see the changes within a minute.</div>')
    expect(text).toContain('No changes to publish.')
    await save(2, { title: 'Kikoi dress, long' })
    const again = await post('/catalogue/restore', { number: '3' })
    expect((await get(again.location ?? '')).text).toContain('The draft keeps its own changes')
  })

  it('can publish the catalogue as deployed', async () => {
    const { save, publish, post, readPublished, get } = await openCatalogueOffice()
    await save(1, { price: '120' })
    await publish()
    expect((await get('/catalogue/publish')).text).toContain(
      'deployment: the catalogue as deployed. 3 products.',
    )
    await post('/catalogue/restore', { number: '1' })
    expect(await readPublished()).toEqual(CATALOGUE_ITEMS)
    expect((await get('/catalogue/publish')).text).toContain('No changes to publish.')
  })

  it('keeps unpublished changes until they are discarded', async () => {
    const { save, publish, discard, post, get } = await openCatalogueOffice()
    await save(1, { price: '120' })
    await publish()
    await save(1, { price: '130' })
    await publish()
    await save(3, { title: 'Silver rattle' })
    await post('/catalogue/restore', { number: '2' })
    const { text } = await get('/catalogue/publish')
    expect(text).toContain('KSH 120 → <strong>KSH 130</strong>')
    expect(text).toContain('Silver rattle: name')
    await discard()
    expect((await get('/catalogue/publish')).text).toContain('No changes to publish.')
    expect((await post('/catalogue/restore', { number: '99' })).text).toContain('We can’t find version 99.')
  })

  it('asks before it discards changes, and names them', async () => {
    const { save, get } = await openCatalogueOffice()
    expect((await get('/catalogue/discard')).status).toBe(404)
    await save(1, { price: '120' })
    await save(3, { title: 'Silver rattle' })
    const { text } = await get('/catalogue/publish')
    expect(text).toContain('href="/catalogue/discard"')
    expect(text).not.toContain('action="/catalogue/discard"')
    const confirmation = (await get('/catalogue/discard')).text
    expect(confirmation).toContain('Discard all unpublished changes?')
    expect(confirmation).toContain('including your changes to Wooden cow and Silver rattle.')
    expect(confirmation).toContain('This can’t be undone.')
    expect(confirmation).toMatch(/action="\/catalogue\/discard" method="post"/)
    expect((await get('/catalogue/publish')).text).toContain('Silver rattle: name')
  })

  it('keeps unpublished changes if someone adds one before or while they are discarded', async () => {
    const { ctx, save, post, get } = await openCatalogueOffice()
    await save(1, { price: '120' })
    const outdated = await readPublishForm(get)
    await save(1, { price: '130' })
    const refused = await post('/catalogue/discard', { revision: outdated.revision })
    expect([refused.status, refused.text.includes('The draft changed')]).toEqual([409, true])
    const { revision } = await readPublishForm(get)
    const { fetch } = ctx.shop
    ctx.shop.fetch = async (request: Request) => {
      ctx.shop.fetch = fetch
      await save(3, { title: 'Silver rattle' })
      return fetch(request)
    }
    const { status, text } = await post('/catalogue/discard', { revision })
    expect([status, text.includes('The draft changed')]).toEqual([409, true])
    const { text: changes } = await get('/catalogue/publish')
    expect(changes).toContain('KSH 100 → <strong>KSH 130</strong>')
    expect(changes).toContain('Silver rattle: name')
  })
})

describe('Items.json', () => {
  it('holds the draft when downloaded, and hides the products it lacks when imported', async () => {
    const office = await openCatalogueOffice()
    const { get, ctx, readPublished, publish } = office
    const given = await get('/catalogue/Items.json')
    expect(JSON.parse(given.text)).toEqual(CATALOGUE_ITEMS)
    expect(given.headers.get('Content-Disposition')).toContain('Items.json')

    const send = (text: string) => office.uploadFile('/catalogue/import', 'Items.json', text)
    expect((await send('[{"id":1}]')).text).toContain(
      'Nothing was imported. Product 1: Description is missing.',
    )
    expect((await send('not json')).text).toContain('The file must be a list of products.')
    const { sizes: _, scale: __, ...dress } = SIZED_PRODUCT as CatalogueEntry
    expect((await send(JSON.stringify([dress, product(20, 'Kite')]))).location).toBe(
      '/catalogue?done=imported',
    )
    await publish()
    expect((await readPublished()).map(({ id, title }) => [id, title])).toEqual([
      [2, 'Kikoi dress'],
      [20, 'Kite'],
    ])
    const draft = await readDraft(ctx)
    expect(draft.entries.filter(({ isHidden }) => isHidden).map(({ product: { id } }) => id)).toEqual([1, 3])
    expect(draft.nextItemId).toBe(21)
  })
})

describe('an imported file', () => {
  const MAX_ID = 1_000_000_000
  const problemOf = async (entry: object) => {
    const { uploadFile, ctx } = await openCatalogueOffice()
    const { text } = await uploadFile('/catalogue/import', 'Items.json', JSON.stringify([entry]))
    return { problem: /Nothing was imported\. ([^<]*)/.exec(text)?.[1], ctx, text }
  }

  it.each([
    ['an id that is too high', { id: 9_007_199_254_740_991 }, 'ID must be at most 1,000,000,000'],
    ['an id just above the limit', { id: MAX_ID + 1 }, 'ID must be at most 1,000,000,000'],
    ['a long name', { title: 'x'.repeat(201) }, 'Name must be at most 200 characters'],
    ['a long description', { description: 'x'.repeat(5001) }, 'Description must be at most 5,000 characters'],
    ['a long category', { category: 'x'.repeat(61) }, 'Category must be at most 60 characters'],
    ['a long address', { image: `/${'x'.repeat(500)}` }, 'Photo 1 link must be at most 500 characters'],
    ['half a character', { title: 'Cow \ud83d' }, 'Name contains a character that can’t be stored'],
    ['an address of another site', { image: '/\\evil.example/x.png' }, 'Main photo must be a path'],
    ['an address that can’t be read', { image: 'https://[' }, 'Main photo isn’t a valid web address'],
  ])('is rejected, with a reason, if it has %s', async (_, change, problem) => {
    const answer = await problemOf({ ...product(1, 'Wooden cow'), ...change })
    expect(answer.problem).toContain(`Product 1: ${problem}`)
  })

  it('leaves ids for new products even if it uses the highest one', async () => {
    const { uploadFile, save, ctx, publish, readPublished, get } = await openCatalogueOffice()
    const items = [product(MAX_ID, 'Last'), product(4, 'Cup')]
    expect((await uploadFile('/catalogue/import', 'Items.json', JSON.stringify(items))).status).toBe(303)
    await save('new', {
      title: 'Kite',
      description: 'Red.',
      price: '5',
      category: 'Toys',
      'image-other': '/a.svg',
    })
    expect((await get('/catalogue')).status).toBe(200)
    await publish()
    expect((await readPublished()).map(({ id, title }) => [id, title])).toEqual([
      [8, 'Kite'],
      [MAX_ID, 'Last'],
      [4, 'Cup'],
    ])
    expect((await readDraft(ctx)).nextItemId).toBe(9)
  })

  it('replaces an unreadable product in the draft, as does discarding the draft', async () => {
    const { ctx, get, save, discard, uploadFile } = await openCatalogueOffice()
    const storeInvalidProduct = async () => {
      const broken = JSON.stringify({ ...product(1, 'Cow'), id: 2 ** 53 })
      const row = { id: 2 ** 53, position: 9, isHidden: false, revision: 1, product: broken }
      await ctx.db.insert(draftProducts).values(row)
      await ctx.db.update(catalogueDraft).set({ nextItemId: 2 ** 53 + 2 })
    }
    await save(1, { price: '120' })
    await storeInvalidProduct()
    for (const path of ['/catalogue', '/catalogue/products/new', '/catalogue/preview'])
      expect((await get(path)).status, path).toBeLessThan(400)
    const { status, text } = await get('/catalogue/publish')
    expect([status, text.includes('Product 9007199254740992: We can’t read this product.')]).toEqual([
      200,
      true,
    ])
    expect(text).not.toContain('Publish changes</button>')
    await discard()
    expect((await get('/catalogue/publish')).text).toContain('No changes to publish.')
    await storeInvalidProduct()
    expect(
      (await uploadFile('/catalogue/import', 'Items.json', JSON.stringify(CATALOGUE_ITEMS))).status,
    ).toBe(303)
    expect((await readDraft(ctx)).nextItemId).toBe(8)
    expect((await get('/catalogue/publish')).text).toContain('No changes to publish.')
  })
})

it('a new product has no rating unless one is entered', async () => {
  const { save, publish, readPublished, readFields } = await openCatalogueOffice()
  expect((await readFields('new')).rate).toBe('')
  await save('new', {
    title: 'Kite',
    description: 'Red.',
    price: '500',
    category: 'Toys',
    'image-other': '/kite.svg',
  })
  await publish()
  const [kite, cow] = await readPublished()
  expect([kite?.rating, cow?.rating]).toEqual([undefined, { rate: 4 }])
  const source = await createFixedCatalogue(JSON.stringify([kite, cow]))
  const app = createApp(testContext({ catalogue: source, publishedCatalogue: source }))
  const page = async (id = 0) => (await app.request(`https://pamba.test/product/${id}`)).text()
  for (const [id, has] of [
    [kite?.id, false],
    [cow?.id, true],
  ] as const) {
    expect((await page(id)).includes('rated by our team'), String(id)).toBe(has)
    expect((await page(id)).includes('"name":"Rating"'), String(id)).toBe(has)
  }
})

describe('the preview', () => {
  it('shows the shop with the draft, only in the office', async () => {
    const { save, get, ctx } = await openCatalogueOffice()
    await save(1, { title: 'Cow of the draft', price: '4321' })
    const preview = await get('/catalogue/preview')
    expect(preview.status).toBe(200)
    expect(preview.text).toContain('KSH 4321')
    expect(preview.text).toContain('Draft preview.')
    expect(preview.text).toContain('href="/catalogue/preview/product/1"')
    expect(preview.text).not.toContain('<script')
    expect(preview.headers.get('Cache-Control')).toBe('no-store')
    expect((await get('/catalogue/preview/product/1')).text).toContain('Cow of the draft')
    expect((await get('/catalogue/preview/')).status).toBe(200)
    for (const path of [
      '/catalogue/preview/checkout',
      '/catalogue/preview/api/health',
      '/catalogue/preview/dashboard',
    ])
      expect((await get(path)).status, path).toBe(404)

    const { createOffice } = await import('#office/app.tsx')
    expect((await createOffice(ctx).request(`${OFFICE_ORIGIN}/catalogue/preview`)).status).toBe(403)
  })

  it('redirects to the list of problems when the draft is incomplete', async () => {
    const { save, get } = await openCatalogueOffice()
    await save('new', { title: 'Half a dress' })
    expect((await get('/catalogue/preview')).location).toBe('/catalogue/publish')
  })
})

it('the product form previews texts as the shop shortens them', async () => {
  const { save, get } = await openCatalogueOffice()
  await save(1, { title: 'A wooden cow with a very long name' })
  const { text } = await get('/catalogue/products/1')
  expect(text).toContain('data-cut="12">A wooden cow…<')
  expect(text).toContain('data-cut="15">A wooden cow wi…<')
})

describe('a photo', () => {
  const NOT_A_PHOTO = 'isn’t a photo we can use'
  const bytes = (...parts: (number | string)[]) =>
    new Uint8Array(
      parts.flatMap((part) => (typeof part === 'string' ? [...part].map((c) => c.charCodeAt(0)) : [part])),
    )
  const toUint16Bytes = (value: number) => [value >> 8, value & 255]
  const jpeg = (width: number, height = width, ...segments: (number | string)[]) =>
    bytes(
      0xff,
      0xd8,
      ...segments,
      0xff,
      0xc0,
      0,
      11,
      8,
      ...toUint16Bytes(height),
      ...toUint16Bytes(width),
      1,
      1,
      0x11,
      0,
      ...SCAN,
      0xff,
      0xd9,
    )
  const SCAN = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 0xff, 0, 2, 0xff, 0xd0, 3]
  const EXIF = [0xff, 0xe1, 0, 8, 'Exif', 0, 0]
  const frame = (side: number) => [
    0xff,
    0xc0,
    0,
    11,
    8,
    ...toUint16Bytes(side),
    ...toUint16Bytes(side),
    1,
    1,
    0x11,
    0,
  ]
  const beforeEnd = (file: Uint8Array, ...parts: (number | string)[]) =>
    bytes(...file.slice(0, -2), ...parts, 0xff, 0xd9)
  const withChunk = (file: Uint8Array, name: string, payload: number[]) => {
    const longer = bytes(...file, name, payload.length, 0, 0, 0, ...payload)
    longer[4] = longer.length - 8
    return longer
  }
  const extended = (width: number, flags: number) => {
    const image = webp(width).slice(12)
    const canvas = [width - 1, width - 1].flatMap((side) => [side & 255, side >> 8, 0])
    const file = bytes('RIFF', 0, 0, 0, 0, 'WEBPVP8X', 10, 0, 0, 0, flags, 0, 0, 0, ...canvas, ...image)
    file[4] = file.length - 8
    return file
  }
  const webp = (width: number, height = width) =>
    bytes(
      'RIFF',
      22,
      0,
      0,
      0,
      'WEBPVP8 ',
      10,
      0,
      0,
      0,
      0,
      0,
      0,
      0x9d,
      1,
      0x2a,
      ...toUint16Bytes(width).reverse(),
      ...toUint16Bytes(height).reverse(),
    )
  const photo = { '320': webp(320), '640': webp(640), '1280': webp(1280), '640.jpg': jpeg(640) }

  async function send(files: Record<string, Uint8Array<ArrayBuffer>>) {
    const { ctx } = await openCatalogueOffice()
    const body = new FormData()
    body.set('colour', 'a64')
    for (const [name, content] of Object.entries(files)) body.set(name, new File([content], `${name}.jpg`))
    const { post } = await createOfficeClient(ctx, 'achieng@pamba.test', body)
    return post('/catalogue/photos', {})
  }

  it('is stored under its hash and cached forever', async () => {
    const sent = await send(photo)
    expect(sent.status).toBe(201)
    const { image } = JSON.parse(sent.text) as { image: string }
    expect(image).toMatch(/^\/photos\/[\w-]{8}a64\/640\.jpg$/)
    expect(JSON.parse((await send(photo)).text)).toEqual({ image })
    expect(JSON.parse((await send({ ...photo, '320': webp(319) })).text).image).not.toBe(image)

    const app = createApp(testContext())
    const file = await app.request(`https://pamba.test${image.replace('640.jpg', '1280')}`)
    expect(file.headers.get('Content-Type')).toBe('image/webp')
    expect(file.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    expect(file.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(await file.bytes()).toEqual(photo['1280'])
    expect((await app.request(`https://pamba.test${image}`)).headers.get('Content-Type')).toBe('image/jpeg')
    for (const path of ['/photos/aaaaaaaa/640.jpg', '/photos/../640', image.replace('640', '9999')])
      expect((await app.request(`https://pamba.test${path}`)).status, path).toBe(404)
  })

  it.each<[string, Record<string, Uint8Array<ArrayBuffer>>, string]>([
    ['a script', { '640.jpg': bytes('<svg onload="alert(1)"/>') }, NOT_A_PHOTO],
    ['a page with the name of a photo', { '1280': bytes('<!doctype html><script>') }, NOT_A_PHOTO],
    ['an empty file', { '320': bytes() }, NOT_A_PHOTO],
    ['cut short', { '640.jpg': jpeg(640).slice(0, 9) }, NOT_A_PHOTO],
    ['a photo with something behind it', { '640': bytes(...webp(640), '<script>') }, NOT_A_PHOTO],
    ['WebP where JPEG is promised', { '640.jpg': webp(640) }, NOT_A_PHOTO],
    ['wider than it says', { '320': webp(4000) }, 'too large'],
    ['a thin strip', { '1280': webp(1280, 16_000) }, 'too large'],
    ['given a second, larger frame', { '640.jpg': beforeEnd(jpeg(640), ...frame(65_535)) }, NOT_A_PHOTO],
    ['followed by another image', { '640.jpg': bytes(...jpeg(640), ...jpeg(640)) }, NOT_A_PHOTO],
    ['a header without an image', { '640.jpg': bytes(0xff, 0xd8, ...frame(640), 0xff, 0xd9) }, NOT_A_PHOTO],
    ['WebP with two images', { '320': withChunk(webp(320), 'VP8 ', [...webp(9).slice(20)]) }, NOT_A_PHOTO],
    ['WebP whose canvas has another size', { '320': extended(320, 0).with(24, 9) }, NOT_A_PHOTO],
    ['WebP with an unknown chunk', { '320': withChunk(webp(320), 'EVIL', [1, 2]) }, NOT_A_PHOTO],
    ['an animation', { '320': extended(320, 0x02) }, NOT_A_PHOTO],
    ['AVIF', { '320': bytes(0, 0, 0, 28, 'ftypavif', 0, 0, 0, 0, 'avifmif1miaf') }, NOT_A_PHOTO],
    ['PNG', { '320': bytes(0x89, 'PNG', 13, 10, 26, 10) }, NOT_A_PHOTO],
  ])('is rejected with a message when it is %s', async (_, files, sentence) => {
    const sent = await send({ ...photo, ...files })
    expect([sent.status, JSON.parse(sent.text).message]).toEqual([422, expect.stringContaining(sentence)])
  })

  it.each<[string, string, Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]>([
    ['EXIF before the frame', '640.jpg', jpeg(640, 640, ...EXIF), jpeg(640)],
    [
      'EXIF after the frame header',
      '640.jpg',
      bytes(...jpeg(640).slice(0, 15), ...EXIF, ...jpeg(640).slice(15)),
      jpeg(640),
    ],
    ['EXIF after the scan', '640.jpg', beforeEnd(jpeg(640), ...EXIF), jpeg(640)],
    ['a comment', '640.jpg', jpeg(640, 640, 0xff, 0xfe, 0, 6, 'home'), jpeg(640)],
    ['a preview', '640.jpg', jpeg(640, 640, 0xff, 0xe2, 0, 6, 'MPF', 0), jpeg(640)],
    ['EXIF in a simple WebP file', '320', withChunk(webp(320), 'EXIF', [1, 2]), webp(320)],
    [
      'EXIF in an extended WebP file',
      '320',
      withChunk(extended(320, 0x08), 'EXIF', [1, 2]),
      extended(320, 0),
    ],
    ['XMP', '320', withChunk(extended(320, 0x04), 'XMP ', [1, 2]), extended(320, 0)],
  ])('is stored without its metadata: %s', async (_, name, sent, stored) => {
    const answer = await send({ ...photo, [name]: sent })
    const { image } = JSON.parse(answer.text) as { image: string }
    const path = image.replace('640.jpg', name)
    const file = await createApp(testContext()).request(`https://pamba.test${path}`)
    expect(await file.bytes()).toEqual(stored)
  })

  it('leaves an audit entry when it is uploaded', async () => {
    const { image } = JSON.parse((await send({ ...photo, '320': webp(311) })).text) as { image: string }
    const entries = await testContext().db.select().from(auditLog).where(eq(auditLog.subject, image))
    expect(entries).toMatchObject([{ actor: 'achieng@pamba.test', action: 'catalogue.photo' }])
  })

  it('has responsive widths, of which Save-Data gets the smallest', async () => {
    const image = '/photos/abcdefgha64/640.jpg'
    const source = await createFixedCatalogue(
      JSON.stringify([{ ...product(1, 'Wooden cow'), image }, product(3, 'Rattle')]),
    )
    const app = createApp(testContext({ catalogue: source, publishedCatalogue: source }))
    const page = async (path: string, headers = {}) =>
      (await app.request(`https://pamba.test${path}`, { headers })).text()
    const widths = '/photos/abcdefgha64/320 320w,/photos/abcdefgha64/640 640w'
    for (const [path, shown] of [
      ['/products', widths],
      ['/product/1', `${widths},/photos/abcdefgha64/1280 1280w`],
    ] as const) {
      expect((await page(path)).split(`srcSet="${shown}"`)).toHaveLength(2)
      const saved = await page(path, { 'Save-Data': 'on' })
      expect(await page(path)).toContain('data-bg="#a64"')
      expect(saved).toContain('src="/photos/abcdefgha64/320"')
      expect(saved).not.toContain('320w')
    }
    expect(await page('/product/1')).toContain(`og:image" content="https://pamba.test${image}"`)
    expect(await page('/feed.xml')).toContain(`<g:image_link>https://pamba.test${image}</g:image_link>`)
  })
})
