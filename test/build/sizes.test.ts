import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { clientSizes, workerBytes } from '#tools/measure/build-sizes.ts'
import { SETTINGS, withCatalogue } from '#tools/measure/measured-shop.ts'
import { startWorkerd } from '#tools/measure/workerd.ts'

const KB = 1000
const root = process.cwd()
const workFolder = mkdtempSync(path.join(tmpdir(), 'pamba-sizes-'))
afterAll(() => rmSync(workFolder, { recursive: true }))

/** The Shop as the built Worker serves it with so many products, once it has read them. */
async function shopHtml(size: 'usual' | 'many' | 'photos'): Promise<Uint8Array> {
  const assetsFolder = withCatalogue(size, path.join(root, 'dist/client'), workFolder)
  const worker = { folder: path.join(root, 'dist/server'), assetsFolder }
  const shop = await startWorkerd({ worker, settings: SETTINGS, workFolder })
  try {
    await (await fetch(`${shop.url}/products`)).bytes()
    return await (await fetch(`${shop.url}/products`)).bytes()
  } finally {
    shop.close()
  }
}

describe('the build keeps to its sizes', () => {
  const { pages, stylesheetBytes, fontBytes } = clientSizes(root)

  it('has the public pages', () => {
    expect(pages.map(({ page }) => page)).toEqual(
      expect.arrayContaining(['home', 'shop', 'product', 'contact']),
    )
  })

  it.each(pages)('$page loads at most 78 KB of script', ({ scriptBytes }) => {
    expect(scriptBytes, 'bytes of script, brotli').toBeLessThanOrEqual(78 * KB)
  })

  it.each(pages)('$page is usable after five requests, images and fonts aside', ({ requests }) => {
    expect(requests, 'requests').toBeLessThanOrEqual(5)
  })

  it('has one stylesheet of at most 12 KB', () => {
    expect(stylesheetBytes, 'bytes of CSS, brotli').toBeLessThanOrEqual(12 * KB)
  })

  it('preloads at most 32 KB of fonts', () => {
    expect(fontBytes, 'bytes of preloaded fonts').toBeGreaterThan(0)
    expect(fontBytes, 'bytes of preloaded fonts').toBeLessThanOrEqual(32 * KB)
  })

  it.each(['server', 'office'] as const)('has a Worker of at most 400 KB: %s', (worker) => {
    expect(workerBytes(root, worker), 'bytes of the Worker, gzip').toBeGreaterThan(0)
    expect(workerBytes(root, worker), 'bytes of the Worker, gzip').toBeLessThanOrEqual(400 * KB)
  })

  it('sends a Shop of 64 products in 48 KB, 9.5 KB compressed, its data included, and hardly more of 5,000', async () => {
    const [drawings, photos] = [await shopHtml('usual'), await shopHtml('photos')]
    for (const html of [drawings, photos]) {
      expect(html.byteLength, 'bytes of HTML').toBeLessThanOrEqual(48 * KB)
      expect(gzipSync(html).byteLength, 'bytes of HTML, gzip').toBeLessThanOrEqual(9.5 * KB)
    }
    expect((await shopHtml('many')).byteLength).toBeLessThanOrEqual(1.1 * drawings.byteLength)
  })
})
