import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { listViolations } from '#test/support/axe.ts'
import {
  blockRequests,
  DESKTOP_VIEWPORT,
  expectBriefText,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
  visit,
  waitForPartHydration,
} from '#test/support/shopper.ts'
import { openSignedInShopper, readStored } from '#test/support/signed-in-shopper.ts'
import items from '../../public/Items.json'

const romper = items[0]
const relatedRow = (page: Page) => page.locator('.related__row')
const pauseButton = (page: Page) => page.getByRole('button', { name: 'Pause carousel' })
const playButton = (page: Page) => page.getByRole('button', { name: 'Play carousel' })

const readMotion = (page: Page) =>
  page.evaluate(() => {
    const track = document.querySelector('.related__track')
    const [animation] = track?.getAnimations() ?? []
    const copyPx = track?.lastElementChild?.getBoundingClientRect().width ?? 0
    const { duration } = animation?.effect?.getTiming() ?? {}
    return animation && { pxPerS: copyPx / (Number(duration) / 1000), state: animation.playState }
  })
const waitUntilMoving = (page: Page) =>
  page.waitForFunction(() => document.querySelector('.related__track')?.getAnimations().length === 1)
const waitUntilPaused = (page: Page) =>
  page.waitForFunction(() => document.querySelector('.related__track')?.getAnimations().length === 0)

async function touch(page: Page, x: number, y: number): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await devtools.detach()
}

journeys('a product', () => {
  it('is added with all of its fields, and its carousel pauses on hover, focus, click and touch', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT, reducedMotion: 'no-preference' })
    const { page } = visitor
    await visit(visitor, '/product/1')
    const rightEdges = await page
      .locator('.product__detail .stack > :is(.product__top, .lead, .product__actions)')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().right))
    expect(new Set(rightEdges).size, 'one right edge').toBe(1)
    expect(await page.getByRole('link', { name: 'Go to Cart' }).getAttribute('href')).toBe('/cart')
    const addProduct = page.locator('.product__detail').getByRole('button', { name: 'Add to Cart' })
    await expectBriefText(page, 'Added Organic Cotton Snap Romper to cart', () => addProduct.click())
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
    const { sizes: _sizes, scale: _scale, ...fields } = romper ?? {}
    expect(await readStored(page, 'cart')).toEqual([
      {
        ...fields,
        description: romper?.description.slice(0, 101),
        size: '0–3 months',
        isSizeAssumed: true,
        qty: 1,
      },
    ])

    await page.mouse.move(5, 5)
    await relatedRow(page).scrollIntoViewIfNeeded()
    await pauseButton(page).waitFor()
    await waitUntilMoving(page)
    expect((await readMotion(page))?.pxPerS, 'pixels a second').toBeCloseTo(50, 1)
    const others = items.filter(({ id, category }) => category === romper?.category && id !== 1)
    const listed = await page.locator('.related__cards').first().getByRole('img').all()
    expect(await Promise.all(listed.map((image) => image.getAttribute('alt')))).toEqual(
      others.map(({ title, name }) => title ?? name),
    )
    expect(await page.locator('.related h3').first().innerText()).toMatch(/^.{1,15}…?$/)

    await relatedRow(page).hover()
    await waitUntilPaused(page)
    await page.mouse.move(5, 5)
    await waitUntilMoving(page)
    // A click pauses the carousel until the visitor presses the button.
    await relatedRow(page).hover()
    await relatedRow(page).locator('h3').nth(1).click()
    await page.mouse.move(5, 5)
    await playButton(page).waitFor()
    expect(await readMotion(page)).toBeUndefined()
    await playButton(page).click()
    await waitUntilMoving(page)
    await pauseButton(page).click()
    await waitUntilPaused(page)
    await playButton(page).click()
    await waitUntilMoving(page)
    const title = await relatedRow(page).locator('h3').nth(1).boundingBox()
    await touch(page, DESKTOP_VIEWPORT.width / 2, (title?.y ?? 0) + 5)
    await playButton(page).waitFor()
    expect(await readMotion(page)).toBeUndefined()
    await playButton(page).click()
    await waitUntilMoving(page)

    // Focus pauses the carousel and scrolls the focused card into view. The copied cards have no tab stops.
    await page.mouse.move(5, 5)
    const stops = []
    for (;;) {
      await page.keyboard.press('Tab')
      const stop = await page.evaluate(() => {
        const element = document.activeElement
        const box = element?.getBoundingClientRect()
        const isInView = box && box.left >= 0 && box.right <= innerWidth
        return element?.closest('.related__row') ? `${element.textContent} ${isInView}` : undefined
      })
      if (!stop) break
      stops.push(stop)
    }
    expect(stops).toEqual(others.flatMap(() => ['Buy Now true', 'Add to Cart true']))
    await waitUntilMoving(page)

    await relatedRow(page).hover()
    const add = page.locator('.related__cards').first().getByRole('button', { name: 'Add to Cart' }).first()
    await expectBriefText(page, 'Added to cart', () => add.click(), '.toast')
    await page
      .locator('.related__cards[aria-hidden] button')
      .first()
      .evaluate((button) => (button as HTMLElement).click())
    await page.getByRole('link', { name: 'Cart 2 items' }).waitFor()
    await page.waitForFunction(() => JSON.parse(localStorage.getItem('cart') ?? '[]')[1]?.qty === 2)

    await page.emulateMedia({ reducedMotion: 'reduce' })
    await playButton(page).waitFor({ state: 'detached' })
    expect(await pauseButton(page).count()).toBe(0)
    expect(await readMotion(page)).toBeUndefined()
    expect(await page.locator('.related__cards').count()).toBe(1)
    expect(await relatedRow(page).evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true)
    expectNoConsoleErrors(visitor)
  })

  it('that is sold out cannot be added, and offers an email when it’s back', async () => {
    const visitor = await openSignedInShopper({ viewport: PHONE_VIEWPORT })
    const { page } = visitor
    const sendScript = await blockRequests(page, /back-in-sto/)
    await visit(visitor, '/product/44')
    const detail = page.locator('.product__detail')
    await detail.getByText('Sold out').waitFor()
    expect(await detail.getByLabel('Your email address').isVisible(), 'before its script has loaded').toBe(
      true,
    )
    sendScript()
    // After hydration, submitting the form no longer opens another page.
    await waitForPartHydration(detail.locator('form[action]'))
    expect(await detail.getByRole('button', { name: 'Add to Cart' }).count()).toBe(0)
    const submit = detail.getByRole('button', { name: 'Email me when it’s back' })
    const submitBox = await submit.boundingBox()
    expect(
      (submitBox?.y ?? PHONE_VIEWPORT.height) + (submitBox?.height ?? 0),
      'on the first screen',
    ).toBeLessThan(PHONE_VIEWPORT.height)
    const field = detail.getByLabel('Your email address')
    const isFocused = (element: Element) => element === document.activeElement
    expect(await field.inputValue()).toBe(visitor.email)
    await detail.getByText(`We’ll email ${visitor.email} once when it’s back.`).waitFor()
    await field.fill('')
    await detail.getByText('We’ll email you once when it’s back.').waitFor()
    await submit.click()
    await expect.poll(() => field.evaluate(isFocused)).toBe(true)
    expect(await detail.getByText('Email is required.').count(), 'after the first tap').toBe(0)
    for (const [email, problem] of [
      ['', 'Email is required.'],
      ['invalid', 'Please enter a valid email.'],
    ] as const) {
      await field.fill(email)
      await submit.click()
      await detail.getByText(problem).waitFor()
      await expect.poll(() => field.evaluate(isFocused)).toBe(true)
    }
    await page.setViewportSize(DESKTOP_VIEWPORT)
    expect(await submit.allTextContents(), 'the only submit button').toEqual(['Email me when it’s back'])
    await page.setViewportSize(PHONE_VIEWPORT)
    expect(await submit.allTextContents(), 'the only submit button').toEqual(['Email me when it’s back'])
    await field.fill('waits@shopper.test')
    await submit.click()
    const confirmation = detail.getByText(
      'We’ll email waits@shopper.test once, as soon as Coconut Shell Snack Pots is back in stock.',
    )
    await confirmation.waitFor()
    await expect.poll(() => confirmation.evaluate(isFocused)).toBe(true)
    // The page has scrolled so far that the bar covers a part of this link.
    expect(await listViolations(page, { exclude: ['.product__share'] })).toEqual([])
    await page.setViewportSize(DESKTOP_VIEWPORT)
    expect(await detail.getByLabel('Your email address').count()).toBe(0)
    expect([await detail.getByText('✓ Email alert set').isVisible(), await submit.count()]).toEqual([true, 0])
    await page.reload()
    await confirmation.waitFor()
    await detail.getByRole('button', { name: 'Use another email address' }).click()
    expect(await detail.getByLabel('Your email address').evaluate(isFocused)).toBe(true)
    expect(await detail.getByLabel('Your email address').inputValue()).toBe('')
    expect(await detail.getByText('Email is required.').count()).toBe(0)
    await page.getByRole('link', { name: 'Shop', exact: true }).first().click()
    const soldOut = page.locator('.grid li', { hasText: 'Coconut Shel' })
    await soldOut.getByText('Sold out').waitFor()
    const priceTops = await soldOut.evaluate((card) => {
      const { top } = card.getBoundingClientRect()
      const cards = [...document.querySelectorAll('.grid > li')]
      const row = cards.filter((other) => other.getBoundingClientRect().top === top)
      return row.map((other) => other.querySelector('b')?.getBoundingClientRect().top)
    })
    expect(priceTops.length).toBeGreaterThan(1)
    expect(new Set(priceTops).size, 'prices of the row are aligned').toBe(1)
    expect(visitor.consoleErrors.filter((complaint) => !complaint.includes('400'))).toEqual([])
  })

  it('is shared through the device’s share sheet, or by a link if there is none', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/product/1')
    const share = page.getByRole('link', { name: 'Share' })
    expect(await share.getAttribute('href')).toContain('https://wa.me/?text=Organic')
    await waitForPartHydration(share)
    const shared = await page.evaluate(
      () =>
        new Promise((resolve) => {
          Object.assign(navigator, {
            share: (data: ShareData) => {
              resolve(data)
              return Promise.reject(new DOMException('Cancelled.', 'AbortError'))
            },
          })
          document.querySelector<HTMLElement>('a[href*="wa.me"]')?.click()
        }),
    )
    const url = new URL('/product/1', page.url()).href
    expect(shared).toEqual({ title: 'Organic Cotton Snap Romper', url })
    expectNoConsoleErrors(visitor)
  })

  it('says how many units are in the cart, and links to its category', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/product/5')
    const add = page.locator('.product__detail').getByRole('button', { name: 'Add to Cart' })
    await add.click()
    await add.click()
    await page.getByText('2 in cart', { exact: true }).waitFor()
    await page.getByText('1–4 years', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'TOYS' }).click()
    await page.getByRole('status').getByText('Toys: 8 products').waitFor()
    expectNoConsoleErrors(visitor)
  })

  it('shows its terms of delivery and returns in a dialog, or on Contact if that fails to load', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/product/30')
    const terms = page.locator('.product__detail').getByRole('link', { name: /14-day\sreturns$/ })
    await terms.click()
    const dialog = page.getByRole('dialog', { name: 'Delivery and returns' })
    await dialog.getByText('We deliver to Nairobi').waitFor()
    await dialog.getByRole('heading', { name: 'Returns', exact: true }).waitFor()
    expect(await listViolations(page)).toEqual([])
    const links = await dialog.getByRole('link').count()
    for (let stop = 0; stop <= links; stop++) await page.keyboard.press('Tab')
    const isFocused = (element: Element) => element === document.activeElement
    expect(await dialog.getByRole('button', { name: 'Close' }).evaluate(isFocused), 'after a round').toBe(
      true,
    )
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await terms.evaluate(isFocused)).toBe(true)
    expectNoConsoleErrors(visitor)

    const offline = await openShopper()
    await visit(offline, '/product/30')
    await offline.page.route(/terms-dialog/, (route) => route.abort())
    await offline.page.getByRole('link', { name: /14-day\sreturns$/ }).click()
    await offline.page.waitForURL('**/contact#delivery')
  })

  it.each([
    ['in landscape', { width: 740, height: 360 }],
    ['at 200% zoom', { width: 640, height: 400 }],
    ['at 200% zoom on a phone', { width: 320, height: 370 }],
  ])('has its title, price and selected size on the first screen %s', async (_where, viewport) => {
    const visitor = await openShopper({ viewport, localStorage: { sizes: '{"age":"4–5 years"}' } })
    const { page } = visitor
    await visit(visitor, '/product/30')
    const detail = page.locator('.product__detail')
    const legend = detail.getByText('Size: 4–5 years').first()
    await legend.waitFor()
    for (const part of [
      detail.getByRole('heading', { level: 1 }),
      detail.locator('.product__price'),
      legend,
    ]) {
      const box = await part.boundingBox()
      expect((box?.y ?? 0) + (box?.height ?? viewport.height)).toBeLessThan(viewport.height)
    }
    const picture = await detail.getByRole('img').first().boundingBox()
    expect(picture?.width, 'no empty band').toBeLessThan(viewport.width / 2)
    expectNoConsoleErrors(visitor)
  })

  it('has its price, first size and buttons on the first screen in landscape', async () => {
    const viewport = { width: 740, height: 360 }
    const visitor = await openShopper({ viewport })
    const { page } = visitor
    await visit(visitor, '/product/30')
    const bottomOf = async (part: Locator) => {
      const { y, height } = (await part.boundingBox()) ?? { y: viewport.height, height: 0 }
      return y + height
    }
    const buttons = page.locator('.product__actions')
    expect(await bottomOf(buttons)).toBeLessThanOrEqual(viewport.height)
    const firstSize = await bottomOf(page.locator('.sizes .chip').first())
    expect(firstSize).toBeLessThan((await buttons.boundingBox())?.y ?? 0)
    expect(await bottomOf(page.locator('.product__price'))).toBeLessThan(firstSize)
    expectNoConsoleErrors(visitor)
  })

  it('has pictures that open in a dialog and enlarge on tap', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/product/30')
    const link = page.getByRole('link', { name: 'Enlarge picture: Indigo Quilted Toggle Jacket' })
    expect(await link.getAttribute('href'), 'without JavaScript').toMatch(/^\/images\/products\/.+\.svg$/)
    await link.click()
    const dialog = page.getByRole('dialog', { name: 'Indigo Quilted Toggle Jacket' })
    const fitted = await dialog.getByRole('button', { name: 'Zoom in' }).boundingBox()
    expect(fitted?.width, 'as wide as the screen').toBe(PHONE_VIEWPORT.width)
    await dialog.getByRole('button', { name: 'Zoom in' }).click()
    const enlarged = await dialog.getByRole('button', { name: 'Zoom out' }).boundingBox()
    expect(enlarged?.width).toBeGreaterThan(2 * (fitted?.width ?? 0))
    expect(await dialog.locator('.zoom').evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(100)
    expect(await listViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true)
    expectNoConsoleErrors(visitor)
  })

  it('can be loaded again after the catalogue failed to load', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT })
    const { page, consoleErrors } = visitor
    await visit(visitor, '/products?category=Toys')
    await page.route('/Items.json', (route) => route.fulfill({ body: '[{"id": "one"}]' }))
    await page.locator('.grid > li').first().getByRole('link').click()
    await page.getByRole('heading', { name: 'We couldn’t load this product' }).waitFor()
    expect(consoleErrors.length).toBeGreaterThan(0)
    await page.unroute('/Items.json')
    await page.getByRole('link', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Go to Cart' }).waitFor()
  })
})
