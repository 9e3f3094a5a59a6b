import { describe, expect, it, vi } from 'vitest'
import { createApp } from '#server/app.ts'
import * as loaders from '#server/pages/loaders.ts'
import { catalogueFrom, NOW_MS, testDeps } from '#test/support/deps.ts'
import items from '../../public/Items.json'

const HOUR_MS = 3_600_000

/** An app whose renders of the Shop are counted. */
function countedApp(overrides: Parameters<typeof testDeps>[0] = {}) {
  const renders = vi.spyOn(loaders.pageLoaders, 'shop')
  renders.mockClear()
  const app = createApp(testDeps(overrides))
  return { renders, get: async (path: string) => (await app.request(`https://pamba.test${path}`)).text() }
}

describe('pages that are the same for everyone', () => {
  it('renders a page once and keeps it, whatever the query string', async () => {
    const { renders, get } = countedApp()
    for (const path of ['/products', '/products?utm=1', '/products?category=nonsense', '/products?a=b&c=d']) {
      expect(await get(path)).toContain('Buy Now')
    }
    expect(renders).toHaveBeenCalledTimes(1)
  })

  it('keeps one page for each category', async () => {
    const { renders, get } = countedApp()
    expect(await get('/products?category=Toys')).not.toEqual(await get('/products?category=Feeding'))
    await get('/products?category=toys')
    expect(renders).toHaveBeenCalledTimes(2)
  })

  it("gives each request its own time, and the greeting of the visitor's own hour", async () => {
    let nowMs = NOW_MS
    const { get } = countedApp({ clock: () => nowMs })
    expect(await get('/')).toContain(`"nowMs":${NOW_MS}`)
    nowMs += 1000
    expect(await get('/')).toContain(`"nowMs":${nowMs}`)
    nowMs += 12 * HOUR_MS
    expect(await get('/products')).toContain('Good evening')
  })

  it('keeps nothing that is not whole', async () => {
    let isBroken = true
    const catalogue = catalogueFrom(() =>
      isBroken ? new Response('', { status: 500 }) : Response.json(items),
    )
    const { get } = countedApp({ catalogue })
    expect(await get('/products')).not.toContain('Buy Now')
    isBroken = false
    expect(await get('/products')).toContain('Buy Now')
  })

  it('has no inline script that needs a nonce', async () => {
    const { get } = countedApp()
    expect(await get('/products')).not.toMatch(/<script(?! type="(module|application\/))/)
  })
})
