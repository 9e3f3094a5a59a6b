import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import {
  DESKTOP,
  expectNoComplaints,
  holdBack,
  hydrated,
  journeys,
  type Shopper,
  scrollTo,
  shopper,
  visit,
} from '#test/support/shopper.ts'

const bar = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
const scrollTop = (page: Page) => page.evaluate(() => scrollY)
const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id)

/** Marks the document, to see later whether it is still the same one. */
const mark = (page: Page) => page.evaluate(() => Object.assign(window, { isSame: true }))
const isSame = (page: Page) => page.evaluate(() => 'isSame' in window)

/** Addresses of this site asked for from now on, pictures and the tab's icon aside. */
function requestsOf({ page }: Shopper): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (request.resourceType() !== 'image' && pathname !== '/favicon.svg') asked.push(pathname)
  })
  return asked
}

/** Follows a link of the bar without the driver's own scrolling towards it. */
const follow = (page: Page, name: string) => bar(page, name).evaluate((link) => (link as HTMLElement).click())

journeys('going from page to page', () => {
  it('stays in the document, goes to the top, moves focus to the page, sets the title and announces it once', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/products')
    await mark(page)
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
    await scrollTo(page, 1500)
    await page.getByRole('link', { name: 'Buy Now' }).nth(9).click()
    await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Shop our' }).waitFor()
    await page.waitForFunction(() => scrollY === 0)
    expect(await focusedId(page)).toBe('main')
    const title = await page.title()
    expect(title).toContain(` · ${shop.name}`)
    expect(await isSame(page)).toBe(true)
    expect(await page.evaluate(() => (window as unknown as { heard: string[] }).heard)).toEqual([title])
    expectNoComplaints(visitor)
  })

  it('comes back and goes forward to the same place on the page, without a request', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/products')
    await scrollTo(page, 1200)
    await follow(page, 'Story')
    await page.waitForURL('**/about')
    await page.waitForFunction(() => scrollY === 0)
    for (const section of ['#sizes', '#privacy']) await page.locator(section).waitFor({ state: 'attached' })
    await scrollTo(page, 300)
    const asked = requestsOf(visitor)
    await page.goBack()
    await page.getByRole('heading', { name: 'Shop our collection' }).waitFor()
    expect(await scrollTop(page)).toBe(1200)
    expect(await page.title()).toBe(`Shop · ${shop.name}`)
    await page.goForward()
    await page.getByRole('heading', { name: 'Crafting Childhood Memories' }).waitFor()
    expect(await scrollTop(page)).toBe(300)
    expect(asked).toEqual([])
    expectNoComplaints(visitor)
  })

  it('restores the exact position when Back is pressed while the page still scrolls smoothly', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/products')
    await scrollTo(page, 1200)
    await follow(page, 'Story')
    await page.waitForURL('**/about')
    await page.waitForFunction(() => scrollY > 0 && scrollY < 1100)
    await page.evaluate(() => history.back())
    await page.getByRole('heading', { name: 'Shop our collection' }).waitFor()
    // The smooth scroll could move the page only in the frames right after.
    await page.evaluate(async () => {
      for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame)
    })
    expect(await scrollTop(page)).toBe(1200)
    expectNoComplaints(visitor)
  })

  it('leaves the page where it is while focus moves through the bar', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/products')
    await scrollTo(page, 1200)
    for (const name of ['Home', 'Contact', 'Login']) await bar(page, name).focus()
    expect(await scrollTop(page)).toBe(1200)
  })

  it('restores the place after a reload, and after a return from another document', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/products')
    await scrollTo(page, 900)
    await page.reload()
    await hydrated(page)
    await page.waitForFunction(() => Math.abs(scrollY - 900) < 2)
    await page.goto('/robots.txt')
    await page.goBack()
    await hydrated(page)
    await page.waitForFunction(() => Math.abs(scrollY - 900) < 2)
    await follow(page, 'Contact')
    await page.waitForURL('**/contact')
    await page.reload()
    await hydrated(page)
    await page.goBack()
    await page.getByRole('heading', { name: 'Shop our collection' }).waitFor()
    await page.waitForFunction(() => Math.abs(scrollY - 900) < 2)
    expectNoComplaints(visitor)
  })

  it('shows only the last of two quick navigations', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/about')
    const sendScript = await holdBack(page, '**/contact-page*')
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('.menu a[href="/contact"]')?.click()
      document.querySelector<HTMLElement>('.menu a[href="/products"]')?.click()
    })
    await page.getByRole('heading', { name: 'Shop our collection' }).waitFor()
    const arrived = page.waitForResponse('**/contact-page*')
    sendScript()
    await arrived
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Shop our collection')
    expect(page.url()).toMatch(/\/products$/)
    expect(await page.title()).toBe(`Shop · ${shop.name}`)
    await page.goBack()
    await page.goBack()
    await page.getByRole('heading', { name: 'Crafting Childhood Memories' }).waitFor()
    expectNoComplaints(visitor)
  })

  it('asks the server for the whole page when a script is out of reach', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/about')
    await mark(page)
    let isCut = true
    await page.route('**/shop-page*', (route) => (isCut ? route.abort() : route.continue()))
    const document = page.waitForRequest((request) => request.isNavigationRequest())
    await bar(page, 'Shop').click()
    await document
    isCut = false
    await page.getByRole('heading', { name: 'Shop our collection' }).waitFor()
    expect(await isSame(page)).toBe(false)
  })

  it('leaves new tabs, modified clicks, downloads and files to the browser', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/about')
    const opened = page.context().waitForEvent('page')
    await bar(page, 'Shop').click({ modifiers: ['ControlOrMeta'] })
    await (await opened).waitForURL('**/products')
    expect(page.url()).toMatch(/\/about$/)
    const prevented = await page.evaluate(() =>
      [
        ['/products', { target: '_blank' }],
        ['/products', { download: '' }],
        ['/Items.json', {}],
        ['https://pamba.example/', {}],
        ['mailto:hello@pamba.example', {}],
      ].map(([address, attributes]) => {
        const link = document.createElement('a')
        Object.assign(link, attributes, { href: address })
        if (Object.keys(attributes ?? {}).includes('download')) link.setAttribute('download', '')
        document.body.appendChild(link)
        const click = new MouseEvent('click', { bubbles: true, cancelable: true })
        // The last listener keeps the browser from following it in this test.
        let isTaken = false
        addEventListener(
          'click',
          (event) => {
            isTaken = event.defaultPrevented
            event.preventDefault()
          },
          { once: true },
        )
        link.dispatchEvent(click)
        link.remove()
        return isTaken
      }),
    )
    expect(prevented).toEqual([false, false, false, false, false])
    expectNoComplaints(visitor)
  })

  it('fetches a page when the shopper is about to follow its link, so that going there asks for nothing', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/about')
    const asked = requestsOf(visitor)
    // Of what the hover fetches, the stock is asked for last: once the catalogue is parsed.
    const ahead = page.waitForResponse('**/api/stock')
    await bar(page, 'Shop').hover()
    await ahead
    expect(asked.some((path) => path.includes('shop-page'))).toBe(true)
    asked.length = 0
    await bar(page, 'Shop').click()
    await page.getByText('64 products').waitFor()
    expect(asked).toEqual([])
    expectNoComplaints(visitor)
  })

  it('fetches nothing ahead when the shopper saves data', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    await page.addInitScript(() =>
      Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
    )
    await visit(visitor, '/about')
    await page.waitForLoadState('networkidle')
    const asked = requestsOf(visitor)
    await bar(page, 'Shop').hover()
    await bar(page, 'Contact').focus()
    await page.waitForLoadState('networkidle')
    expect(asked).toEqual([])
    await bar(page, 'Shop').click()
    await page.getByText('64 products').waitFor()
    expectNoComplaints(visitor)
  })
})
