import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { TOAST_LIMIT } from '#client/app/toasts.ts'
import {
  DESKTOP_VIEWPORT,
  expectBriefText,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
  visit,
} from '#test/support/shopper.ts'
import { openSignedInShopper } from '#test/support/signed-in-shopper.ts'

const OPEN_BUTTON = { name: 'Open menu' }
const CLOSE_BUTTON = { name: 'Close menu' }
const LINKS = ['Home', 'Shop', 'Story', 'Contact', 'Register', 'Login']

journeys('the layout around every page', () => {
  it('has a skip link and, on a phone, a menu that locks scrolling and closes on Escape, tabbing away and navigation', async () => {
    const visitor = await openShopper({ viewport: PHONE_VIEWPORT, reducedMotion: 'no-preference' })
    const { page } = visitor
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    const overflow = () => page.evaluate(() => getComputedStyle(document.documentElement).overflowY)
    await visit(visitor, '/about')
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    await expect.poll(async () => (await skip.boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0)
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.id === 'main')

    const menu = page.getByRole('navigation', { name: 'Main' })
    expect(await menu.isVisible()).toBe(false)
    await page.getByRole('button', OPEN_BUTTON).click()
    await page.getByRole('button', CLOSE_BUTTON).waitFor()
    expect(await menu.getByRole('link').allInnerTexts()).toEqual(LINKS)
    const top = await page.evaluate(() => scrollY)
    await page.mouse.move(180, 700)
    await page.mouse.wheel(0, 600)
    expect([await page.evaluate(() => scrollY), await overflow()]).toEqual([top, 'hidden'])
    await page.keyboard.press('Escape')
    await page.getByRole('button', OPEN_BUTTON).waitFor()
    expect(await menu.isVisible()).toBe(false)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Open menu')
    expect(await overflow()).toBe('scroll')

    await page.keyboard.press('Enter')
    await page.getByRole('button', CLOSE_BUTTON).waitFor()
    const focusedLinks = []
    for (let i = 0; i < LINKS.length; i++) {
      await page.keyboard.press('Tab')
      focusedLinks.push(await focused())
    }
    expect(focusedLinks).toEqual(LINKS)
    await page.keyboard.press('Tab')
    await page.getByRole('button', OPEN_BUTTON).waitFor()

    await page.getByRole('button', OPEN_BUTTON).click()
    await menu.getByRole('link', { name: 'Contact' }).click()
    await page.getByRole('heading', { level: 1, name: 'Contact us' }).waitFor()
    await page.getByRole('button', OPEN_BUTTON).waitFor()
    expectNoConsoleErrors(visitor)
  })

  it('shows its links on a wide screen, marks the current page, and fits the longest name', async () => {
    const name = 'Wilhelmina-Antoinette Nyokabi Wanjiru wa Kamau-Njoroge'.padEnd(100, ' Odhiambo')
    const visitor = await openSignedInShopper({ name, viewport: { width: 960, height: 700 } })
    const { page } = visitor
    await visit(visitor, '/about')
    await page.getByRole('link', { name: /^Wilhelmina/ }).waitFor()
    expect(await page.getByRole('button', OPEN_BUTTON).isVisible()).toBe(false)
    const here = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]')
    expect(await here.allInnerTexts()).toEqual(['Story'])
    const { x = 0, width = 0 } = (await page.getByRole('link', { name: 'Cart' }).boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual(960)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(960)
    expectNoConsoleErrors(visitor)
  })

  it('shows up to three toasts at a time at the top right, clear of the focused field, including offline', async () => {
    const visitor = await openShopper({ viewport: PHONE_VIEWPORT, reducedMotion: 'no-preference' })
    const { page, consoleErrors } = visitor
    const noon = new Date('2026-11-21T12:00:00+03:00')
    await page.clock.install({ time: noon })
    await visit(visitor, '/product/1')
    await page.waitForLoadState('networkidle')
    const add = page.getByRole('article').getByRole('button', { name: 'Add to Cart' })
    const words = 'Added Organic Cotton Snap Romper to cart'
    const toasts = page.getByText(words, { exact: true })
    await page.context().setOffline(true)
    await expectBriefText(page, words, () => add.click(), '.toast')
    expect(await page.locator('.bar__cart .badge').innerText()).toContain('1')
    await page.context().setOffline(false)
    await toasts.waitFor({ state: 'detached' })

    await page.clock.pauseAt(noon.getTime() + 3_600_000)
    for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
      await page.setViewportSize(viewport)
      // Dispatches the event, because `click()` would scroll to the button.
      await page.evaluate(() => scrollTo(0, 0))
      await add.dispatchEvent('click')
      await page.clock.runFor(50)
      await toasts.first().waitFor()
      const box = await toasts.first().boundingBox()
      expect(box && viewport.width - box.x - box.width, `${viewport.width} pixels wide`).toBeLessThan(60)
      expect(box?.y, 'below the controls at the top').toBeLessThan(viewport.height / 3)
      await page.clock.runFor(1900)
      expect(await page.locator('.toast:not([data-leaving])').count()).toBe(1)
      await page.clock.runFor(100)
      await page.locator('.toast[data-leaving]').waitFor()
      await page.clock.runFor(200)
      await toasts.waitFor({ state: 'detached' })
    }

    await page.evaluate(() => {
      const heading = document.body.appendChild(document.createElement('h2'))
      Object.assign(heading.style, {
        position: 'fixed',
        inset: '80px 0 auto auto',
        inlineSize: '9rem',
        blockSize: '60px',
      })
    })
    const readTop = async () => {
      await add.dispatchEvent('click')
      await page.clock.runFor(50)
      await page.locator('[style*=translate] > .toast').waitFor()
      const box = await toasts.first().boundingBox()
      await page.clock.runFor(2000)
      await page.locator('.toast[data-leaving]').waitFor()
      await page.clock.runFor(200)
      await toasts.waitFor({ state: 'detached' })
      return box?.y
    }
    const top = await readTop()
    await page.evaluate(() => document.querySelector('body > h2')?.remove())
    expect(await readTop(), 'where the last one was').toBe(top)

    for (let i = 0; i < 22; i++) await add.click()
    await page.clock.runFor(50)
    await expect.poll(() => toasts.count()).toBe(TOAST_LIMIT)
    for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
      await page.setViewportSize(viewport)
      await expect.poll(() => areVisibleToastsMisplaced(page, 'h1, h2, h3, button')).not.toContain(true)
    }
    await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/cart"]')?.click())
    await page.getByText('Log in or register to open your cart.').waitFor()
    for (const viewport of [DESKTOP_VIEWPORT, PHONE_VIEWPORT]) {
      await page.setViewportSize(viewport)
      await expect.poll(() => areVisibleToastsMisplaced(page, 'h1, .banner')).not.toContain(true)
      for (const label of ['Email address', 'Password']) {
        await page.getByLabel(label).focus()
        await expect.poll(() => areVisibleToastsMisplaced(page, ':focus')).not.toContain(true)
      }
    }
    expect(consoleErrors.filter((complaint) => !complaint.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
  })
})

/**
 * Returns, for each visible toast, whether it overlaps an element that matches `selector` or extends above or below the
 * screen.
 */
const areVisibleToastsMisplaced = (page: Page, selector: string) =>
  page.locator('.toast').evaluateAll((toasts, selector) => {
    const covered = [...document.querySelectorAll(selector)].map((element) => element.getBoundingClientRect())
    return toasts
      .map((toast) => toast.getBoundingClientRect())
      .filter(({ width }) => width > 1)
      .map(({ top, bottom, left }) => {
        const isOver = covered.some((rect) => top < rect.bottom && bottom > rect.top && left < rect.right)
        return isOver || top < 0 || bottom > innerHeight
      })
  }, selector)
