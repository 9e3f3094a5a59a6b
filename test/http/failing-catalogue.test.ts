import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { routes } from '#shared/routes.ts'
import { type Account, createAccount } from '#test/support/account.ts'
import { createUnpublishedCatalogue, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import { get, postJson } from '#test/support/posting.ts'

async function listPages(person: Account): Promise<string[]> {
  const { number } = (await postOrder(testContext(), person, orderRequest())).body.order
  return Object.values(routes).map(({ path }) =>
    path.replace(':id', '1').replace(':lines', '1:1').replace(':number', number),
  )
}

const product = { description: 'A toy.', price: 10, image: '/a.svg', category: 'Toys', rating: { rate: 4 } }
const large = Array.from({ length: 5000 }, (_, index) => ({
  ...product,
  id: index + 1,
  title: `Toy ${index + 1}`,
}))

describe('a shop', () => {
  it.each<[string, () => Response | Promise<Response>]>([
    ['is missing', () => new Response('Not found', { status: 404 })],
    ['cannot be reached', () => Promise.reject(new Error('Assets are unavailable.'))],
    ['is an error page', () => new Response('<html>', { status: 500 })],
    ['is truncated', () => new Response('[{"id":1,"ti')],
    ['is not a list', () => Response.json({ products: [] })],
    ['has an invalid product', () => Response.json([{ ...product, id: 1 }])],
    ['has a duplicate id', () => Response.json([1, 2].map(() => ({ ...product, id: 1, title: 'Toy' })))],
  ])(
    'whose catalogue %s serves every page, logs the failure and responds to orders with 503',
    async (_, respond) => {
      const ctx = testContext({ catalogue: createUnpublishedCatalogue(respond) })
      const shopper = await createAccount(ctx)
      for (const page of await listPages(shopper)) {
        const response = await get(ctx, page, shopper.cookie)
        expect(response.status, page).toBe(200)
        expect(await response.text(), page).toMatch(/<\/html>$/)
      }
      expect(ctx.lines.some(({ failures }) => failures?.length)).toBe(true)
      await expectStatus(await get(ctx, '/sitemap.xml'), 503)
      expect(
        (await postJson(ctx, '/api/promotions/check', { code: 'X', lines: [{ id: 1, qty: 1 }] })).status,
      ).toBe(503)
      await expectStatus(await postOrder(ctx, shopper, orderRequest()), 503)
    },
  )

  it('with an empty catalogue serves its pages without products and refuses orders', async () => {
    const ctx = testContext({ catalogue: createUnpublishedCatalogue(() => Response.json([])) })
    const shopper = await createAccount(ctx)
    for (const page of (await listPages(shopper)).filter((path) => path !== '/product/1'))
      expect((await get(ctx, page, shopper.cookie)).status, page).toBe(200)
    await expectStatus(await get(ctx, '/product/1'), 404)
    expect(await (await get(ctx, '/products')).text()).not.toContain('Buy Now')
    await expectStatus(await postOrder(ctx, shopper, orderRequest()), 422)
  })

  it('with 5,000 products serves small pages and sells the last product', async () => {
    const ctx = testContext({ catalogue: createUnpublishedCatalogue(() => Response.json(large)) })
    const shopper = await createAccount(ctx)
    expect((await (await get(ctx, '/products')).text()).length).toBeLessThan(60_000)
    expect(await (await get(ctx, '/product/5000')).text()).toContain('Toy 5000')
    const order = { ...orderRequest([{ id: 5000, qty: 1 }]), expectedTotal: 42 }
    await expectStatus(await postOrder(ctx, shopper, order), 201)
  })
})

describe('a shop whose catalogue recovers', () => {
  it('shows its products on the next page', async () => {
    let isUnavailable = true
    const ctx = testContext({
      catalogue: createUnpublishedCatalogue(() =>
        isUnavailable ? new Response('', { status: 500 }) : Response.json(large),
      ),
    })
    const app = createApp(ctx)
    const fetchShopPage = async () => (await app.request('https://pamba.test/products')).text()
    expect(await fetchShopPage()).not.toContain('Buy Now')
    isUnavailable = false
    expect(await fetchShopPage()).toContain('Buy Now')
  })
})
