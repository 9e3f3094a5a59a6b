import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import {
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  type Shopper,
  scrollTo,
  visit,
  waitForHydration,
} from '#test/support/shopper.ts'

const barLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
const readScrollTop = (page: Page) => page.evaluate(() => scrollY)
const shopHeading = (page: Page) => page.getByRole('heading', { name: 'Shop our collection' })
const storyHeading = (page: Page) => page.getByRole('heading', { name: 'Crafting Childhood Memories' })

const markDocument = (page: Page) => page.evaluate(() => Object.assign(window, { isMarked: true }))
const isSameDocument = (page: Page) => page.evaluate(() => 'isMarked' in window)

function recordRequests({ page }: Shopper): string[] {
  const requests: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.resourceType() !== 'image' && pathname !== '/favicon.svg') requests.push(pathname)
  })
  return requests
}

/** Clicks with a script, because Playwright's `click()` may scroll first. */
const follow = (page: Page, name: string) =>
  barLink(page, name).evaluate((link) => (link as HTMLElement).click())

journeys('navigation', () => {
  it('keeps the document, moves focus, announces the title once, and restores scroll positions', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT, reducedMotion: 'no-preference' })
    const { page } = visitor
    const requests = recordRequests(visitor)
    await visit(visitor, '/products')
    expect(requests, 'on the first load').not.toContain('/Items.json')
    await markDocument(page)
    await page.evaluate(() => {
      const announcer = document.querySelector('body [role="status"].visually-hidden')
      const heard: string[] = []
      Object.assign(window, { heard })
      if (announcer)
        new MutationObserver(() => heard.push(announcer.textContent)).observe(announcer, {
          childList: true,
          subtree: true,
          characterData: true,
        })
    })
    await scrollTo(page, 1200)
    for (const name of ['Home', 'Contact', 'Login']) await barLink(page, name).focus()
    expect(await readScrollTop(page), 'after focus went along the bar').toBe(1200)

    await follow(page, 'Story')
    await storyHeading(page).waitFor()
    await page.waitForFunction(() => scrollY === 0)
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    expect(await page.title()).toBe(`Our Story · ${shop.name}`)
    expect(await isSameDocument(page)).toBe(true)
    expect(await page.evaluate(() => (window as unknown as { heard: string[] }).heard)).toEqual([
      `Our Story · ${shop.name}`,
    ])

    for (const section of ['#sizes', '#privacy']) await page.locator(section).waitFor({ state: 'attached' })
    await scrollTo(page, 300)
    requests.length = 0
    await page.goBack()
    await shopHeading(page).waitFor()
    expect([await readScrollTop(page), await page.title()]).toEqual([1200, `Shop · ${shop.name}`])
    await page.goForward()
    await storyHeading(page).waitFor()
    expect(await readScrollTop(page)).toBe(300)
    expect(requests, 'requests on back and forward').toEqual([])

    await page.goBack()
    await shopHeading(page).waitFor()
    await follow(page, 'Story')
    await page.waitForURL('**/about')
    // Goes back while the page is still scrolling smoothly.
    await page.waitForFunction(() => scrollY > 0 && scrollY < 1100)
    await page.evaluate(() => history.back())
    await shopHeading(page).waitFor()
    // If the smooth scroll had continued, it would move the page in the next frames.
    await page.evaluate(async () => {
      for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame)
    })
    expect(await readScrollTop(page), 'after Back under a smooth scroll').toBe(1200)

    await page.reload()
    await waitForHydration(page)
    await page.waitForFunction(() => Math.abs(scrollY - 1200) < 2)
    await page.goto('/robots.txt')
    await page.goBack()
    await waitForHydration(page)
    await page.waitForFunction(() => Math.abs(scrollY - 1200) < 2)
    expectNoConsoleErrors(visitor)
  })

  it('prefetches on intent except under Save-Data, ignores modified clicks, and loads the document if a script fails', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT, reducedMotion: 'no-preference' })
    const { page } = visitor
    await visit(visitor, '/about')
    await markDocument(page)
    await page.waitForLoadState('networkidle')
    const requests = recordRequests(visitor)
    await page.evaluate(() =>
      Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true }),
    )
    await barLink(page, 'Shop').hover()
    await barLink(page, 'Contact').focus()
    await page.waitForLoadState('networkidle')
    expect(requests, 'prefetches under Save-Data').toEqual([])

    await page.evaluate(() => Object.defineProperty(navigator, 'connection', { value: { saveData: false } }))
    await page.mouse.move(600, 600)
    // Hovering starts several prefetches. The request for stock is the last.
    const ahead = page.waitForResponse('**/api/stock')
    await barLink(page, 'Shop').hover()
    await ahead
    expect(requests.some((path) => path.includes('shop-page'))).toBe(true)
    requests.length = 0
    await barLink(page, 'Shop').click()
    await page.getByText('64 products').waitFor()
    expect(requests, 'requests after following the link').toEqual([])

    const isIntercepted = (modifier: string) =>
      barLink(page, 'Story').evaluate((link, name) => {
        const click = new MouseEvent('click', { bubbles: true, cancelable: true, [name]: true })
        let taken = false
        const look = (event: Event) => {
          taken = event.defaultPrevented
          event.preventDefault()
        }
        addEventListener('click', look, { once: true })
        link.dispatchEvent(click)
        return taken
      }, modifier)
    for (const modifier of ['ctrlKey', 'metaKey', 'shiftKey'])
      expect(await isIntercepted(modifier), modifier).toBe(false)
    expect(await isSameDocument(page)).toBe(true)

    let isCut = true
    await page.route('**/contact-page*', (route) => (isCut ? route.abort() : route.continue()))
    const document = page.waitForRequest((request) => request.isNavigationRequest())
    await barLink(page, 'Contact').evaluate((link) => (link as HTMLElement).click())
    await document
    isCut = false
    await page.getByRole('heading', { name: 'Contact us' }).waitFor()
    expect(await isSameDocument(page)).toBe(false)
  })
})
