import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createDeliveryTerms } from '#shared/checkout/delivery.ts'
import { listViolations } from '#test/support/axe.ts'
import { expectNoConsoleErrors, fetchRoute, journeys, visit } from '#test/support/shopper.ts'
import {
  CARD_DETAILS,
  fillForm,
  newAccount,
  openCheckout,
  openSignedInShopper,
  placedHeading,
  type SignedInShopper,
  storedLine,
  submitButton,
} from '#test/support/signed-in-shopper.ts'

const romper = storedLine(0, { title: 'Romper', price: 250.25, qty: 2 })
const shuka = storedLine(5, { title: 'Shuka', price: 99.5 })

const required = {
  firstName: 'First name is required',
  lastName: 'Last name is required',
  email: 'Email is required',
  address: 'Address is required',
  country: 'Please select a country',
  state: 'Please select a county',
  zip: 'Zip code is required',
  ccName: 'Name on card is required',
  ccNumber: 'Card number is required',
  ccExpiration: 'Expiration date is required',
  ccCVV: 'CVV is required',
}

async function openCheckoutWith(cart = [romper, shuka]): Promise<SignedInShopper> {
  const visitor = await openSignedInShopper({ cart })
  await visit(visitor, '/checkout')
  await visitor.page.getByText('Please confirm your billing details.').waitFor()
  return visitor
}

async function readError(page: Page, field: string): Promise<string | undefined> {
  const control = page.locator(`#${field}`)
  const [isInvalid, id] = [
    await control.getAttribute('aria-invalid'),
    await control.getAttribute('aria-describedby'),
  ]
  return isInvalid && id ? page.locator(`#${id}`).innerText() : undefined
}

const readFocusedId = (page: Page) => page.evaluate(() => document.activeElement?.id)

journeys('the checkout form', () => {
  it('shows the summary, prefills the user’s details, and shows problems under their fields', async () => {
    const visitor = await openCheckoutWith()
    const { page } = visitor
    expect(await page.locator('.totals').isVisible()).toBe(false)
    await page.getByText('View summary').click()
    await page.getByText('Hide summary').waitFor()
    const rows = await page.locator('.totals > div').allInnerTexts()
    expect(rows.map((row) => row.replace(/\s+/g, ' '))).toEqual([
      'Items 3',
      'Subtotal KSH 600',
      'Shipping KSH 30',
      'VAT (16%) KSH 96',
      'Total KSH 726',
    ])
    expect(await submitButton(page).innerText()).toBe('Complete Order - KSH 726')
    await page.getByRole('heading', { name: 'Hello, Amina Wanjiru!' }).waitFor()
    const values = ['firstName', 'lastName', 'email'].map((field) => page.locator(`#${field}`).inputValue())
    expect(await Promise.all(values)).toEqual(['Amina', 'Wanjiru', visitor.email])
    expect(await page.getByText('Go to payment').count(), 'without an address').toBe(0)
    const purposes = await page
      .locator('form :is(input:not([type=radio]), select, textarea)')
      .evaluateAll((controls) =>
        controls.map((control) => ({
          id: control.id,
          autocomplete: control.getAttribute('autocomplete'),
          inputmode: control.getAttribute('inputmode'),
        })),
      )
    const autocompletes = Object.fromEntries(purposes.map(({ id, autocomplete }) => [id, autocomplete]))
    expect(autocompletes).toEqual({
      firstName: 'billing given-name',
      lastName: 'billing family-name',
      email: 'billing email',
      address: 'billing address-line1',
      address2: 'billing address-line2',
      country: 'billing country-name',
      state: 'billing address-level1',
      zip: 'billing postal-code',
      phone: 'billing tel',
      landmark: 'off',
      giftNote: 'off',
      kraPin: 'off',
      ccName: 'cc-name',
      ccNumber: 'cc-number',
      ccExpiration: 'cc-exp',
      ccCVV: 'cc-csc',
    })
    const numeric = purposes.filter(({ inputmode }) => inputmode === 'numeric').map(({ id }) => id)
    expect(numeric).toEqual(['zip', 'ccNumber', 'ccExpiration', 'ccCVV'])

    for (const field of ['firstName', 'lastName', 'email']) await page.locator(`#${field}`).fill(' ')
    await submitButton(page).click()
    for (const [field, message] of Object.entries(required)) {
      expect([field, await readError(page, field)]).toEqual([field, message])
    }
    expect(await readError(page, 'address2')).toBeUndefined()
    expect(await readFocusedId(page)).toBe('firstName')
    const overview = page.getByRole('alert').filter({ hasText: '11 fields need your attention:' })
    await overview.getByRole('link', { name: 'County' }).click()
    expect(await readFocusedId(page)).toBe('state')
    expect(await listViolations(page)).toEqual([])

    await page.locator('#address').fill('M')
    await page.locator('#country').selectOption('Kenya')
    await page.locator('#ccNumber').fill('4')
    const fields = ['address', 'country', 'ccNumber', 'zip', 'ccCVV']
    const errors = await Promise.all(fields.map((field) => readError(page, field)))
    expect(errors, 'the errors of the fields that were edited alone are gone').toEqual([
      ...[undefined, undefined, undefined],
      ...[required.zip, required.ccCVV],
    ])
    await page.getByText('8 fields need your attention:').waitFor()

    for (const [field, value] of Object.entries({
      firstName: 'Amina',
      lastName: 'Wanjiru',
      email: visitor.email,
    }))
      await page.locator(`#${field}`).fill(value)
    await fillForm(page)
    for (const [field, value, message] of [
      ['email', 'amina@shop', 'Please enter a valid email address'],
      ['ccNumber', '4242 4242 4242', 'Please enter a valid card number'],
      ['ccExpiration', '10/25', 'Please enter a valid expiration date (MM/YY)'],
      ['ccCVV', '12', 'Please enter a valid CVV'],
    ] as const) {
      const control = page.locator(`#${field}`)
      const validValue = await control.inputValue()
      await control.fill(value)
      await submitButton(page).click()
      expect([value, await readError(page, field)]).toEqual([value, message])
      expect(await readFocusedId(page)).toBe(field)
      expect(await page.getByText('need your attention').count()).toBe(0)
      await control.fill(validValue)
    }
    expect(await page.locator('#giftNote, #kraPin').filter({ visible: true }).count()).toBe(0)
    await page.getByText('Add a KRA PIN').click()
    await page.locator('#kraPin').fill('A1')
    await page.getByText('Add a KRA PIN').click()
    await submitButton(page).click()
    expect(await readError(page, 'kraPin')).toContain('Please enter a valid KRA PIN')
    expect(await readFocusedId(page), 'opens the link that hides it').toBe('kraPin')
    await page.locator('#kraPin').fill('A2')
    await expect.poll(() => readError(page, 'kraPin')).not.toContain('Please enter')
    const mpesa = page.getByRole('radio', { name: 'M-Pesa' })
    await mpesa.click()
    expect(await mpesa.isChecked(), 'the error moves nothing before the click').toBe(true)
    expect(await readError(page, 'kraPin')).toContain('Please enter a valid KRA PIN')
    await page.getByText('Add a gift note').click()
    await page.locator('#giftNote').fill('Hongera!')
    await page.reload()
    await page.locator('#giftNote').waitFor()
    expect(await page.locator('#giftNote').inputValue()).toBe('Hongera!')
    expect(await visitor.orders()).toEqual([])
    expectNoConsoleErrors(visitor)
  })

  it("shows each county's delivery fee, offers pickup if configured, and reports changed terms", async () => {
    const visitor = await openSignedInShopper({ account: await newAccount(), cart: [storedLine(22)] })
    const { page } = visitor
    // The page shows a zone and pickup that the server doesn't offer, as if they were removed after the page loaded.
    const zones = [{ name: 'Coast', counties: ['Mombasa'], feeKsh: 250 }] as const
    const terms = createDeliveryTerms({ zones, pickup: 'Biashara Street 9' })
    const delivery = JSON.stringify({ ...terms, time: '1 to 3 days' })
    await page.route('**/checkout', async (route) => {
      const response = await fetchRoute(route)
      const body = (await response.text()).replace('id="boot">{', `$&"delivery":${delivery},`)
      await route.fulfill({ response, body })
    })
    await visit(visitor, '/checkout')
    await page.getByText('Shipping depends on your county. Choose a county to see the total.').waitFor()
    await page.getByText('Deliver to me: from KSH 30').waitFor()
    await fillForm(page)
    await page.getByText('Shipping to Nairobi costs KSH 30.').waitFor()
    await page.getByLabel('County').selectOption('Mombasa')
    await page.getByText('Shipping to Mombasa costs KSH 250.').waitFor()
    await page.getByText('Deliver to me: KSH 250').waitFor()
    await page.getByLabel('Landmark').fill('Opposite the bank')
    const parseTotal = (text: string | null) => Number(/\d+/.exec(text ?? '')?.[0])
    const deliveredKsh = parseTotal(await submitButton(page).textContent())
    await page.getByLabel('I’ll pick it up: free').check()
    await page.getByText('We won’t deliver to this address.').waitFor()
    await page.getByLabel('Phone (optional)', { exact: true }).waitFor()
    expect(await page.getByLabel('Landmark').count()).toBe(0)
    expect(parseTotal(await submitButton(page).textContent())).toBe(deliveredKsh - 250)
    expect(await listViolations(page)).toEqual([])

    await submitButton(page).click()
    await page.getByText('We no longer offer pickup. You haven’t been charged.').waitFor()
    await page.getByText('Shipping is now KSH 30.').waitFor()
    expect(await page.getByLabel('I’ll pick it up').count()).toBe(0)
    expect(await page.getByLabel('Landmark').inputValue()).toBe('Opposite the bank')
    expect(parseTotal(await submitButton(page).textContent())).toBe(deliveredKsh - 220)
    expect(await visitor.orders()).toEqual([])
    await submitButton(page).click()
    await placedHeading(page).waitFor()
  })

  it('formats the card while typing and never stores, logs or sends it, nor puts it in the URL', async () => {
    const visitor = await openSignedInShopper({ cart: [{ ...shuka, price: 1001 }] })
    const { page } = visitor
    const sentAndStored: string[] = []
    page.on('request', (request) => sentAndStored.push(request.url(), request.postData() ?? ''))
    page.on('console', (message) => sentAndStored.push(message.text()))
    await openCheckout(visitor)
    await page.getByText('View summary').click()
    await page.getByText('You qualify for free shipping!').waitFor()
    const rows = await page.locator('.totals > div').allInnerTexts()
    expect(rows.map((row) => row.replace(/\s+/g, ' ')).slice(1)).toEqual([
      'Subtotal KSH 1001',
      'Shipping FREE',
      'VAT (16%) KSH 160.16',
      'Rounding −KSH 0.16',
      'Total KSH 1161',
    ])

    const number = page.locator('#ccNumber')
    const caret = () => number.evaluate((input: HTMLInputElement) => input.selectionStart)
    await number.pressSequentially('4242424242424242999')
    expect(await number.inputValue()).toBe('4242 4242 4242 4242')
    await number.evaluate((input: HTMLInputElement) => input.setSelectionRange(7, 7))
    await page.keyboard.press('Backspace')
    expect([await number.inputValue(), await caret()]).toEqual(['4242 4424 2424 242', 6])
    await page.keyboard.press('7')
    expect([await number.inputValue(), await caret()]).toEqual(['4242 4742 4242 4242', 7])

    await number.fill('')
    await number.focus()
    await page.keyboard.insertText('5555-5555-5555-4444')
    expect(await number.inputValue()).toBe('5555 5555 5555 4444')

    const date = page.locator('#ccExpiration')
    await date.pressSequentially('1239')
    expect(await date.inputValue()).toBe('12/39')
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Backspace')
    expect(await date.inputValue()).toBe('1')

    const cvv = page.locator('#ccCVV')
    await cvv.pressSequentially('1a2b345')
    expect(await cvv.inputValue()).toBe('1234')

    await fillForm(page)
    await page.route('**/api/orders', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 402, json: { message: 'Declined.', code: 'payment_declined' } })
        : route.continue(),
    )
    await submitButton(page).click()
    await page.getByText('Declined.').waitFor()
    await page.getByText('You haven’t been charged.').waitFor()
    sentAndStored.push(page.url(), await page.evaluate(() => JSON.stringify([localStorage, sessionStorage])))
    const all = sentAndStored.join('\n')
    for (const secret of [
      CARD_DETAILS.number,
      CARD_DETAILS.number.replaceAll(' ', ''),
      CARD_DETAILS.expiration,
      `"${CARD_DETAILS.cvv}"`,
    ]) {
      expect(all).not.toContain(secret)
    }
    expect(all).toContain('"lastFour":"4242"')
    expect(await page.locator('#ccNumber').inputValue()).toBe(CARD_DETAILS.number)
  })
})
