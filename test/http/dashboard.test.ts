import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'
import { createAccount } from '#test/support/account.ts'
import { createCatalogueSource, catalogue as products, testContext } from '#test/support/context.ts'

async function openDashboard(overrides: Partial<ServiceContext> = {}) {
  const ctx = testContext(overrides)
  const { user, cookie } = await createAccount(ctx)
  const response = await createApp(ctx).request('https://pamba.test/dashboard', { headers: cookie })
  return { status: response.status, html: await response.text(), user, ctx }
}

describe('the dashboard', () => {
  it('welcomes the user by email and features the first four products for children and women', async () => {
    const { status, html, user } = await openDashboard()
    expect(status, html).toBe(200)
    expect(html).toContain(`Welcome, <!-- -->${user.email.replace('@', '<wbr/>@')}</h1>`)
    const featured = products.filter(({ category }) => /children|women/i.test(category)).slice(0, 4)
    expect(featured).toHaveLength(4)
    for (const { id, price } of featured) {
      expect(html).toContain(`href="/product/${id}"`)
      expect(html).toContain(`KSH${price}`)
    }
    expect(html.match(/featured__card/g)).toHaveLength(4)
    for (const text of ['Featured Products', 'Shop Now', 'href="/products"', 'Your orders'])
      expect(html).toContain(text)
    const headings = [...html.matchAll(/<h2[^>]*>([^<]+)</g)].map(([, heading]) => heading)
    expect(headings).toEqual(['Your orders', 'Your account', 'Featured Products'])
  })

  it('features fewer than four products if there are no more', async () => {
    const [first] = products
    if (!first) throw new Error('The catalogue is empty.')
    const catalogue = createCatalogueSource([{ ...first, title: 'Only <one>', category: "WOMEN'S things" }])
    const { html } = await openDashboard({ catalogue })
    expect(html).toContain('Only &lt;one&gt;')
    expect(html.match(/featured__card/g)).toHaveLength(1)
  })

  it('says that there are no featured products when the catalogue is empty', async () => {
    const { html, user } = await openDashboard({ catalogue: createCatalogueSource([]) })
    expect(html).toContain('No featured products available.')
    expect(html).toContain(`Welcome, <!-- -->${user.email.replace('@', '<wbr/>@')}</h1>`)
  })

  it('welcomes the user as Guest, without featured products, when the catalogue fails to load, and logs the cause', async () => {
    const catalogue = {
      current: () => undefined,
      version: () => undefined,
      load: () => Promise.reject(new Error('no file')),
    }
    const { status, html, ctx } = await openDashboard({ catalogue })
    expect(status, html).toBe(200)
    expect(html).toContain('Welcome, <!-- -->Guest</h1>')
    expect(html).toContain('No featured products available.')
    expect(ctx.lines.flatMap(({ failures = [] }) => failures).join()).toContain('no file')
  })
})
