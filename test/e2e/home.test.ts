import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  DESKTOP,
  expectNoComplaints,
  hydrated,
  journeys,
  type Shopper,
  shopper,
  visit,
} from '#test/support/shopper.ts'

const splashOf = (page: Page) => page.getByText('Preparing Your Perfect Fit...')
const NINE_IN_NAIROBI = new Date('2026-11-21T09:00:00+03:00')

/** A visitor whose clock stops as soon as the page is hydrated. */
async function visitInStoppedTime(visitor: Shopper, at = NINE_IN_NAIROBI) {
  const { page } = visitor
  await page.clock.install({ time: at })
  await page.clock.pauseAt(new Date(at.getTime() + 1000))
  await page.goto('/')
  // The scripts start with the first frame, which a stopped clock never reaches, or with the first key.
  await page.keyboard.press('Shift')
  await hydrated(page)
}

const FEATURES = [
  '100% Organic Cotton',
  'Eco-Friendly Materials',
  'Hypoallergenic & Safe',
  'Sustainable Production',
  'Family Approved',
  'Premium Quality',
]

journeys('Home', () => {
  it('is covered by the splash for two and a half seconds; then the clock ticks and the badge changes, until they are paused', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visitInStoppedTime(visitor)
    expect(await splashOf(page).count()).toBe(1)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(
      'Sustainable Fashion for Little Ones',
    )
    await page.clock.runFor(2500)
    await splashOf(page).waitFor({ state: 'detached' })
    await page.getByText('Good morning').waitFor()
    await page.getByText('09:00:03').waitFor()
    await page.clock.runFor(1000)
    await page.getByText('09:00:04').waitFor()

    const badge = page.locator('.label')
    const seen = []
    for (let i = 0; i < FEATURES.length + 1; i++) {
      seen.push(await badge.innerText())
      await page.clock.runFor(3000)
    }
    expect(seen).toEqual([...FEATURES.slice(1), FEATURES[0], FEATURES[1]])

    const shown = await badge.innerText()
    const pause = page.getByRole('button', { name: 'Pause the badge and the clock' })
    await pause.click()
    await page.clock.runFor(9000)
    expect(await badge.innerText()).toBe(shown)
    expect(await page.locator('time').innerText()).toBe('09:00')
    await pause.click()
    await page.clock.runFor(3000)
    expect(await badge.innerText()).not.toBe(shown)
    expectNoComplaints(visitor)
  })

  it.each(['no-preference', 'reduce'] as const)(
    'loses the splash in the same time with scripts off, motion: %s',
    async (reducedMotion) => {
      const { page } = await shopper({ javaScriptEnabled: false, reducedMotion })
      await page.goto('/')
      const lasts = await page
        .locator('.splash')
        .evaluate((splash) =>
          splash.getAnimations().map((animation) => animation.effect?.getTiming().duration),
        )
      expect(lasts).toEqual([2500])
      await splashOf(page).waitFor({ state: 'hidden' })
      await page.getByRole('link', { name: 'Shop Kids Collection' }).click()
      await page.waitForURL('**/products')
    },
  )

  it.each(['click', 'Escape'])('loses the splash early on %s', async (how) => {
    const visitor = await shopper()
    const { page } = visitor
    await visitInStoppedTime(visitor)
    if (how === 'click') await page.mouse.click(180, 300)
    else await page.keyboard.press(how)
    await splashOf(page).waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/')
  })

  it('does not show the splash again when the shopper comes back inside the app', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/about')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Sustainable Fashion for Little Ones' }).waitFor()
    expect(await splashOf(page).count()).toBe(0)
    expectNoComplaints(visitor)
  })

  it("goes by the device's own zone once it is hydrated", async () => {
    const visitor = await shopper({ profile: { timezoneId: 'Asia/Tokyo' } })
    const { page } = visitor
    await visitInStoppedTime(visitor)
    await page.getByText('Good afternoon').waitFor()
    await page.getByText('15:00:01').waitFor()
    expectNoComplaints(visitor)
  })

  it('leads to the shop and shows its figures', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/')
    await page.keyboard.press('Escape')
    for (const name of ['Shop Kids Collection', "Shop Women's Collection"]) {
      expect(await page.getByRole('link', { name }).getAttribute('href')).toBe('/products')
    }
    for (const figure of ['1M+ Happy Families', '100% Organic Cotton', '5-star Customer Rating']) {
      expect(await page.getByRole('listitem').filter({ hasText: figure }).isVisible(), figure).toBe(true)
    }
    expect(await page.getByText('Click to explore').isVisible()).toBe(true)
    expectNoComplaints(visitor)
  })
})
