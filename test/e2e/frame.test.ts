import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { TOAST_LIMIT } from '#client/state/toasts.ts'
import { yearAt } from '#shared/rules/greeting.ts'
import { shop } from '#shared/shop.ts'
import { DESKTOP, expectNoComplaints, journeys, PHONE, says, shopper, visit } from '#test/support/shopper.ts'
import { signedInShopper } from '#test/support/signed-in-shopper.ts'

const OPEN = { name: 'Open menu' }
const CLOSE = { name: 'Close menu' }

journeys('the frame around every page', () => {
  it('opens the menu on a phone, locks the page behind it, and closes it on Escape with focus back on its button', async () => {
    const visitor = await shopper({ viewport: PHONE })
    const { page } = visitor
    await visit(visitor, '/about')
    const menu = page.getByRole('navigation', { name: 'Main' })
    expect(await menu.isVisible()).toBe(false)

    await page.getByRole('button', OPEN).click()
    await page.getByRole('button', CLOSE).waitFor()
    expect(await menu.getByRole('link').allInnerTexts()).toEqual([
      'Home',
      'Shop',
      'Story',
      'Contact',
      'Register',
      'Login',
    ])
    await page.mouse.move(180, 700)
    await page.mouse.wheel(0, 600)
    expect(
      await page.evaluate(() => [scrollY, getComputedStyle(document.documentElement).overflowY]),
    ).toEqual([0, 'hidden'])

    await page.keyboard.press('Escape')
    await page.getByRole('button', OPEN).waitFor()
    expect(await menu.isVisible()).toBe(false)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Open menu')
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).overflowY)).toBe('scroll')
    expectNoComplaints(visitor)
  })

  it('is walked through by keyboard: button, links, and on, which closes the menu', async () => {
    const visitor = await shopper({ viewport: PHONE })
    const { page } = visitor
    await visit(visitor, '/nowhere')
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await page.getByRole('button', OPEN).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', CLOSE).waitFor()
    const walked = []
    for (let i = 0; i < 6; i++) {
      await page.keyboard.press('Tab')
      walked.push(await focused())
    }
    expect(walked).toEqual(['Home', 'Shop', 'Story', 'Contact', 'Register', 'Login'])
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Return Home')
    await page.getByRole('button', OPEN).waitFor()
  })

  it('closes the menu when one of its links leads on', async () => {
    const visitor = await shopper({ viewport: PHONE })
    const { page } = visitor
    await visit(visitor, '/contact')
    await page.getByRole('button', OPEN).click()
    await page.getByRole('link', { name: 'Story' }).click()
    await page.getByRole('heading', { level: 1, name: 'Crafting Childhood Memories' }).waitFor()
    await page.getByRole('button', OPEN).waitFor()
    expectNoComplaints(visitor)
  })

  it('shows the links in the bar on a wide screen, the present one marked', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/about')
    expect(await page.getByRole('button', OPEN).isVisible()).toBe(false)
    const here = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]')
    expect(await here.allInnerTexts()).toEqual(['Story'])
    expect(await page.getByRole('link', { name: 'Cart' }).getAttribute('href')).toBe('/cart')
    expect(await page.getByRole('link', { name: 'Dashboard' }).count()).toBe(0)
  })

  it('holds the longest name, also where the bar has the least room for it', async () => {
    const name = 'Wilhelmina-Antoinette Nyokabi Wanjiru wa Kamau-Njoroge'.padEnd(100, ' Odhiambo')
    const { page, ...visitor } = await signedInShopper({ name, viewport: { width: 960, height: 700 } })
    await visit({ page, ...visitor }, '/about')
    await page.getByRole('link', { name: /^Wilhelmina/ }).waitFor()
    const { x = 0, width = 0 } = (await page.getByRole('link', { name: 'Cart' }).boundingBox()) ?? {}
    expect(x + width).toBeLessThanOrEqual(960)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(960)
  })

  it('has all its links at hand with scripts off', async () => {
    const { page } = await shopper({ javaScriptEnabled: false })
    await page.goto('/about')
    for (const viewport of [PHONE, DESKTOP]) {
      await page.setViewportSize(viewport)
      expect(await page.getByRole('button', OPEN).isVisible()).toBe(false)
      for (const name of ['Home', 'Shop', 'Contact', 'Register', 'Login', 'Cart']) {
        const what = `${name}, ${viewport.width} pixels wide`
        expect(await page.getByRole('link', { name, exact: true }).isVisible(), what).toBe(true)
      }
    }
  })

  it('is skipped by the first link of the page', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/about')
    await page.keyboard.press('Tab')
    const skip = page.getByRole('link', { name: 'Skip to content' })
    await expect.poll(async () => (await skip.boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0)
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.id === 'main')
    expectNoComplaints(visitor)
  })

  it('ends with the year, the shop, its city, its rights and its designer', async () => {
    const { page } = await shopper()
    await page.goto('/about')
    expect(await page.getByRole('contentinfo').innerText()).toMatch(
      new RegExp(
        `^© ${yearAt(Date.now(), 'Africa/Nairobi')} ${shop.name}, ${shop.city}\\. All rights reserved\\.\\s+Designed by .+`,
      ),
    )
  })

  it.each([PHONE, DESKTOP])(
    'shows toasts at the top right for their time, three of at most twenty, off the focused field, $width pixels wide',
    async (viewport) => {
      const visitor = await shopper({ viewport })
      const { page } = visitor
      const noon = new Date('2026-11-21T12:00:00+03:00')
      await page.clock.install({ time: noon })
      await visit(visitor, '/products')
      const add = page.getByRole('button', { name: 'Add to Cart' }).first()
      const toasts = page.getByText('Added to cart', { exact: true })
      await page.clock.pauseAt(noon.getTime() + 60_000)
      await add.click()
      await toasts.first().waitFor()
      const box = await toasts.first().boundingBox()
      expect(box && viewport.width - box.x - box.width).toBeLessThan(60)
      expect(box?.y).toBeLessThan(160)
      await page.clock.runFor(1900)
      expect(await page.locator('.toast:not([data-leaving])').count()).toBe(1)
      await page.clock.runFor(100)
      await page.locator('.toast[data-leaving]').waitFor()
      await page.clock.runFor(200)
      await toasts.waitFor({ state: 'detached' })

      for (let i = 0; i < 22; i++) await add.click()
      await expect.poll(() => toasts.count()).toBe(TOAST_LIMIT)
      await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/login"]')?.click())
      for (const label of ['Email address', 'Password']) {
        await page.getByLabel(label).focus()
        await expect.poll(() => toastsSeen(page)).toEqual([false, false, false])
      }
      expectNoComplaints(visitor)
    },
  )

  it('stays, and shows what it has to say, when the connection goes before the first toast', async () => {
    const visitor = await shopper()
    const { page, complaints } = visitor
    await visit(visitor, '/product/1')
    await page.waitForLoadState('networkidle')
    const add = page.getByRole('article').getByRole('button', { name: 'Add to Cart' })
    const words = 'Added Organic Cotton Snap Romper to cart'

    await page.context().setOffline(true)
    await says(page, words, () => add.click(), '.toast')
    expect(await page.locator('.bar__cart .badge').innerText()).toContain('1')
    await page.getByText(words, { exact: true }).waitFor({ state: 'detached' })

    await page.context().setOffline(false)
    await says(page, words, () => add.click(), '.toast')
    expect(complaints.filter((complaint) => !complaint.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([])
  })
})

/** Of each toast that is seen, whether it is over the field that has the focus or off the screen. */
const toastsSeen = (page: Page) =>
  page.locator('.toast').evaluateAll((toasts) => {
    const field = document.activeElement?.getBoundingClientRect() ?? new DOMRect()
    return toasts
      .map((toast) => toast.getBoundingClientRect())
      .filter(({ width }) => width > 1)
      .map(({ top, bottom, left }) => {
        const isOver = top < field.bottom && bottom > field.top && left < field.right
        return isOver || top < 0 || bottom > innerHeight
      })
  })
