import type { Page, Route } from 'playwright-core'
import { expect, it } from 'vitest'
import { keepAmountsUnbroken } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import {
  blockRequests,
  DESKTOP_VIEWPORT,
  expectBriefText,
  expectNoConsoleErrors,
  fetchRoute,
  journeys,
  PHONE_VIEWPORT,
  visit,
  waitForHydration,
} from '#test/support/shopper.ts'
import {
  CARD_DETAILS,
  fillCheckout,
  newAccount,
  openCheckout,
  openSignedInShopper,
  PASSWORD,
  placedHeading,
  readStored,
  type SignedInShopper,
  storedLine,
  submitButton,
} from '#test/support/signed-in-shopper.ts'

const romper = storedLine(0)
const blanket = storedLine(5)

async function openFilledCheckout(cart = [romper]): Promise<SignedInShopper> {
  const visitor = await openSignedInShopper({ account: await newAccount(), cart })
  await fillCheckout(visitor)
  return visitor
}

/** Lets the next order reach the shop but drops the response. Calls `then` in between. */
async function loseResponse(page: Page, then: () => Promise<void> = async () => {}): Promise<void> {
  let isLost = false
  await page.route('**/api/orders', async (route: Route) => {
    if (isLost || route.request().method() !== 'POST') return route.fallback()
    isLost = true
    await fetchRoute(route)
    await then()
    return route.abort('connectionreset')
  })
}

async function expectPlaced({ page, orders }: SignedInShopper): Promise<void> {
  await placedHeading(page).waitFor()
  const placed = await orders()
  expect(placed).toHaveLength(1)
  await page.getByText(`Order ${placed[0]?.number}`).waitFor()
  expect(await page.evaluate(() => [localStorage.getItem('cart'), localStorage.getItem('order')])).toEqual([
    null,
    null,
  ])
}

async function expectPrinted(page: Page, texts: RegExp[]): Promise<void> {
  await page.emulateMedia({ media: 'print' })
  for (const text of texts) expect(await page.getByText(text).first().isVisible(), String(text)).toBe(true)
  expect(await page.getByRole('banner').innerText()).toBe(shop.name)
  expect(await page.getByRole('link', { name: 'Continue Shopping' }).isVisible()).toBe(false)
  expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0)
  await page.emulateMedia({ media: 'screen' })
}

journeys('checkout', () => {
  it('can be completed from Home by keyboard alone; its order can be printed and repeated, and prefills the next', async () => {
    const visitor = await openSignedInShopper({ account: await newAccount(), viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    const { keyboard } = page
    const tabTo = async (name: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab') => {
      for (let presses = 0; presses < 120; presses++) {
        await keyboard.press(key)
        const text = await page.evaluate(() => {
          const { activeElement: element } = document
          const labels = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined
          return labels ?? element?.getAttribute('aria-label') ?? element?.textContent ?? ''
        })
        if (name.test(text)) return
      }
      throw new Error(`Tab never reached ${name}.`)
    }
    await visit(visitor, '/')
    await keyboard.press('Escape')
    await tabTo(/Shop Kids Collection/)
    await keyboard.press('Enter')
    await page.waitForURL('**/products')
    await page.getByRole('button', { name: 'Add to Cart' }).first().waitFor()
    await tabTo(/Add to Cart/)
    await keyboard.press('Enter')
    await page.getByText('Added to cart').waitFor()
    await tabTo(/^Cart/, 'Shift+Tab')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    await tabTo(/Proceed to Checkout/)
    await keyboard.press('Enter')
    await page.getByText('Please confirm your billing details.').waitFor()
    await tabTo(/^Keep size/)
    await keyboard.press('Enter')
    await tabTo(/^Address$/)
    await keyboard.type('Moi Avenue 4')
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    await keyboard.type('Opposite the post office')
    await keyboard.press('Tab')
    await keyboard.type('Kenya')
    await keyboard.press('Tab')
    await keyboard.type('Nairobi')
    await keyboard.press('Tab')
    await keyboard.type('00100')
    await keyboard.press('Tab')
    await keyboard.type('0712 345 678')
    await tabTo(/^Add a gift note$/)
    await keyboard.press('Enter')
    await keyboard.press('Tab')
    await keyboard.type('Happy birthday, Wanjiru!')
    await tabTo(/^Add a KRA PIN$/)
    // Focuses "Pay with", in which the card is already selected.
    await keyboard.press('Tab')
    for (const text of ['Amina Wanjiru', '4242424242424242', '1239', '987']) {
      await keyboard.press('Tab')
      await keyboard.type(text)
    }
    await expectBriefText(page, 'Processing...', () => keyboard.press('Enter'), 'button')
    await expectPlaced(visitor)
    await page
      .getByText('Thank you for your purchase. You will receive a confirmation email shortly.')
      .waitFor()
    await page.getByText('We’ll pack it now and email you when it’s on its way.').waitFor()
    expect(await placedHeading(page).evaluate((heading) => heading === document.activeElement)).toBe(true)
    await tabTo(/Continue Shopping/)
    await expectPrinted(page, [/^Order P-/, /^1 × Organic Cotton/, /^Total$/])

    await page.reload()
    await waitForHydration(page)
    await placedHeading(page).waitFor()
    const [order] = await visitor.orders()
    await page.getByRole('link', { name: 'View your order' }).click()
    await page.getByText('We’ve received your order').waitFor()
    await expectPrinted(page, [
      /^Order P-/,
      /Organic Cotton/,
      /^Total$/,
      /ending in 4242/,
      /Kenya/,
      /^Happy birthday/,
    ])
    // A double tap must add the lines only once, even if the second click comes after the first one's result.
    await page.getByRole('button', { name: 'Order again' }).evaluate((button: HTMLElement) => {
      const status = button.parentElement?.nextElementSibling
      if (status) new MutationObserver(() => button.click()).observe(status, { childList: true })
      button.click()
    })
    await page.getByText('1 item added to your cart.').waitFor()
    expect(await page.locator('.order__actions a.button:not(.button--quiet)').textContent()).toBe(
      'Go to Cart',
    )
    expect(await readStored(page, 'cart')).toMatchObject([{ qty: 1 }])
    await page.setViewportSize(PHONE_VIEWPORT)
    const probe = Promise.withResolvers<Route>()
    await page.route('**/favicon.svg', probe.resolve, { times: 1 })
    await page.getByText('Cancel this order', { exact: true }).click()
    await page.getByText('If you cancel now, we’ll refund KSH').waitFor()
    const cancel = page.getByRole('button', { name: 'Yes, cancel this order' })
    await cancel.waitFor()
    await page.getByRole('button', { name: 'Keep order' }).click()
    await cancel.waitFor({ state: 'hidden' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel this order')
    await page.getByText('Cancel this order', { exact: true }).click()
    await page.context().setOffline(true)
    // The server's answer to a probe arrives after the connection is lost.
    await (await probe.promise).fulfill()
    await page.getByText(/^You’ve been offline since/).waitFor()
    await cancel.click()
    const notSent = page.getByRole('alert').filter({ hasText: 'so the order wasn’t cancelled. Reconnect' })
    await notSent.waitFor()
    await page.context().setOffline(false)
    await notSent.waitFor({ state: 'detached' })

    // The Wi-Fi is connected, but has no internet.
    await page.evaluate(() => {
      const { fetch } = window
      window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))
      addEventListener('online', () => Object.assign(window, { fetch }), { once: true })
    })
    for (let clicks = 0; clicks < 2; clicks++)
      await page.getByText('Cancel this order', { exact: true }).click()
    await page.getByText(/^You’ve been offline since/).waitFor()
    await cancel.click()
    await notSent.waitFor()
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await notSent.waitFor({ state: 'detached' })
    await page.setViewportSize(DESKTOP_VIEWPORT)
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await page.getByRole('row', { name: new RegExp(`${order?.number}.*Placed.*KSH`) }).waitFor()

    await page.evaluate((text) => localStorage.setItem('cart', text), JSON.stringify([romper]))
    await visit(visitor, '/checkout')
    const remembered = ['address', 'country', 'state', 'zip', 'landmark', 'giftNote'].map((field) =>
      page.locator(`#${field}`).inputValue(),
    )
    expect(await Promise.all(remembered)).toEqual([
      'Moi Avenue 4',
      'Kenya',
      'Nairobi',
      '00100',
      'Opposite the post office',
      '',
    ])
    await page.getByText('Your saved details are filled in.').waitFor()
    await page.getByRole('link', { name: 'Go to payment' }).click()
    const payment = page.getByRole('region', { name: 'Payment' })
    expect(await payment.evaluate((region) => region === document.activeElement)).toBe(true)
    expectNoConsoleErrors(visitor)
  })

  it('rejects a tampered price, and finds the order whose response was lost', async () => {
    const visitor = await openFilledCheckout([{ ...romper, price: 1 }])
    const { page } = visitor
    const context = page.context()
    expect(await submitButton(page).innerText()).toBe('Complete Order - KSH 31')
    await submitButton(page).click()
    await page
      .getByRole('alert')
      .getByText(
        keepAmountsUnbroken(`${romper.title}, 0–3 months now costs KSH ${romper.price} (was KSH 1).`),
      )
      .waitFor()
    expect(await visitor.orders()).toEqual([])
    expect(await readStored(page, 'cart')).toMatchObject([{ id: romper.id, price: romper.price }])

    await loseResponse(page, () => context.setOffline(true))
    await submitButton(page).click()
    await page.getByRole('alert').getByText('We lost the connection').waitFor()
    await page.getByText('Your cart and details are saved.').waitFor()
    expect(await readStored(page, 'cart')).toHaveLength(1)
    expect(await page.locator('#ccNumber').inputValue()).toBe(CARD_DETAILS.number)
    await page.locator('.bar__cart').click()
    const notice = page.locator('.order-notice')
    await notice.getByText('Once you’re back online, we’ll check').waitFor()
    await context.setOffline(false)
    await notice.getByText('Order Placed Successfully!').waitFor()
    await page.goBack()
    await expectPlaced(visitor)

    await page.getByRole('link', { name: 'Continue Shopping' }).click()
    await page.getByRole('link', { name: 'Shop Kids Collection' }).click()
    await page.getByRole('button', { name: 'Add to Cart' }).first().click()
    await page.locator('.bar__cart').click()
    await page.getByRole('link', { name: 'Proceed to Checkout' }).click()
    await submitButton(page).waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  it('places one order for a double click and shows its contents and link on other pages', async () => {
    const visitor = await openFilledCheckout([romper, { ...blanket, qty: 3 }])
    const { page } = visitor
    const send = await blockRequests(page, '**/api/orders')
    await submitButton(page).dblclick()
    await page.getByRole('button', { name: 'Processing...' }).waitFor()
    await page.locator('.bar__cart').click()
    const notice = page.locator('.order-notice')
    await notice
      .getByText(`: 1 × ${romper.title}, 0–3 months, 3 × ${blanket.title}. Changes you make to your cart now`)
      .waitFor()
    await page.getByRole('button', { name: `Increase quantity of ${romper.title}` }).click()
    send()
    await notice.getByText('Order Placed Successfully!').waitFor()
    await page.context().setOffline(true)
    const offlineMessage = page.getByText(/^You’ve been offline since/)
    await offlineMessage.waitFor()
    expect(await notice.count()).toBe(0)
    await page.setViewportSize({ width: 180, height: 370 })
    await page.evaluate(() => window.scrollTo({ top: 300, behavior: 'instant' }))
    const { y = 0, height = 0 } = (await offlineMessage.boundingBox()) ?? {}
    expect(y + height, 'at the bottom of the screen with text at 200%').toBe(370)
    await page.setViewportSize(PHONE_VIEWPORT)
    await page.context().setOffline(false)
    await notice.getByText('Order Placed Successfully!').waitFor()
    expect(await readStored(page, 'cart')).toMatchObject([{ id: romper.id, qty: 1 }])
    const placed = await visitor.orders()
    expect(placed.map(({ lines }) => lines.map(({ title, qty }) => [title, qty]))).toEqual([
      [
        [romper.title, 1],
        [blanket.title, 3],
      ],
    ])
    const [order] = placed
    await notice.getByRole('link', { name: `View order ${order?.number}` }).click()
    await page.getByRole('heading', { name: `Order ${order?.number}` }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    expect(await notice.count()).toBe(0)

    // Stores a pending order, as if the next page were loaded while the order is being placed.
    await page.evaluate(
      (attempt) => localStorage.setItem('order', attempt),
      JSON.stringify({ key: order?.key, sentAtMs: Date.now() }),
    )
    await visit(visitor, '/product/1')
    await notice.getByText('Order Placed Successfully!').waitFor()
    await page.locator('.product__actions').getByRole('button', { name: 'Add to Cart' }).click()
    const readPositions = () =>
      notice.evaluate((element) => {
        const [bar, main] = ['.bar__row', 'main'].map((one) =>
          document.querySelector(one)?.getBoundingClientRect(),
        )
        const { top, bottom } = element.getBoundingClientRect()
        return { belowBar: top - (bar?.bottom ?? 0), isMainClear: bottom <= (main?.top ?? 0) }
      })
    for (const path of ['/product/1', '/products', '/cart']) {
      await page.evaluate((to) => window.navigation.navigate(to).finished, path)
      for (const top of [400, 0]) {
        await page.evaluate((to) => window.scrollTo({ top: to, behavior: 'instant' }), top)
        const expected = top === 0 ? { belowBar: 0, isMainClear: true } : { belowBar: 0 }
        await expect.poll(readPositions, { message: `${path} at ${top} px` }).toMatchObject(expected)
      }
    }
    await notice.getByRole('button', { name: 'Close' }).click()
    expect(await notice.count()).toBe(0)
    expectNoConsoleErrors(visitor)
  })

  it('places one order from two tabs, and is empty in a third', async () => {
    const visitor = await openFilledCheckout()
    const other = { ...visitor, page: await visitor.page.context().newPage() }
    await fillCheckout(other)
    const third = await visitor.page.context().newPage()
    await openCheckout({ ...visitor, page: third })
    const sends = await Promise.all([visitor, other].map(({ page }) => blockRequests(page, '**/api/orders')))
    await Promise.all(
      [visitor, other].flatMap(({ page }) => [
        page.waitForRequest('**/api/orders'),
        submitButton(page).click(),
      ]),
    )
    for (const send of sends) send()
    await expectPlaced(visitor)
    await expectPlaced(other)
    await third.getByText('No items in your cart').waitFor()
  })

  it('opens Login once when the session has expired, and reopens with the billing details, but not the card', async () => {
    const visitor = await openFilledCheckout()
    const { page } = visitor
    await page.evaluate(() => localStorage.setItem('token', 'a'.repeat(43)))
    const destinations = await page.evaluateHandle(() => {
      const urls: string[] = []
      navigation.addEventListener('navigate', ({ destination }) =>
        urls.push(new URL(destination.url).pathname),
      )
      return urls
    })
    await submitButton(page).click()
    await page.getByRole('heading', { name: 'Welcome Back!' }).waitFor()
    expect(await destinations.jsonValue()).toEqual(['/login'])
    // Login must keep its message after other pages. Without a session, Cart redirects back to Login.
    const isAtCart = page.waitForEvent('framenavigated', (frame) => frame.url().endsWith('/cart'))
    await page.locator('.bar__cart').click()
    await isAtCart
    await page.waitForURL('**/login')
    await page.getByRole('link', { name: 'Forgot Password?' }).click()
    await page.getByRole('link', { name: 'Back to Login' }).click()
    await page.waitForURL('**/login')
    await page.reload()
    await page
      .getByText('Your session has ended. Please log in again. Your cart and details are saved.')
      .waitFor()
    expect(await readStored(page, 'cart')).toHaveLength(1)
    await page.getByLabel('Email address').fill(visitor.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('main').getByRole('button', { name: 'Login' }).click()
    await page.getByText('Login successful! Redirecting...').waitFor()
    await page.waitForURL('**/checkout')
    await submitButton(page).waitFor()
    const inputs = ['address', 'country', 'state', 'zip', 'ccNumber'].map((field) =>
      page.locator(`#${field}`).inputValue(),
    )
    expect(await Promise.all(inputs)).toEqual(['Moi Avenue 4', 'Kenya', 'Nairobi', '00100', ''])
    expect(await page.getByText('Your session has ended.').count()).toBe(0)
  })
})
