import { expect, it } from 'vitest'
import { fillFields, formError, newEmail, submit } from '#test/support/forms.ts'
import {
  blockRequests,
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
  waitForHydration,
} from '#test/support/shopper.ts'
import { readStored } from '#test/support/signed-in-shopper.ts'

const EMAIL = 'amina@shopper.test'
const PASSWORD = 'kikoi-2026'

journeys('a page whose scripts are still loading', () => {
  it('shows the result of a form posted before hydration, and keeps text typed before it', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.goto('/register')
    await fillFields(visitor, {
      'Full Name': 'Amina',
      Email: 'a@b',
      Password: PASSWORD,
      'Confirm Password': PASSWORD,
    })
    await page.unroute('**/assets/*.js')
    visitor.consoleErrors.length = 0
    const sendScripts = await blockRequests(page, '**/assets/*.js')
    await page.getByRole('button', { name: 'Register', exact: true }).click({ noWaitAfter: true })
    await formError(visitor).filter({ hasText: 'Please enter a valid email.' }).waitFor()
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
    await fillFields(visitor, { Password: 'short' })

    sendScripts()
    await waitForHydration(page)
    await formError(visitor).filter({ hasText: 'Please enter a valid email.' }).waitFor()
    expect(await page.getByLabel('Full Name').inputValue()).toBe('Amina')
    await fillFields(visitor, { Email: 'amina@shopper.test', 'Confirm Password': 'short' })
    await submit(visitor, 'Register')
    await formError(visitor).filter({ hasText: 'Password must be at least 6 characters.' }).waitFor()
    expect(visitor.consoleErrors.filter((text) => !text.includes('status of 400'))).toEqual([])
  })

  it('keeps text typed right after the form’s hydration', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    // The hydrating form reads its fields. Microtasks run right after it, before any other task of React.
    await page.addInitScript((email) => {
      let hasTyped = false
      window.FormData = class extends FormData {
        constructor(form?: HTMLFormElement, submitter?: HTMLElement | null) {
          super(form, submitter)
          if (hasTyped) return
          hasTyped = true
          queueMicrotask(() => {
            form?.querySelector<HTMLInputElement>('[name=email]')?.focus()
            for (const character of email) document.execCommand('insertText', false, character)
          })
        }
      }
    }, EMAIL)
    await page.goto('/login')
    const field = page.getByLabel('Email address')
    await expect.poll(() => field.inputValue()).not.toBe('')
    await fillFields(visitor, { Password: PASSWORD })
    expect(await field.inputValue()).toBe(EMAIL)
    expectNoConsoleErrors(visitor)
  })

  it('adds every product tapped before hydration, then follows the link tapped last, and keeps the menu open', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    const openUnhydrated = async (path: string) => {
      const sendScript = await blockRequests(page, '**/assets/entry-*.js')
      await page.goto(path, { waitUntil: 'commit' })
      await page.waitForFunction(() => window.earlyClicks)
      return sendScript
    }
    const sendShop = await openUnhydrated('/products')
    const add = page.getByRole('button', { name: 'Add to Cart' })
    for (const nth of [0, 1, 1]) await add.nth(nth).click()
    await page.locator('.bar__cart').click()
    expect(new URL(page.url()).pathname).toBe('/products')
    sendShop()
    await page.waitForURL('**/login')
    expect(await readStored(page, 'cart')).toMatchObject([
      { id: 1, qty: 1 },
      { id: 2, qty: 1 },
    ])

    const sendProduct = await openUnhydrated('/product/3')
    for (const part of ['.related', '.product__actions'])
      await page.locator(part).getByRole('button', { name: 'Add to Cart' }).first().click()
    sendProduct()
    await expect
      .poll(() => readStored(page, 'cart'))
      .toMatchObject([
        { id: 1, qty: 2 },
        { id: 2, qty: 1 },
        { id: 3, qty: 1 },
      ])

    await page.setViewportSize(PHONE_VIEWPORT)
    const sendAbout = await openUnhydrated('/about')
    await page.getByRole('button', { name: 'Open menu' }).click()
    sendAbout()
    await waitForHydration(page)
    await page.getByRole('button', { name: 'Close menu' }).waitFor()
    expect(await page.locator('#menu').isVisible()).toBe(true)
    expectNoConsoleErrors(visitor)
  })

  it('performs a tap on a related product once its script has loaded', async () => {
    const { page } = await openShopper({ viewport: DESKTOP_VIEWPORT })
    const sendScript = await blockRequests(page, '**/related-products-*.js')
    await page.goto('/product/1')
    await waitForHydration(page)
    const related = page.getByRole('region', { name: 'You may also like' })
    await related.getByRole('button', { name: 'Add to Cart' }).first().click()
    sendScript()
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
  })
})

journeys('the shop without JavaScript', () => {
  it('can be browsed and registered with, and hides or explains what needs JavaScript', async () => {
    const visitor = await openShopper({ javaScriptEnabled: false, viewport: PHONE_VIEWPORT })
    const { page } = visitor
    const email = newEmail()
    await page.goto('/product/30')
    const isUncovered = await page.getByRole('link', { name: '12–18 months' }).evaluate((size) => {
      const { x, y, width, height } = size.getBoundingClientRect()
      return size.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    })
    expect(isUncovered, 'the first size is on the first screen').toBe(true)
    await page.goto('/register')
    for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
      await page.setViewportSize(viewport)
      expect(await page.getByRole('button', { name: 'Open menu' }).isVisible()).toBe(false)
      for (const name of ['Home', 'Shop', 'Contact', 'Register', 'Login', 'Cart']) {
        const link = page.getByRole('banner').getByRole('link', { name, exact: true })
        expect(await link.isVisible(), `${name}, ${viewport.width} pixels wide`).toBe(true)
      }
    }

    await fillFields(visitor, { 'Full Name': 'Grace', Email: email, Password: PASSWORD })
    await submit(visitor, 'Register')
    await page.getByText('All fields are required.').waitFor()
    expect(await page.getByLabel('Full Name').inputValue()).toBe('Grace')
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
    await fillFields(visitor, { Password: PASSWORD, 'Confirm Password': PASSWORD })
    await submit(visitor, 'Register')
    await page.waitForURL('**/login')
    await page.getByText(`You’re logged in as ${email}.`).waitFor()
    await page.setViewportSize(PHONE_VIEWPORT)
    const navigation = page.getByRole('navigation', { name: 'Main' })
    const tops = ['Dashboard', 'Grace'].map(async (name) => {
      const box = await navigation.getByRole('link', { name, exact: true }).boundingBox()
      return box?.y
    })
    const [dashboardTop, nameTop] = await Promise.all(tops)
    expect(nameTop, 'the name is in the row of “Dashboard”').toBe(dashboardTop)

    for (const [path, words] of [
      ['/cart', 'Your cart needs JavaScript'],
      ['/checkout', 'Checkout needs JavaScript'],
    ] as const) {
      await page.goto(path)
      await page.getByRole('heading', { name: words }).waitFor()
      expect(await page.getByRole('link', { name: 'Contact us' }).isVisible()).toBe(true)
      expect(await page.getByLabel(/^Loading your/).isVisible()).toBe(false)
    }
    await page.goto('/product/30')
    expect(await page.getByRole('button', { name: 'Add to Cart' }).count()).toBe(0)
    await page.getByRole('link', { name: '6–7 years' }).click()
    await page.locator('.product__price').filter({ hasText: 'KSH 4650' }).waitFor()
    expect(await page.getByRole('link', { name: '6–7 years' }).getAttribute('aria-current')).toBe('true')
    expect(await page.getByRole('radio').count()).toBe(0)
    await page.goto('/product/192')
    const label = page.locator('.chip[aria-current] s')
    const colours = await label.evaluate((element) =>
      [element, element.parentElement ?? element].map((one) => getComputedStyle(one).color),
    )
    expect(colours[0], 'a selected size that is sold out is legible').toBe(colours[1])
    await page.getByRole('link', { name: 'Size guide' }).click()
    await page.waitForURL('**/about#size-guide-head')
    expect(await page.getByRole('table', { name: 'Hats' }).isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.waitForURL((url) => url.pathname === '/')
    await page.goto('/cart')
    await page.waitForURL('**/login')
  })
})
