import { describe, expect, it } from 'vitest'
import { readDraft } from '#server/catalogue/draft.ts'
import { openCatalogueOffice, product } from '#test/support/catalogue-office.ts'

const SIZED_PRODUCT = product(2, 'Kikoi dress', 2000, {
  scale: 'clothing',
  sizes: [
    { id: 2, label: 'S' },
    { id: 7, label: 'M', price: 2150 },
  ],
})
const ITEMS = [product(1, 'Wooden cow', 1150), SIZED_PRODUCT, product(3, 'Rattle', 400)]

async function openBulkOffice(items: object[] = ITEMS) {
  const office = await openCatalogueOffice(items)
  return {
    ...office,
    change: (fields: Record<string, string>, filter = '') =>
      office.post(`/catalogue/bulk${filter}`, {
        scope: 'selected',
        matching: String(items.length),
        ...fields,
      }),
    readPrices: async () =>
      (await readDraft(office.ctx)).entries.map(({ product: { price, sizes } }) => [
        price,
        ...sizes.map((size) => size.price),
      ]),
  }
}

describe('several products', () => {
  it('get new prices by percentage in the draft, in whole shillings, and the difference is shown', async () => {
    const { change, get, readPrices, readPublished, publish, readAudit } = await openBulkOffice()
    const changed = await change({ 'id-1': 'on', 'id-2': 'on', edit: 'percent', amount: '5' })
    expect(changed.location).toBe('/catalogue?done=bulk&changed=2&unchangeable=0')
    expect((await get(changed.location ?? '')).text).toContain('2 products changed in the draft. Publish')
    expect(await readPrices()).toEqual([[1208], [2100, null, 2258], [400]])
    expect(await readPublished()).toEqual(ITEMS)
    const { text } = await get('/catalogue/publish')
    expect(text).toContain('Wooden cow: KSH 1,150 → <strong>KSH 1,208</strong>')
    expect(text).toContain('Kikoi dress, M: KSH 2,150 → <strong>KSH 2,258</strong>')
    await publish()
    expect((await readPublished()).map(({ price }) => price)).toEqual([1208, 2100, 400])
    expect(await readAudit()).toContainEqual(['catalogue.bulk', null, '2 products: price +5%'])
  })

  it('can be chosen by the filter, so that only matching ones change', async () => {
    const { change, readPrices, get } = await openBulkOffice()
    const { text } = await get('/catalogue?q=rattle')
    expect(text).toContain('The product that matches')
    expect(text).toContain('action="/catalogue/bulk?q=rattle"')
    const changed = await change(
      { scope: 'all', matching: '1', edit: 'amount', amount: '−50.50' },
      '?q=rattle',
    )
    expect(changed.location).toBe('/catalogue?q=rattle&done=bulk&changed=1&unchangeable=0')
    expect(await readPrices()).toEqual([[1150], [2000, null, 2150], [349.5]])
  })

  it('can be hidden, shown and moved to another category', async () => {
    const { change, publish, readPublished, ctx } = await openBulkOffice()
    await change({ 'id-1': 'on', 'id-3': 'on', edit: 'hide' })
    await change({ 'id-3': 'on', edit: 'category', category: 'Nursery' })
    await publish()
    expect((await readPublished()).map(({ id }) => id)).toEqual([2])
    await change({ scope: 'all', edit: 'show' })
    const { entries } = await readDraft(ctx)
    expect(entries.map(({ isHidden, product }) => [isHidden, product.category])).toEqual([
      [false, 'Toys'],
      [false, 'Toys'],
      [false, 'Nursery'],
    ])
  })

  it('get new prices except where these would be invalid, and the notice says how many stay the same', async () => {
    const onSale = product(4, 'Kite', 300, { compareAtPrice: 320 })
    const { change, get, readPrices } = await openBulkOffice([...ITEMS, onSale])
    const changed = await change({ scope: 'all', edit: 'percent', amount: '-10' })
    expect(await readPrices()).toEqual([[1035], [1800, null, 1935], [360], [320]])
    expect((await get(changed.location ?? '')).text).toContain(
      '3 products changed in the draft. 1 product stayed the same, because a price must be above 0 and above the sale price.',
    )
  })

  it.each<[string, Record<string, string>, string]>([
    ['nothing is selected', { edit: 'percent', amount: '5' }, 'Select products in the list'],
    ['the percentage is a word', { 'id-1': 'on', edit: 'percent', amount: 'five' }, 'Enter a percentage'],
    ['prices would fall to zero', { 'id-1': 'on', edit: 'percent', amount: '-100' }, 'Enter a percentage'],
    ['there is no amount', { 'id-1': 'on', edit: 'amount', amount: '' }, 'Enter an amount in KSH'],
    ['there is no category', { 'id-1': 'on', edit: 'category' }, 'Choose a category.'],
    ['the change is unknown', { 'id-1': 'on', edit: 'burn' }, 'Choose what to change.'],
    ['a product is gone', { 'id-1': 'on', 'id-99': 'on', edit: 'hide' }, 'different products match now'],
    [
      'the filter matches other products',
      { scope: 'all', matching: '9', edit: 'hide' },
      'different products match now',
    ],
  ])('stay the same if %s, and the form keeps what was entered', async (_, fields, problem) => {
    const { change, ctx } = await openBulkOffice()
    const { status, text } = await change(fields)
    expect([status, text.includes(problem)]).toEqual([409, true])
    expect((await readDraft(ctx)).revision).toBe(1)
    if (fields['id-1']) expect(text).toMatch(/name="id-1"[^>]*checked|checked[^>]*name="id-1"/)
    if (fields.amount) expect(text).toContain(`value="${fields.amount}"`)
  })

  it('change in one batch even if there are 5,000 with long descriptions', async () => {
    const items = Array.from({ length: 5000 }, (_, index) =>
      product(index + 1, `Product ${index + 1}`, 100, { description: '“Ⅷ”'.repeat(100) }),
    )
    const { change, ctx, get } = await openBulkOffice(items)
    const changed = await change({ scope: 'all', edit: 'percent', amount: '10' })
    expect(changed.location).toContain('changed=5000')
    const { entries, revision } = await readDraft(ctx)
    expect([revision, entries.filter(({ product }) => product.price === 110).length]).toEqual([2, 5000])
    expect((await get('/catalogue?page=84')).text).toContain('Product 5000')
  })
})
