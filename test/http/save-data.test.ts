import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { testContext } from '#test/support/context.ts'

const SAVE_DATA = { 'Save-Data': 'on' }

describe('a visitor with Save-Data', () => {
  it('gets a page marked for it, and others don’t, regardless of which was cached first', async () => {
    const app = createApp(testContext())
    const fetchHtml = async (headers: Record<string, string>) =>
      (await app.request('https://pamba.test/products', { headers })).text()
    for (const headers of [{}, SAVE_DATA, {}, SAVE_DATA]) {
      const html = await fetchHtml(headers)
      expect(html.includes('class="saves-data"')).toBe(headers === SAVE_DATA)
      expect(html.includes('"savesData":true')).toBe(headers === SAVE_DATA)
    }
  })

  it('gets each picture in one small width', async () => {
    const ctx = testContext()
    const app = createApp(ctx)
    for (const page of ['/products', '/product/1', '/products?q=kikoi', '/about', '/']) {
      const imageSources = async (headers: Record<string, string>) => {
        const html = await (await app.request(`https://pamba.test${page}`, { headers })).text()
        return Array.from(html.matchAll(/srcSet="([^"]+)"/g), ([, files = '']) => files)
      }
      const full = await imageSources({})
      expect(full.length, page).toBeGreaterThan(0)
      const folderOf = (files: string) => files.slice(0, files.indexOf('/', 3))
      const light = await imageSources(SAVE_DATA)
      expect(light.map(folderOf), page).toEqual(full.map(folderOf))
      for (const file of light) expect(file, page).toMatch(/^\/p\/\w+\/(200|320)\.avif$/)
    }
  })

  it('is distinguished by caches through Vary', async () => {
    const response = await createApp(testContext()).request('https://pamba.test/about')
    expect(response.headers.get('Vary')).toMatch(/\bSave-Data\b/)
  })
})
