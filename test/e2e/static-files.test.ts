import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}

const shopUrl = inject('shopUrl') ?? ''
const fetchFile = (pathname: string, init: RequestInit = {}) => fetch(shopUrl + pathname, init)

// HTTP tests can't reach these files, because the runtime serves them without the Worker.
describe.skipIf(!shopUrl)('the static files', () => {
  it('have the security headers', async () => {
    const files = readdirSync('dist/client', { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && !/^[._]/.test(file.name) && !file.parentPath.includes('.vite'))
      .map((file) => path.posix.join('/', path.relative('dist/client', file.parentPath), file.name))
      // The Worker itself serves the published catalogue.
      .filter((file) => file !== '/Items.json')
    expect(files.length).toBeGreaterThan(50)
    const check = async (file: string) => {
      const { status, headers } = await fetchFile(file, { method: 'HEAD' })
      expect(status, file).toBe(200)
      expect(Object.fromEntries(headers), file).toMatchObject(HEADERS)
    }
    await Promise.all(files.map(check))
  })

  it("exclude the build's own files", async () => {
    for (const file of ['/.vite/manifest.json', '/wrangler.json', '/.assetsignore', '/.dev.vars'])
      expect((await fetchFile(file)).status, file).toBe(404)
  })

  it('are cached for as long as their names allow, and never sniffed', async () => {
    const document = await (await fetchFile('/about')).text()
    const [stylesheet = ''] = /\/assets\/shop-[^"]+\.css/.exec(document) ?? []
    const caching = async (pathname: string) => {
      const { headers } = await fetchFile(pathname, { method: 'HEAD' })
      expect(headers.get('x-content-type-options'), pathname).toBe('nosniff')
      return headers.get('cache-control')
    }
    expect(await caching(stylesheet)).toBe('public, max-age=31536000, immutable')
    expect(await caching('/images/hero.svg')).toMatch(/^public, max-age=86400/)
    expect(await caching('/Items.json')).toBe('no-cache')
    expect(await caching('/manifest.webmanifest')).toBe('no-cache')
  })

  it('include every icon of the manifest and the Apple touch icon', async () => {
    const response = await fetchFile('/manifest.webmanifest')
    expect(response.headers.get('content-type')).toBe('application/manifest+json')
    type Picture = { src: string; type: string }
    const { icons } = (await response.json()) as { icons: Picture[] }
    for (const { src, type } of [...icons, { src: '/icons/apple-touch-icon.png', type: 'image/png' }]) {
      const icon = await fetchFile(src, { method: 'HEAD' })
      expect([icon.status, icon.headers.get('content-type')], src).toEqual([200, type])
    }
  })

  it('include the two fonts that pages preload', async () => {
    const document = await (await fetchFile('/about')).text()
    const fonts = [...document.matchAll(/<link rel="preload" href="([^"]+\.woff2)" as="font"/g)].map(
      ([, font = '']) => font,
    )
    expect(fonts.map((font) => /(figtree|fraunces)/.exec(font)?.[1])).toEqual(['figtree', 'fraunces'])
    for (const font of fonts) expect((await fetchFile(font)).status, font).toBe(200)
  })
})
