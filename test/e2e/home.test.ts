import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { expectNoConsoleErrors, journeys, openShopper, waitForHydration } from '#test/support/shopper.ts'

const splashOf = (page: Page) => page.getByText('Preparing Your Perfect Fit...')
const NINE_IN_NAIROBI = new Date('2026-11-21T09:00:00+03:00')

async function openWithStoppedClock(page: Page) {
  await page.goto('/')
  // With a stopped clock, neither frames nor timers run, so only input starts the app's scripts.
  await page.keyboard.press('Shift')
  await waitForHydration(page)
}

/** Playwright can't uninstall its fake clock, so the test needs its own profile. */
async function stopClock(page: Page) {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Animation.enable')
  await devtools.send('Animation.setPlaybackRate', { playbackRate: 0 })
  await page.clock.install({ time: NINE_IN_NAIROBI })
  await page.clock.pauseAt(NINE_IN_NAIROBI.getTime() + 1000)
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
  it('shows the splash once for 2.5 seconds, then a ticking clock and a badge that rotates until paused', async () => {
    const visitor = await openShopper({ reducedMotion: 'no-preference', profile: {} })
    const { page } = visitor
    await stopClock(page)
    await openWithStoppedClock(page)
    expect(await splashOf(page).count()).toBe(1)
    await page.clock.runFor(2500)
    await splashOf(page).waitFor({ state: 'detached' })
    await page.getByText('Good morning').waitFor()
    await page.getByText('09:00:03').waitFor()
    await page.clock.runFor(1000)
    await page.getByText('09:00:04').waitFor()

    const badge = page.locator('.label')
    const features = []
    for (let i = 0; i < FEATURES.length + 1; i++) {
      features.push(await badge.innerText())
      await page.clock.runFor(3000)
    }
    expect(features).toEqual([...FEATURES, FEATURES[0]])

    const shown = await badge.innerText()
    const pause = page.getByRole('button', { name: 'Pause moving content' })
    await pause.click()
    await page.clock.runFor(9000)
    expect(await badge.innerText()).toBe(shown)
    expect(await page.locator('time').innerText()).toBe('09:00')
    await pause.click()
    await page.clock.runFor(3000)
    expect(await badge.innerText()).not.toBe(shown)

    await page.clock.resume()
    const follow = (path: string) =>
      page.evaluate((to) => document.querySelector<HTMLElement>(`a[href="${to}"]`)?.click(), path)
    await follow('/about')
    await page.getByRole('heading', { level: 1, name: 'Crafting Childhood Memories' }).waitFor()
    await follow('/')
    await page.getByRole('heading', { level: 1, name: 'Sustainable Fashion for Little Ones' }).waitFor()
    expect(await splashOf(page).count()).toBe(0)
    expectNoConsoleErrors(visitor)
  })

  it("dismisses the splash on a click and on Escape, and uses the device's time zone", async () => {
    const visitor = await openShopper({
      reducedMotion: 'no-preference',
      profile: { timezoneId: 'Asia/Tokyo' },
    })
    const { page } = visitor
    await stopClock(page)
    await openWithStoppedClock(page)
    await page.mouse.click(180, 300)
    await splashOf(page).waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/')
    await page.getByText('Good afternoon').waitFor()
    await page.getByText('15:00:01').waitFor()

    await openWithStoppedClock(page)
    expect(await splashOf(page).count()).toBe(1)
    await page.keyboard.press('Escape')
    await splashOf(page).waitFor({ state: 'detached' })
    expectNoConsoleErrors(visitor)
  })

  it('ends the splash without JavaScript, with and without reduced motion, and never covers the focused element', async () => {
    const { page } = await openShopper({ javaScriptEnabled: false })
    await page.goto('/')
    const splash = page.locator('.splash')
    const listEnds = () =>
      splash.evaluate((element) =>
        element
          .getAnimations()
          .map((animation) => Math.round(Number(animation.effect?.getComputedTiming().endTime))),
      )
    expect(await listEnds()).toEqual([2500])
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    expect(await listEnds()).toEqual([2500, 3000])
    const animations = await splash.evaluateHandle((element) => element.getAnimations())
    await animations.evaluate((all) => {
      for (const paused of all) {
        paused.pause()
        paused.currentTime = 0
      }
    })
    expect(await splashOf(page).isVisible()).toBe(true)
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus-visible').count()).toBe(1)
    expect(await splashOf(page).isVisible(), 'over what has the keyboard').toBe(false)
    await animations.evaluate((all) => {
      for (const paused of all) paused.play()
    })
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await splashOf(page).waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Shop Kids Collection' }).click({ trial: true })
  })
})
