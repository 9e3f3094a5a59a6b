import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectNoComplaints, journeys, type Shopper, shopper, visit } from '#test/support/shopper.ts'

/** Shows a complete row of cards without scrolling. */
const TALL = { width: 1280, height: 1000 }

/** View transitions started so far, and the parts each of them moved. */
type Watched = typeof globalThis & { transitions: ViewTransition[]; moved: string[][] }

/** Opens the Shop with the catalogue and the product page loaded, and records view transitions. */
async function openShop(visitor: Shopper): Promise<void> {
  const { page } = visitor
  await page.addInitScript(() => {
    const watched = Object.assign(globalThis as Watched, { transitions: [], moved: [] })
    const start = document.startViewTransition.bind(document)
    document.startViewTransition = (update) => {
      const transition = start(update)
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
  await followToShop(page)
  await link(page, '/product/1').hover()
  await page.waitForLoadState('networkidle')
}

async function followToShop(page: Page): Promise<void> {
  await link(page, '/products').click()
  await page.getByText('64 products').waitFor()
}

/** Follows a product's card and returns to the Shop. Returns the number of transitions started. */
async function transitionsToProduct(page: Page): Promise<number> {
  const started = () => page.evaluate(() => (globalThis as Watched).transitions.length)
  const before = await started()
  await link(page, '/product/1').click()
  await page.locator('article').waitFor()
  await page.waitForFunction(() => scrollY === 0)
  const count = (await started()) - before
  await goBackToShop(page)
  return count
}

/** Resolves one frame after the Shop's scroll position is restored. */
async function goBackToShop(page: Page): Promise<void> {
  await page.goBack()
  await page.getByText('64 products').waitFor()
  await page.waitForFunction(() => navigation.transition === null)
  await page.evaluate(() => new Promise(requestAnimationFrame))
}

const link = (page: Page, address: string) => page.locator(`a[href="${address}"]`).first()
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

async function movedParts(page: Page): Promise<string[] | undefined> {
  await page.waitForFunction(() => (globalThis as Watched).moved.length === 1)
  return page.evaluate(async () => {
    const { transitions, moved } = globalThis as Watched
    await transitions.at(-1)?.finished
    return moved.at(-1)
  })
}

journeys('a product’s picture', () => {
  it('animates from its card to its page, except when the page must scroll, under reduced motion or Save-Data, or in a slow browser; the last navigation wins and taps still work', async () => {
    const visitor = await shopper({ viewport: TALL, reducedMotion: 'no-preference' })
    const { page } = visitor
    await openShop(visitor)
    await link(page, '/product/1').click()
    expect(await movedParts(page)).toContain('::view-transition-group(product-picture)')
    expect(page.url()).toMatch(/\/product\/1$/)
    expect(await page.evaluate(() => [scrollY, document.activeElement?.id])).toEqual([0, 'main'])
    expect(await page.locator('[data-view-transition], [style*="view-transition"]').count()).toBe(0)
    await goBackToShop(page)

    await page.evaluate(() => scrollTo({ top: 300, behavior: 'instant' }))
    expect(await transitionsToProduct(page), 'from further down').toBe(0)
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await transitionsToProduct(page), 'without motion').toBe(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    const saveData = (isOn: boolean) =>
      page.evaluate((on) => document.documentElement.classList.toggle('saves-data', on), isOn)
    await saveData(true)
    expect(await transitionsToProduct(page), 'saving data').toBe(0)
    await saveData(false)
    expect(await transitionsToProduct(page)).toBe(1)

    await page.evaluate(() => {
      for (const address of ['/product/1', '/product/2', '/about'])
        document.querySelector<HTMLElement>(`a[href="${address}"]`)?.click()
    })
    await heading(page).filter({ hasText: 'Crafting Childhood Memories' }).waitFor()
    expect(page.url()).toMatch(/\/about$/)
    await followToShop(page)
    await link(page, '/product/1').click()
    await link(page, '/about').click()
    await heading(page).filter({ hasText: 'Crafting Childhood Memories' }).waitFor()

    await followToShop(page)
    await page.evaluate(() => {
      const start = document.startViewTransition
      // A browser that captures the page slowly: the transition is skipped.
      document.startViewTransition = (update) => {
        document.startViewTransition = start
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
    await goBackToShop(page)

    // Slow enough to get in the way.
    await page.evaluate(() => document.documentElement.style.setProperty('--calm', '60s'))
    const before = await page.evaluate(() => (globalThis as Watched).moved.length)
    await link(page, '/product/1').click()
    await page.waitForFunction((n) => (globalThis as Watched).moved.length > n, before)
    await page.getByRole('button', { name: 'Add to Cart' }).first().click()
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
    expect(await page.locator('[data-view-transition]').count()).toBe(1)
    await page.goto('/robots.txt')
    expectNoComplaints(visitor)
  })
})
