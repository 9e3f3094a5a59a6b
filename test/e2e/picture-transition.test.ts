import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectNoConsoleErrors, journeys, openShopper, type Shopper, visit } from '#test/support/shopper.ts'

const TALL = { width: 1280, height: 1000 }

/** `moved` has the animated pseudo-elements of each transition that became ready. */
type Recorded = typeof globalThis & { transitions: ViewTransition[]; moved: string[][] }

async function openShop(visitor: Shopper): Promise<void> {
  const { page } = visitor
  await page.addInitScript(() => {
    const recorded = Object.assign(globalThis as Recorded, { transitions: [], moved: [] })
    const start = document.startViewTransition.bind(document)
    document.startViewTransition = (update) => {
      const transition = start(update)
      // On a slow machine, the page would skip the transition.
      transition.skipTransition = () => {}
      recorded.transitions.push(transition)
      const recordMovedParts = () => {
        const effects = document.getAnimations().map(({ effect }) => effect as KeyframeEffect)
        recorded.moved.push(effects.map(({ pseudoElement }) => pseudoElement ?? ''))
      }
      transition.ready.then(recordMovedParts, () => {})
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

/** Returns how many transitions opening the product started. */
async function countTransitionsToProduct(page: Page): Promise<number> {
  const countTransitions = () => page.evaluate(() => (globalThis as Recorded).transitions.length)
  const before = await countTransitions()
  await link(page, '/product/1').click()
  await page.locator('article').waitFor()
  await page.waitForFunction(() => scrollY === 0)
  const count = (await countTransitions()) - before
  await goBackToShop(page)
  return count
}

async function goBackToShop(page: Page): Promise<void> {
  await page.goBack()
  await page.getByText('64 products').waitFor()
  await page.waitForFunction(() => navigation.transition === null)
  await page.evaluate(() => new Promise(requestAnimationFrame))
}

const link = (page: Page, path: string) => page.locator(`a[href="${path}"]`).first()
const heading = (page: Page) => page.getByRole('heading', { level: 1 })

/** Waits until the transition has finished. */
async function readMovedParts(page: Page): Promise<string[] | undefined> {
  await page.waitForFunction(() => (globalThis as Recorded).moved.length === 1)
  return page.evaluate(async () => {
    const { transitions, moved } = globalThis as Recorded
    await transitions.at(-1)?.finished
    return moved.at(-1)
  })
}

journeys('a product’s picture', () => {
  it('moves from its card to its page unless motion is unwanted or slow, and never delays navigation', async () => {
    const visitor = await openShopper({ viewport: TALL, reducedMotion: 'no-preference' })
    const { page } = visitor
    await openShop(visitor)
    await link(page, '/product/1').click()
    expect(await readMovedParts(page)).toContain('::view-transition-group(product-picture)')
    expect(page.url()).toMatch(/\/product\/1$/)
    expect(await page.evaluate(() => [scrollY, document.activeElement?.id])).toEqual([0, 'main'])
    expect(await page.locator('[data-view-transition], [style*="view-transition"]').count()).toBe(0)
    await goBackToShop(page)

    await page.evaluate(() => scrollTo({ top: 300, behavior: 'instant' }))
    expect(await countTransitionsToProduct(page), 'from a scrolled page').toBe(0)
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await countTransitionsToProduct(page), 'under reduced motion').toBe(0)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    const saveData = (isOn: boolean) =>
      page.evaluate((on) => document.documentElement.classList.toggle('saves-data', on), isOn)
    await saveData(true)
    expect(await countTransitionsToProduct(page), 'under Save-Data').toBe(0)
    await saveData(false)
    expect(await countTransitionsToProduct(page)).toBe(1)

    await page.evaluate(() => {
      for (const path of ['/product/1', '/product/2', '/about'])
        document.querySelector<HTMLElement>(`a[href="${path}"]`)?.click()
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
      // This fake's `ready` promise never settles, as if the browser never captured the page.
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

    // Taps must work during a transition, which takes a minute here.
    await page.evaluate(() => document.documentElement.style.setProperty('--calm', '60s'))
    const before = await page.evaluate(() => (globalThis as Recorded).moved.length)
    await link(page, '/product/1').click()
    await page.waitForFunction((n) => (globalThis as Recorded).moved.length > n, before)
    await page.getByRole('button', { name: 'Add to Cart' }).first().click()
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
    expect(await page.locator('[data-view-transition]').count()).toBe(1)
    // The visitor leaves for another document during the transition.
    await page.goto('/robots.txt')
    expectNoConsoleErrors(visitor)
  })
})
