import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { expectWithinBudget } from '#test/support/budget.ts'
import { copyWithCatalogue, MEASURED_SHOP_SETTINGS } from '#tools/measure/measured-shop.ts'
import { startWorkerd } from '#tools/measure/workerd.ts'
import { measureClientSizes, measureWorkerBytes } from './client-sizes.ts'

const BYTES_PER_KB = 1000
const root = process.cwd()
const workFolder = mkdtempSync(path.join(tmpdir(), 'pamba-sizes-'))
afterAll(() => rmSync(workFolder, { recursive: true }))

async function renderShopHtml(size: 'usual' | 'many' | 'photos'): Promise<Uint8Array> {
  const assetsFolder = copyWithCatalogue(size, path.join(root, 'dist/client'), workFolder)
  const worker = { folder: path.join(root, 'dist/server') }
  const server = await startWorkerd({ worker, assetsFolder, settings: MEASURED_SHOP_SETTINGS, workFolder })
  try {
    const pages: Uint8Array[] = []
    for (let i = 0; i < 4; i++) pages.push(await (await fetch(`${server.url}/products`)).bytes())
    return pages.toSorted((a, b) => gzipSync(a).byteLength - gzipSync(b).byteLength)[0] ?? new Uint8Array()
  } finally {
    server.close()
  }
}

describe('the build', () => {
  const { pages, stylesheetBytes, fontBytes } = measureClientSizes(root)
  const size = (id: string, what: string, bytes: number) => {
    expect(bytes, what).toBeGreaterThan(0)
    return { id, what, value: bytes / BYTES_PER_KB, unit: 'KB' }
  }

  it('has public pages, among them Home, the Shop, a product and Contact', () => {
    expect(pages.map(({ page }) => page)).toEqual(
      expect.arrayContaining(['home', 'shop', 'product', 'contact']),
    )
  })

  it.for(pages)('loads at most 78 KB of script on $page', ({ scriptBytes }, context) => {
    expectWithinBudget(
      context,
      78,
      size('S4', 'script on the first load of any public page, brotli', scriptBytes),
    )
  })

  it.for(pages)('needs at most five requests before $page is usable', ({ requests }, context) => {
    expectWithinBudget(context, 5, {
      id: 'S7',
      what: 'page, style and scripts before usable',
      value: requests,
    })
  })

  it('has one stylesheet of at most 12 KB', (context) => {
    expectWithinBudget(context, 12, size('S5', 'CSS, brotli, one file', stylesheetBytes))
  })

  it('preloads at most 32 KB of fonts', (context) => {
    expectWithinBudget(context, 32, size('S9', 'fonts before the first paint', fontBytes))
  })

  it.for([
    ['server', 'S14', 'Worker, gzip'],
    ['office', 'S15', 'office, gzip'],
  ] as const)('has a Worker of at most 400 KB: %s', ([worker, id, what], context) => {
    expectWithinBudget(context, 400, size(id, what, measureWorkerBytes(root, worker)))
  })

  it('serves a Shop page of 64 products in 48 KB (9.5 KB gzipped), and one of 5,000 in 10% more', async (context) => {
    const [drawings, photos] = [await renderShopHtml('usual'), await renderShopHtml('photos')]
    for (const html of [drawings, photos]) {
      expectWithinBudget(context, 48, size('S6', 'Shop HTML, 64 products', html.byteLength))
      expectWithinBudget(context, 9.5, size('S6', 'Shop HTML, 64 products, gzip', gzipSync(html).byteLength))
    }
    const value = (await renderShopHtml('many')).byteLength / drawings.byteLength
    expectWithinBudget(context, 1.1, { id: 'S11', what: '5,000 vs 64 products, Shop HTML', value })
  })
})
