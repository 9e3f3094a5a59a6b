import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { testContext } from '#test/support/context.ts'

const LIGHT = { 'Save-Data': 'on' }

describe('a visitor who saves data', () => {
  it('gets a page that is marked so, and nobody else does, whichever was cached first', async () => {
    const app = createApp(testContext())
    const ask = async (headers: Record<string, string>) =>
      (await app.request('https://pamba.test/products', { headers })).text()
    for (const headers of [{}, LIGHT, {}, LIGHT]) {
      const html = await ask(headers)
      expect(html.includes('class="saves-data"')).toBe(headers === LIGHT)
      expect(html.includes('"savesData":true')).toBe(headers === LIGHT)
    }
  })

  it('gets each picture in one small width on every page', async () => {
    const ctx = testContext()
    const app = createApp(ctx)
    for (const page of ['/products', '/product/1', '/products?q=kikoi', '/about', '/']) {
      const pictures = async (headers: Record<string, string>) => {
        const html = await (await app.request(`https://pamba.test${page}`, { headers })).text()
        return Array.from(html.matchAll(/srcSet="([^"]+)"/g), ([, files = '']) => files)
      }
      const full = await pictures({})
      expect(full.length, page).toBeGreaterThan(0)
      const folderOf = (files: string) => files.slice(0, files.indexOf('/', 3))
      const light = await pictures(LIGHT)
      expect(light.map(folderOf), page).toEqual(full.map(folderOf))
      for (const file of light) expect(file, page).toMatch(/^\/p\/\w+\/(200|320)\.avif$/)
    }
  })

  it('is told apart by every cache on the way', async () => {
    const response = await createApp(testContext()).request('https://pamba.test/about')
    expect(response.headers.get('Vary')).toMatch(/\bSave-Data\b/)
  })
})
