import { readdirSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import type { Order } from '#shared/orders/contract.ts'
import { formatLocalPhone } from '#shared/payments/payment.ts'
import { listHorizontalOverflow } from '#test/support/page-checks.ts'
import {
  blockRequests,
  expectNoConsoleErrors,
  fetchAsPage,
  journeys,
  PHONE_VIEWPORT,
  type Shopper,
  visit,
  waitForHydration,
  withoutNavigationApi,
} from '#test/support/shopper.ts'
import {
  fillBilling,
  newAccount,
  openCheckout,
  openSignedInShopper,
  orderOneUnit,
  placedHeading,
  readStored,
  selectMpesa,
  storedLine,
  submitButton,
} from '#test/support/signed-in-shopper.ts'
import { type ServedShop, serveShop } from '#tools/local-shop.ts'
import { findFreePort } from '#tools/ports.ts'
import { type LocalProviders, openLocalProviders } from '#tools/sandbox/local.ts'

/** Test numbers of the M-Pesa sandbox (daraja-numbers.ts). */
const REFUSED_PHONE = '0700 000 012'
const NO_FUNDS_PHONE = '+254 700 000 002'
const UNANSWERED_PHONE = '0700000009'
const PAYING_PHONE = '0700000001'
const SILENT_PHONE = '0700 000 005'
const LATE_PHONE = '0700 000 007'

const checkYourPhone = (page: Page) => page.getByRole('heading', { name: 'Check your phone' })
const phoneField = (page: Page) => page.getByLabel('M-Pesa phone number')
const payButton = (page: Page) => page.getByRole('button', { name: /^Pay KSH/ })
const announcement = (page: Page) => page.getByRole('status').filter({ hasText: /\./ })

async function waitUntilShown(heading: Locator): Promise<void> {
  await heading.waitFor()
  const isShown = () =>
    heading.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return element === document.activeElement && top > 64 && bottom < innerHeight
    })
  await expect.poll(isShown).toBe(true)
}

/** In later documents, clicks a button once React has hydrated it, before the effects of that hydration run. */
async function clickDuringHydration(page: Page, label: string): Promise<void> {
  await page.addInitScript((text) => {
    let isClicked = false
    const click = () => {
      const button = [...document.querySelectorAll('button')].find((one) => one.textContent === text)
      const isHydrated = Object.keys(button ?? {}).some((key) => key.startsWith('__reactProps'))
      if (!button || !isHydrated || isClicked) return
      isClicked = true
      button.click()
    }
    // React schedules its work with a MessageChannel.
    const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage') ?? {}
    Object.defineProperty(MessagePort.prototype, 'onmessage', {
      set(handler: (event: MessageEvent) => void) {
        set?.call(this, (event: MessageEvent) => {
          click()
          handler(event)
        })
      },
    })
  }, label)
}

/** If the shop's font isn't loaded in time, a wider one may need another line. */
const FALLBACK_FONT_LINE_PX = 26

async function fillCheckoutWithMpesa(visitor: Shopper, phone: string): Promise<void> {
  await openCheckout(visitor)
  await fillBilling(visitor.page)
  await selectMpesa(visitor.page, phone)
}

journeys('checkout with M-Pesa', () => {
  it('shows why a payment failed and places the order once another phone pays', async () => {
    const account = await newAccount()
    const cart = [storedLine(0)]
    const visitor = await openSignedInShopper({ account, cart })
    const { page } = visitor
    await openCheckout(visitor)
    expect(
      await page.getByRole('radio').evaluateAll((all) => all.map((one) => one.parentElement?.textContent)),
    ).toEqual(['Card', 'M-Pesa'])
    await page.getByLabel('Name on card').waitFor()
    // Card fields must have no name, because the form would post named fields before hydration.
    expect(
      await page
        .locator('form.checkout__form')
        .evaluate((form: HTMLFormElement) => [...new FormData(form).keys()]),
    ).not.toContainEqual(expect.stringMatching(/^cc/))
    await fillBilling(page)
    await selectMpesa(page, '')
    const error = page.getByText(/M-Pesa phone number$/)
    await phoneField(page).blur()
    expect(await error.allInnerTexts(), 'an empty field is left').toEqual(['M-Pesa phone number'])
    await phoneField(page).fill('0812 345 678')
    await phoneField(page).blur()
    await page.getByText('Please enter a valid M-Pesa phone number').waitFor()
    await phoneField(page).fill('0812 345 679')
    await page.getByText('Please enter a valid M-Pesa phone number').waitFor({ state: 'hidden' })
    await submitButton(page).click()
    await page.getByText('Please enter a valid M-Pesa phone number').waitFor()
    expect(await phoneField(page).evaluate((field) => field === document.activeElement)).toBe(true)

    await phoneField(page).fill(REFUSED_PHONE)
    await submitButton(page).click()
    await page
      .getByRole('alert')
      .getByText('M-Pesa is still processing another payment from this phone. You haven’t been charged.')
      .waitFor()
    expect(await listHorizontalOverflow(page)).toEqual([])
    await phoneField(page).fill(NO_FUNDS_PHONE)
    await submitButton(page).click()
    for (const [sentence, next] of [
      ['Your M-Pesa balance is too low for this order. You haven’t been charged.', UNANSWERED_PHONE],
      ['We couldn’t reach your phone. You haven’t been charged.', PAYING_PHONE],
    ] as const) {
      await waitUntilShown(checkYourPhone(page))
      await announcement(page).getByText(sentence).waitFor()
      await waitUntilShown(page.getByRole('heading', { name: 'Not paid yet' }))
      await page.locator('.payment .banner--error').getByText(sentence).waitFor()
      const { y, height } = (await payButton(page).boundingBox()) ?? { y: 0, height: Infinity }
      expect(y + height, 'the next step is on the first screen').toBeLessThan(
        PHONE_VIEWPORT.height + FALLBACK_FONT_LINE_PX,
      )
      await phoneField(page).fill(next)
      await payButton(page).click()
    }
    await waitUntilShown(placedHeading(page))
    await page.getByText(/^M-Pesa: receipt SIM\w+$/).waitFor()
    expect(await listHorizontalOverflow(page)).toEqual([])
    expect([await readStored(page, 'cart'), await readStored(page, 'order')]).toEqual([null, null])
    expect(await visitor.orders()).toHaveLength(1)

    await page.evaluate((text) => localStorage.setItem('cart', text), JSON.stringify(cart))
    await visit(visitor, '/checkout')
    const methods = page.getByRole('radio')
    await methods.first().waitFor()
    const [first] = await methods.evaluateAll((all) => all.map((one) => one.parentElement?.textContent))
    expect([first, await methods.first().isChecked()], 'the method used last').toEqual(['M-Pesa', true])
    const phones = [phoneField(page), page.getByLabel(/for the rider/)]
    await expect
      .poll(() => Promise.all(phones.map((field) => field.inputValue())))
      .toEqual([formatLocalPhone(`254${PAYING_PHONE.slice(1)}`), ''])
  })

  it('replaces an unpaid order if the cart has changed since, also on the open cart page', async () => {
    const visitor = await openSignedInShopper({ account: await newAccount(), cart: [storedLine(0)] })
    const { page } = visitor
    await fillCheckoutWithMpesa(visitor, REFUSED_PHONE)
    await submitButton(page).click()
    await page.getByRole('alert').getByText('M-Pesa is still processing another payment').waitFor()
    await visit(visitor, '/cart')
    const notice = page.locator('.order-notice').getByText(/isn’t paid\.$/)
    await notice.waitFor()
    const numberLines = await notice.evaluate((text) => {
      text.style.inlineSize = '0'
      const count = text.querySelector('span')?.getClientRects().length
      text.style.inlineSize = ''
      return count
    })
    expect(numberLines, 'lines of the order’s number').toBe(1)
    await page.getByRole('button', { name: /^Increase quantity/ }).click()
    await page.getByRole('link', { name: 'Proceed to Checkout' }).first().click()
    await page.getByText(/isn’t paid. If you order again, the new order replaces it.$/).waitFor()
    await visit(visitor, '/about')
    await page.locator('.order-notice').getByRole('link', { name: 'Pay now' }).waitFor()

    const [order] = await visitor.orders()
    await visit(visitor, `/order/${order?.number}`)
    await page.getByText('Cancel this order', { exact: true }).click()
    await page.getByRole('button', { name: 'Yes, cancel this order' }).click()
    await page.locator('.order__buttons').getByRole('link', { name: 'Go to Cart' }).waitFor()
    expect(visitor.consoleErrors.filter((text) => text.startsWith('Hydration'))).toEqual([])
  })

  it('keeps the field and its focus when the payment fails while the shopper enters another phone', async () => {
    const account = await newAccount()
    const { number } = await orderOneUnit(account, {
      payment: { provider: 'mpesa', phone: UNANSWERED_PHONE },
    })
    const line = storedLine(7)
    const visitor = await openSignedInShopper({ account, cart: [line] })
    const { page } = visitor
    const sendPolls = await blockRequests(page, '**/api/orders/*/payment')
    await visit(visitor, `/checkout?order=${number}`)
    await page.getByText(`${line.title} isn’t in this order. It stays in your cart.`).waitFor()
    await page.getByRole('button', { name: 'Use another phone' }).click()
    await phoneField(page).fill('0700 000 0')
    sendPolls()
    await page.getByRole('heading', { name: 'Not paid yet' }).waitFor({ state: 'attached' })
    await page.keyboard.type('05')
    expect(await phoneField(page).inputValue()).toBe('0700 000 005')
    const { y = 0 } = (await phoneField(page).boundingBox()) ?? {}
    expect(y > 64 && y < PHONE_VIEWPORT.height).toBe(true)
    await page.keyboard.press('Enter')
    await waitUntilShown(checkYourPhone(page))
    expectNoConsoleErrors(visitor)
  })

  it('accepts the retry form before hydration and clears its error with the next payment', async () => {
    const account = await newAccount()
    const { number } = await orderOneUnit(account, { payment: { provider: 'mpesa', phone: REFUSED_PHONE } })
    const visitor = await openSignedInShopper({ account })
    const { page } = visitor
    const invalid = page.getByText('Please enter a valid M-Pesa phone number')
    const sendScripts = await blockRequests(page, '**/assets/*.js')
    await page.goto(`/checkout?order=${number}`, { waitUntil: 'commit' })
    await phoneField(page).fill('0812 1')
    await page.getByRole('button', { name: /^Pay KSH/ }).click({ noWaitAfter: true })
    await invalid.waitFor()
    sendScripts()
    await waitForHydration(page)
    await invalid.waitFor()
    expect(await phoneField(page).inputValue()).toBe('0812 1')
    await phoneField(page).fill(NO_FUNDS_PHONE)
    await page.getByRole('button', { name: /^Pay KSH/ }).click()
    await announcement(page).getByText('Your M-Pesa balance is too low for this order.').waitFor()
    await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
    expect(await invalid.count()).toBe(0)
    expect(visitor.consoleErrors.filter((text) => !text.includes('status of 400'))).toEqual([])
  })

  it('keeps waiting after a reload, in another tab and offline, until another device cancels the order', async () => {
    const account = await newAccount()
    const visitor = await openSignedInShopper({ account, cart: [storedLine(0)] })
    const { page } = visitor
    await openCheckout(visitor)
    await fillBilling(page)
    await page.getByRole('radio', { name: 'M-Pesa' }).check()
    await submitButton(page).click()
    await page.getByText('M-Pesa phone number is required').waitFor()
    await page.getByLabel('Phone (optional, for the rider)').fill(SILENT_PHONE)
    await page.getByText('M-Pesa phone number is required').waitFor({ state: 'hidden' })
    await page.getByText('To pay from another number, enter it here.').waitFor()
    expect(await phoneField(page).inputValue()).toBe(SILENT_PHONE)
    await submitButton(page).click()
    await checkYourPhone(page).waitFor()
    expect(await checkYourPhone(page).evaluate((heading) => heading === document.activeElement)).toBe(true)
    await announcement(page)
      .getByText('We’ve sent a prompt to 0700 000 005. Enter your M-Pesa PIN there to pay KSH')
      .waitFor()
    const again = page.getByRole('button', { name: 'Resend M-Pesa prompt' })
    expect(await again.getAttribute('aria-disabled')).toBe('true')
    await page.getByText(/You can resend it in [12]:\d\d/).waitFor()
    await page.getByText('Checking for your payment...').waitFor()
    expect(await page.locator('.payment button').allInnerTexts()).toEqual([
      'Resend M-Pesa prompt',
      'Use another phone',
      'Pay another way',
      '',
      '',
    ])
    expect(await readStored(page, 'cart')).toHaveLength(1)
    const cancel = page.locator('.payment > .disclosure')
    await cancel.locator('summary').click()
    const anotherWay = page.getByRole('button', { name: 'Pay another way' })
    await anotherWay.click()
    const payByCard = page.getByRole('heading', { name: 'Pay by card' })
    expect(await payByCard.evaluate((heading) => heading === document.activeElement)).toBe(true)
    await page.getByLabel('Name on card').waitFor()
    await page.getByRole('button', { name: /^Pay KSH [\d,]+ by card$/ }).waitFor()
    expect(await anotherWay.count(), 'the link of the open panel is hidden').toBe(0)
    expect(await page.getByRole('radio').count(), 'without M-Pesa, only the card is left').toBe(0)
    await page.getByRole('button', { name: 'Keep waiting for the prompt' }).click()
    await again.waitFor()
    expect(await anotherWay.evaluate((button) => button === document.activeElement)).toBe(true)
    expect(await page.getByLabel('Name on card').count()).toBe(0)
    await page.getByRole('button', { name: 'Use another phone' }).click()
    expect(await cancel.getAttribute('open'), 'the question whether to cancel stays open').toBe('')
    await phoneField(page).waitFor()
    await page.getByRole('heading', { name: 'Use another phone' }).waitFor()
    await announcement(page)
      .getByText('If you approve the prompt on 0700 000 005, don’t pay here too.')
      .waitFor()
    expect(await page.getByText(/Enter your M-Pesa PIN|Checking for your payment/).count()).toBe(0)
    const selection = await phoneField(page).evaluate((field) =>
      field instanceof HTMLInputElement
        ? field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0)
        : '',
    )
    expect(selection).toBe(SILENT_PHONE)
    expect(await again.count()).toBe(0)
    const [order] = await visitor.orders()
    const paymentUrl = `/api/orders/${order?.number}/payment`
    await page.route(`**${paymentUrl}`, async (route) =>
      // As if two minutes had passed, after which the same phone can be prompted again.
      route.request().method() === 'POST'
        ? route.fulfill({ response: await fetchAsPage(page, paymentUrl) })
        : route.continue(),
    )
    await page.getByRole('button', { name: 'Send prompt to this phone' }).click()
    await again.waitFor()
    expect(await phoneField(page).count(), 'with the same phone').toBe(0)
    await page.unroute(`**${paymentUrl}`)
    const path = `/checkout?order=${order?.number}`
    expect(page.url()).toContain(path)

    await page.reload()
    await waitForHydration(page)
    await checkYourPhone(page).waitFor()
    const noConnection = announcement(page).getByText('You seem to be offline.')
    await page.context().setOffline(true)
    await noConnection.waitFor()
    expect(await page.getByText(/Checking for your payment|You’ve been offline since/).count()).toBe(0)
    await page.context().setOffline(false)
    await noConnection.waitFor({ state: 'detached' })

    const tab = { ...visitor, page: await page.context().newPage() }
    await visit(tab, '/checkout')
    await tab.page.waitForURL(`**${path}`)
    await checkYourPhone(tab.page).waitFor()
    await tab.page.addInitScript(() => {
      const check = () =>
        document.querySelector('.order-notice') && Object.assign(window, { hasNotice: true })
      new MutationObserver(check).observe(document, { childList: true, subtree: true })
    })
    const followed = tab.page.waitForResponse('**/api/orders/*/payment')
    await visit(tab, `/order/${order?.number}`)
    await followed
    await tab.page.getByRole('link', { name: 'Continue payment' }).waitFor()
    // Scrolls the payment's sentence to where the offline message usually appears.
    const sentence = tab.page.locator('.payment .lead')
    await sentence.evaluate((lead) => scrollBy({ top: lead.getBoundingClientRect().top - 90 }))
    await page.context().setOffline(true)
    await tab.page.getByText(/^You’ve been offline since/).waitFor()
    const isCovered = await sentence.evaluate((lead) => {
      const [message, covered] = [document.querySelector('.flash-message'), lead].map((element) =>
        element?.getBoundingClientRect(),
      )
      return message && covered && message.top < covered.bottom && covered.top < message.bottom
    })
    await page.context().setOffline(false)
    expect(isCovered).toBe(false)
    expect(
      await tab.page.evaluate(() => 'hasNotice' in window),
      'a notice of the order on its own page',
    ).toBe(false)
    const sendNotice = await blockRequests(tab.page, '**/order-notice-*.js')
    await visit(tab, '/about')
    const getTop = () => tab.page.locator('main').evaluate((main) => main.getBoundingClientRect().top)
    const reservedTop = await getTop()
    sendNotice()
    const notice = tab.page.locator('.order-notice')
    await notice.getByText(`Order ${order?.number} isn’t paid.`).waitFor()
    expect(await getTop(), 'where the page starts once the notice has loaded').toBe(reservedTop)
    await notice.getByRole('link', { name: 'Continue' }).click()
    await checkYourPhone(tab.page).waitFor()
    await tab.page.close()

    // Another device has the session, but no stored order.
    const device = await openSignedInShopper({ account, profile: {} })
    await visit(device, '/dashboard')
    const pay = '**/api/orders/*/payment'
    await device.page.route(pay, (route) => route.abort('internetdisconnected'), { times: 1 })
    await device.page.getByRole('link', { name: 'Pay now' }).click()
    await device.page.getByRole('heading', { name: `We couldn’t load order ${order?.number}` }).waitFor()
    await device.page.evaluate(() => dispatchEvent(new Event('online')))
    await checkYourPhone(device.page).waitFor()
    await device.page.getByText('Cancel this order', { exact: true }).click()
    await device.page.getByRole('button', { name: 'Yes, cancel this order' }).click()
    await device.page.getByRole('heading', { name: 'This order was cancelled' }).waitFor()

    await page.getByRole('heading', { name: 'This order was cancelled' }).waitFor()
    expect(await readStored(page, 'cart')).toHaveLength(1)
    await page.getByRole('link', { name: 'Go to checkout' }).click()
    await submitButton(page).waitFor()
    expectNoConsoleErrors(visitor)
    expect(device.consoleErrors).toEqual(['Failed to load resource: net::ERR_INTERNET_DISCONNECTED'])
  })
})

function changeDatabase(stateFolder: string, statement: string): void {
  const folder = path.join(stateFolder, 'v3/d1/miniflare-D1DatabaseObject')
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) ?? ''
  const database = new DatabaseSync(path.join(folder, file))
  database.exec(statement)
  database.close()
}

journeys('a shop with M-Pesa and Paystack', () => {
  let stateFolder: string
  let providers: LocalProviders
  let shop: ServedShop

  beforeAll(async () => {
    stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-paystack-'))
    await cp(inject('newDatabase'), stateFolder, { recursive: true })
    const port = await findFreePort()
    providers = await openLocalProviders({ shopPort: port, delays: { answerMs: 300 }, log: () => {} })
    const vars = { ...providers.vars, PAYMENTS: 'mpesa,paystack' }
    shop = await serveShop({ port, stateFolder, vars, onLog: () => {} })
  })
  afterAll(async () => {
    await Promise.all([shop.close(), providers.close()])
    await rm(stateFolder, { recursive: true, force: true })
  })

  it('refunds a cancelled M-Pesa order, although the shop isn’t at the default port', async () => {
    const { url } = shop
    const account = await newAccount('Amina Wanjiru', url)
    const payment = { provider: 'mpesa', phone: '0711000001' }
    const { number } = await orderOneUnit(account, { payment, origin: url })
    const headers = { Authorization: `Bearer ${account.token}`, 'Content-Type': 'application/json' }
    const paid = async () => {
      const response = await fetch(`${url}/api/orders/${number}/payment`, { headers })
      return ((await response.json()) as { order: Order }).order.payment
    }
    await expect.poll(async () => (await paid())?.receipt, { timeout: 20_000 }).toMatch(/^SIM/)
    await fetch(`${url}/api/orders/${number}/cancel`, { method: 'POST', headers, body: '{}' })
    await expect.poll(async () => (await paid())?.refund, { timeout: 20_000 }).toBe('done')
  })

  it('places an expired order when its payment arrives late', async () => {
    const account = await newAccount('Amina Wanjiru', shop.url)
    const visitor = await openSignedInShopper({ account, cart: [storedLine(0)], origin: shop.url })
    const { page } = visitor
    await fillCheckoutWithMpesa(visitor, LATE_PHONE)
    await submitButton(page).click()
    await checkYourPhone(page).waitFor()
    const url = page.url()
    changeDatabase(stateFolder, "UPDATE orders SET expires_at_ms = 0 WHERE status = 'awaiting_payment'")
    await shop.runSchedule()
    await page.getByRole('heading', { name: 'This order has expired' }).waitFor()
    await page
      .getByText('If your payment does arrive, we’ll either go ahead with your order or refund you.')
      .waitFor()
    expect(await listHorizontalOverflow(page)).toEqual([])
    expect(await readStored(page, 'cart')).toHaveLength(1)
    await providers.payLate()
    await visit(visitor, url)
    await placedHeading(page).waitFor()
    // A late payment must not change the cart, which may belong to another order by now.
    expect(await readStored(page, 'cart')).toHaveLength(1)
    expectNoConsoleErrors(visitor)
  })

  it('redirects to Paystack and back until the order is paid, even without the Navigation API', async () => {
    const account = await newAccount('Amina Wanjiru', shop.url)
    const visitor = await openSignedInShopper({
      account,
      cart: [storedLine(0)],
      origin: shop.url,
      viewport: PHONE_VIEWPORT,
      reducedMotion: 'no-preference',
    })
    const { page } = visitor
    await withoutNavigationApi(page)
    await openCheckout(visitor)
    await fillBilling(page)
    expect(await page.getByRole('radio', { name: 'M-Pesa' }).isChecked()).toBe(true)
    await page.getByRole('radio', { name: 'Card' }).check()
    expect(await page.getByLabel('Card number').count()).toBe(0)
    await submitButton(page).click()
    const decline = page.getByRole('button', { name: 'Pay with a card that is declined' })
    await decline.waitFor()
    await page.goBack()
    const waiting = page.getByRole('heading', { name: 'Waiting for your payment' })
    await waiting.waitFor()
    await expect.poll(async () => (await waiting.boundingBox())?.y ?? 0).toBeGreaterThan(70)
    await page.goForward()
    await decline.waitFor()
    // Makes the next query of the provider due, as if the shopper had spent a few seconds on its page.
    changeDatabase(stateFolder, 'UPDATE payments SET next_check_at_ms = 0 WHERE next_check_at_ms > 0')
    await decline.click()
    await page.waitForURL('**/checkout?order=*')
    await waitForHydration(page)
    await page.getByRole('heading', { name: 'Not paid yet' }).waitFor()
    await page.getByRole('button', { name: /^Pay KSH/ }).click()
    await clickDuringHydration(page, 'Pay another way')
    await page.getByRole('button', { name: 'Go back without paying' }).click()
    const resume = page.getByRole('link', { name: 'Continue to Paystack' })
    await page.getByText('If you finish paying on Paystack’s page, don’t pay here too.').waitFor()
    expect(await resume.count()).toBe(0)
    await page.getByRole('button', { name: 'Keep waiting for your payment' }).click()
    await resume.click()
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await placedHeading(page).waitFor()
    await expect.poll(() => readStored(page, 'cart')).toBeNull()
    expectNoConsoleErrors(visitor)
  })
})
