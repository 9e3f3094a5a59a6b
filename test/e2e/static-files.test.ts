import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, inject, it } from 'vitest'
import { journeys, shopper } from '#test/support/shopper.ts'

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

journeys('the static files', () => {
  it('all carry their security headers', async () => {
    const files = readdirSync('dist/client', { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && !/^[._]/.test(file.name) && !file.parentPath.includes('.vite'))
      .map((file) => path.posix.join('/', path.relative('dist/client', file.parentPath), file.name))
      // The Worker answers with the published catalogue.
      .filter((file) => file !== '/Items.json')
    expect(files.length).toBeGreaterThan(50)
    const check = async (file: string) => {
      const { status, headers } = await fetch(inject('shopUrl') + file, { method: 'HEAD' })
      expect(status, file).toBe(200)
      expect(Object.fromEntries(headers), file).toMatchObject(HEADERS)
    }
    await Promise.all(files.map(check))
  })

  it('are not what the build leaves for the tools', async () => {
    const { page } = await shopper()
    for (const file of ['/.vite/manifest.json', '/wrangler.json', '/.assetsignore', '/.dev.vars'])
      expect((await page.request.get(file)).status(), file).toBe(404)
  })

  it('are kept by the browser for as long as their names allow, and never sniffed', async () => {
    const { page } = await shopper()
    const document = await (await page.request.get('/about')).text()
    const [stylesheet = ''] = /\/assets\/shop-[^"]+\.css/.exec(document) ?? []
    const caching = async (address: string) => {
      const headers = (await page.request.get(address)).headers()
      expect(headers['x-content-type-options'], address).toBe('nosniff')
      return headers['cache-control']
    }
    expect(await caching(stylesheet)).toBe('public, max-age=31536000, immutable')
    expect(await caching('/images/hero.svg')).toMatch(/^public, max-age=86400/)
    expect(await caching('/Items.json')).toBe('no-cache')
    expect(await caching('/manifest.webmanifest')).toBe('no-cache')
  })

  it('hold every icon and screenshot that the manifest and the document name', async () => {
    const { page } = await shopper()
    const response = await page.request.get('/manifest.webmanifest')
    expect(response.headers()['content-type']).toBe('application/manifest+json')
    type Picture = { src: string; type: string }
    const { icons, screenshots } = (await response.json()) as Record<'icons' | 'screenshots', Picture[]>
    for (const { src, type } of [
      ...icons,
      ...screenshots,
      { src: '/icons/apple-touch-icon.png', type: 'image/png' },
    ]) {
      const icon = await page.request.get(src)
      expect([icon.status(), icon.headers()['content-type']], src).toEqual([200, type])
    }
  })

  it('preload the two fonts that the pages are set in, before anything asks for them', async () => {
    const { page } = await shopper()
    const document = await (await page.request.get('/about')).text()
    const fonts = [...document.matchAll(/<link rel="preload" href="([^"]+\.woff2)" as="font"/g)].map(
      ([, font = '']) => font,
    )
    expect(fonts.map((font) => /(figtree|fraunces)/.exec(font)?.[1])).toEqual(['figtree', 'fraunces'])
    for (const font of fonts) expect((await page.request.get(font)).status(), font).toBe(200)
  })
})
