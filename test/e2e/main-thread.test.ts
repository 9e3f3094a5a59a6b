import type { CDPSession, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectAtMost } from '#test/support/budget.ts'
import { journeys, shopper, visit } from '#test/support/shopper.ts'

const FRAMES = 60

async function countWork(devtools: CDPSession) {
  const { metrics } = await devtools.send('Performance.getMetrics')
  const count = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN
  return { recalculations: count('RecalcStyleCount'), layouts: count('LayoutCount') }
}

/** Waits until the browser was idle once, and then for a second of frames. */
const rest = (page: Page) =>
  page.evaluate(async (frames) => {
    await new Promise((resolve) => requestIdleCallback(resolve))
    for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame)
  }, FRAMES)

const listDrawings = (page: Page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.endsWith('.svg')),
  )

journeys('the main thread of a page that nobody touches', () => {
  it.for([
    { page: 'Shop', path: '/products', recalculations: 10, layouts: 8 },
    { page: 'product', path: '/product/1', recalculations: 10, layouts: 8 },
  ])(
    'is idle soon after $page has loaded',
    async ({ page: name, path, recalculations, layouts }, context) => {
      const visitor = await shopper({ reducedMotion: 'no-preference' })
      const { page } = visitor
      const devtools = await page.context().newCDPSession(page)
      await visit(visitor, '/about')
      await devtools.send('Performance.enable')
      const before = await countWork(devtools)
      await visit(visitor, path)
      await rest(page)
      const loaded = await countWork(devtools)
      await rest(page)
      const rested = await countWork(devtools)
      const row = (what: string, value: number) => ({ id: 'S8', what: `${name}: ${what}`, value })
      const styled = loaded.recalculations - before.recalculations
      expectAtMost(context, recalculations, row('style recalculations of the first load', styled))
      expectAtMost(context, layouts, row('layouts of the first load', loaded.layouts - before.layouts))
      const later = rested.recalculations - loaded.recalculations + rested.layouts - loaded.layouts
      expectAtMost(context, 0, row('recalculations and layouts in the next second', later))
      expect(await listDrawings(page), 'each SVG file is a document').toEqual([])
    },
  )

  it('animates Home, including its splash, without recalculating styles, layout or paint', async () => {
    const { page } = await shopper({ reducedMotion: 'no-preference', javaScriptEnabled: false })
    await page.goto('/')
    const animated = await page.evaluate(() =>
      document.getAnimations().flatMap(({ effect }) => {
        if (!(effect instanceof KeyframeEffect) || effect.getTiming().duration === 0) return []
        const { offset, computedOffset, easing, composite, ...properties } = Object.assign(
          {},
          ...effect.getKeyframes(),
        )
        return Object.keys(properties)
      }),
    )
    expect(new Set(animated)).toEqual(new Set(['opacity', 'transform']))
  })
})
