import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectNoComplaints, journeys, type Shopper, shopper, visit } from '#test/support/shopper.ts'

/** Shows a row of cards whole, links and all, without scrolling. */
const TALL = { width: 1280, height: 1000 }

/** The browser's transitions so far, and for each that came to move something, the parts that did. */
type Watched = typeof globalThis & { transitions: ViewTransition[]; moved: string[][] }

/** A visitor in the Shop, where the catalogue and the product's page are at hand; the browser's transitions are watched. */
async function shopperInTheShop(options = {}): Promise<Shopper> {
  const visitor = await shopper({ viewport: TALL, ...options })
  const { page } = visitor
  await page.addInitScript(() => {
    const watched = Object.assign(globalThis as Watched, { transitions: [], moved: [] })
    const start = document.startViewTransition.bind(document)
    document.startViewTransition = (update) => {
      const transition = start(update)
      // However slow this machine is.
      transition.skipTransition = () => {}
      watched.transitions.push(transition)
      const look = () => {
        const effects = document.getAnimations().map(({ effect }) => effect as KeyframeEffect)
        watched.moved.push(effects.map(({ pseudoElement }) => pseudoElement ?? ''))
      }
      transition.ready.then(look, () => {})
      return transition
    }
  })
  await visit(visitor, '/about')
  await link(page, '/products').hover()
  await page.waitForLoadState('networkidle')
  await link(page, '/products').click()
  await page.getByText('64 products').waitFor()
  await link(page, '/product/1').hover()
  await page.waitForLoadState('networkidle')
  return visitor
}

const link = (page: Page, address: string) => page.locator(`a[href="${address}"]`).first()
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

/** What has moved with the nth transition, from 1, once it is over. */
async function movedParts(page: Page, nth: number): Promise<string[] | undefined> {
  await page.waitForFunction((n) => (globalThis as Watched).transitions.length === n, nth)
  return page.evaluate(async () => {
    const { transitions, moved } = globalThis as Watched
    await transitions.at(-1)?.finished
    return moved.at(-1)
  })
}

journeys('a product’s picture', () => {
  it('moves from its card to its page, which is where it belongs, and leaves nothing behind', async () => {
    const visitor = await shopperInTheShop()
    const { page } = visitor
    await link(page, '/product/1').click()
    expect(await movedParts(page, 1)).toContain('::view-transition-group(product-picture)')
    expect(page.url()).toMatch(/\/product\/1$/)
    expect(await page.evaluate(() => [scrollY, document.activeElement?.id])).toEqual([0, 'main'])
    expect(await page.locator('[data-view-transition], [style*="view-transition"]').count()).toBe(0)

    await page.goBack()
    await page.getByText('64 products').waitFor()
    expectNoComplaints(visitor)
  })

  it('stays where it is when the page has to scroll to its top, which it does smoothly', async () => {
    const visitor = await shopperInTheShop()
    const { page } = visitor
    await page.evaluate(() => scrollTo({ top: 300, behavior: 'instant' }))
    await link(page, '/product/1').click()
    await page.locator('article').waitFor()
    await page.waitForFunction(() => scrollY === 0)
    expect(await page.evaluate(() => (globalThis as Watched).transitions.length)).toBe(0)
    expectNoComplaints(visitor)
  })

  it('never keeps a shopper waiting: taps reach the page meanwhile', async () => {
    const visitor = await shopperInTheShop()
    const { page } = visitor
    // So slow that it would be in the way.
    await page.evaluate(() => document.documentElement.style.setProperty('--calm', '60s'))
    await link(page, '/product/1').click()
    await page.waitForFunction(() => (globalThis as Watched).moved.length === 1)
    await page.getByRole('button', { name: 'Add to Cart' }).first().click()
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
    expect(await page.locator('[data-view-transition]').count()).toBe(1)
    expectNoComplaints(visitor)
  })

  it('stops without a word when the shopper goes elsewhere: the last of quick ways is the one', async () => {
    const visitor = await shopperInTheShop()
    const { page } = visitor
    await page.evaluate(() => {
      for (const address of ['/product/1', '/product/2', '/about'])
        document.querySelector<HTMLElement>(`a[href="${address}"]`)?.click()
    })
    await heading(page).filter({ hasText: 'Crafting Childhood Memories' }).waitFor()
    expect(page.url()).toMatch(/\/about$/)

    await link(page, '/products').click()
    await page.getByText('64 products').waitFor()
    await link(page, '/product/1').click()
    await link(page, '/about').click()
    await heading(page).filter({ hasText: 'Crafting Childhood Memories' }).waitFor()

    await link(page, '/products').click()
    await page.getByText('64 products').waitFor()
    await link(page, '/product/1').click()
    // Another document in the middle of it.
    await page.goto('/contact')
    expectNoComplaints(visitor)
  })

  it('is left where it is when the browser is slow to capture it', async () => {
    const visitor = await shopperInTheShop()
    const { page } = visitor
    await page.evaluate(() => {
      document.startViewTransition = (update) => {
        const { promise, resolve } = Promise.withResolvers<undefined>()
        const skipTransition = () => {
          if (typeof update === 'function') void update()
          resolve(undefined)
        }
        const never = new Promise<undefined>(() => {})
        const fake = { ready: never, updateCallbackDone: promise, finished: promise, skipTransition }
        return fake as unknown as ViewTransition
      }
    })
    await link(page, '/product/1').click()
    await page.locator('article').waitFor()
    await page.waitForFunction(() => !document.documentElement.dataset.viewTransition)
    expectNoComplaints(visitor)
  })

  it.each([
    ['wants no motion', { reducedMotion: 'reduce' }],
    ['saves data', { extraHTTPHeaders: { 'Save-Data': 'on' } }],
  ])('stays where it is for somebody who %s', async (_, options) => {
    const visitor = await shopperInTheShop(options)
    const { page } = visitor
    await link(page, '/product/1').click()
    await page.locator('article').waitFor()
    expect(await page.evaluate(() => (globalThis as Watched).transitions.length)).toBe(0)
    expectNoComplaints(visitor)
  })
})
