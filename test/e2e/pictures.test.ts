import sharp from 'sharp'
import { expect, it } from 'vitest'
import { expectWithinBudget } from '#test/support/budget.ts'
import {
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
  type Shopper,
  visit,
} from '#test/support/shopper.ts'
import { openSignedInShopper, storedLine } from '#test/support/signed-in-shopper.ts'

const BYTES_PER_KB = 1000

/** Lines as carts stored them when pictures were SVG files, without and with Save-Data. */
const OLD_CART = [
  { ...storedLine(1), image: '/images/products/kikoi-wrap-dress.svg' },
  { ...storedLine(2), image: '/images/products/kitenge-twirl-dress.data-saver.svg' },
]

async function readPictures({ page }: Shopper) {
  const images = page.locator('main img')
  await images.first().waitFor()
  return images.evaluateAll(async (all: HTMLImageElement[]) => {
    for (const image of all) image.loading = 'eager'
    await Promise.all(all.map((image) => image.decode()))
    return Promise.all(
      all.map(async ({ currentSrc, decoding, alt }) => {
        const response = await fetch(currentSrc)
        const { size, type } = await response.blob()
        return { currentSrc, type, size, decoding, alt }
      }),
    )
  })
}

journeys('product pictures', () => {
  it.for([
    ['a phone', { viewport: PHONE_VIEWPORT, deviceScaleFactor: 2 }],
    ['a laptop', { viewport: DESKTOP_VIEWPORT, deviceScaleFactor: 1 }],
    [
      'a phone with Save-Data',
      { viewport: PHONE_VIEWPORT, deviceScaleFactor: 2, extraHTTPHeaders: { 'Save-Data': 'on' } },
    ],
  ] as const)(
    'are AVIF files, decoded off the main thread and small on cards, on %s',
    async ([, profile], context) => {
      const visitor = await openShopper({ ...profile, profile })
      const all: Awaited<ReturnType<typeof readPictures>> = []
      for (const path of ['/', '/products', '/product/1', '/about']) {
        await visit(visitor, path)
        const shown = await readPictures(visitor)
        expect(shown.length, path).toBeGreaterThan(0)
        all.push(...shown)
        const largest = Math.max(...shown.map(({ size }) => size)) / BYTES_PER_KB
        const row = { id: 'S17', what: 'largest product picture of a card', value: largest, unit: 'KB' }
        if (path === '/products') expectWithinBudget(context, 12, row)
      }
      const others = all.filter(({ type }) => type !== 'image/avif').length
      expectWithinBudget(context, 0, { id: 'S17', what: 'product pictures that aren’t AVIF', value: others })
      const undecoded = all.filter(({ decoding }) => decoding !== 'async').length
      expectWithinBudget(context, 0, {
        ...{ id: 'S17', what: 'product pictures without decoding="async"', value: undecoded },
      })
      expectNoConsoleErrors(visitor)
    },
  )

  it('are AVIF files on account pages too, even from carts stored when they were SVG files', async () => {
    const visitor = await openSignedInShopper({ cart: OLD_CART })
    for (const [path, count] of [
      ['/cart', OLD_CART.length],
      ['/dashboard', 4],
    ] as const) {
      await visit(visitor, path)
      const shown = (await readPictures(visitor)).filter(
        ({ currentSrc }) => !currentSrc.includes('/payments/'),
      )
      expect(
        shown.map(({ type }) => type),
        path,
      ).toEqual(Array(count).fill('image/avif'))
    }
    expectNoConsoleErrors(visitor)
  })

  it('show an even background, without the browser’s broken-image icon, if they fail to load', async () => {
    const { page, ...visitor } = await openShopper()
    await page.route(/\/p\//, (route) => route.abort())
    await visit({ page, ...visitor }, '/products')
    const { x, y, width, height } = (await page.getByAltText('Kikoi Wrap Dress').boundingBox()) ?? {
      ...{ x: 0, y: 0, width: 0, height: 0 },
    }
    const clip = { x: x + 8, y: y + 8, width: width - 16, height: height - 16 }
    const { channels } = await sharp(await page.screenshot({ clip })).stats()
    expect(channels.map(({ stdev }) => stdev)).toEqual(channels.map(() => 0))
  })
})
