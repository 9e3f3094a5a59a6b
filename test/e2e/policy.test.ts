import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { href, type RouteName, routes } from '#shared/routes.ts'
import { alive, DESKTOP, journeys, type Shopper, shopper, visit } from '#test/support/shopper.ts'
import {
  fillCheckout,
  fillForm,
  placedHeading,
  signedInShopper,
  storedLine,
  submitButton,
} from '#test/support/signed-in-shopper.ts'

const addresses = [
  ...Object.values(routes).map(({ path }) => path.replace(':id', '1')),
  href('product', { id: 999_999 }),
  href('shop', {}, { category: 'Toys', page: '2' }),
  href('resetPassword', {}, { oobCode: 'unknown' }),
  '/nowhere',
]
/** What the browser itself says of an answer that a journey asked for. */
const STATUS_LINE = /^Failed to load resource: the server responded with a status of (400|401|404|409) /
/** What § 8 wants in the console. */
const UNAUTHORIZED_LINE = 'Unauthorized access - please log in'

/** Asserts that the policy was kept and nothing was logged as an error. */
function expectQuiet({ complaints }: Shopper) {
  expect(complaints.filter((line) => !STATUS_LINE.test(line) && line !== UNAUTHORIZED_LINE)).toEqual([])
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

journeys('the policy a browser enforces', () => {
  it('is violated by no page, loaded or walked to, signed out', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    for (const address of addresses) await visit(visitor, address)
    await visit(visitor, '/about')
    for (const name of ['shop', 'contact', 'login', 'register', 'home'] satisfies RouteName[]) {
      await visitor.page
        .locator(`a[href="${href(name)}"]`)
        .first()
        .click()
      await visitor.page.waitForURL((url) => url.pathname === href(name))
    }
    expectQuiet(visitor)
  })

  it('is violated by no page, signed in, with a filled cart', async () => {
    const visitor = await signedInShopper({ cart: [storedLine(0), storedLine(3, { qty: 2 })] })
    for (const address of addresses) await visit(visitor, address)
    expectQuiet(visitor)
  })

  it('is violated by no state of the cart', async () => {
    const visitor = await signedInShopper({
      cart: [storedLine(0), storedLine(1, { image: 'https://elsewhere.example/shawl.jpg' }), storedLine(2)],
    })
    const { page } = visitor
    // The policy keeps an image of an unknown origin out, as it should; the browser reports just that.
    await visit(visitor, '/cart')
    await page
      .getByRole('button', { name: /^Increase quantity/ })
      .first()
      .click()
    await page
      .getByRole('button', { name: /^Remove .* from cart/ })
      .first()
      .click()
    await press(page, 'Cancel')
    for (const code of ['NOSUCHCODE', 'KARIBU10']) {
      await page.getByLabel('Promo code').fill(code)
      await press(page, 'Apply')
      await page
        .getByText(code === 'KARIBU10' ? 'KARIBU10 applied.' : 'This promo code is not known')
        .waitFor()
    }
    await press(page, 'Save for Later')
    await page
      .getByRole('button', { name: /^Move to cart/ })
      .first()
      .click()
    await press(page, 'Clear Cart')
    await page.getByRole('heading', { name: 'Your cart is empty!' }).waitFor()
    const complaints = visitor.complaints.filter((line) => !line.includes('elsewhere.example'))
    expectQuiet({ page, complaints })
  })

  it('is violated by no state of the checkout, up to the order on the dashboard', async () => {
    const visitor = await signedInShopper({ cart: [storedLine(0)], viewport: DESKTOP })
    const { page } = visitor
    await visit(visitor, '/checkout')
    await page.getByLabel('Address', { exact: true }).fill('')
    await submitButton(page).click()
    await page.getByText('Card number is required').waitFor()
    await fillForm(page)
    await submitButton(page).click()
    await placedHeading(page).waitFor()
    await visit(visitor, '/dashboard')
    await page.getByRole('row', { name: /Placed/ }).waitFor()
    await press(page, 'Logout')
    await page.waitForURL('**/login')
    expectQuiet(visitor)
  })

  it('is violated by no answer that a checkout gets', async () => {
    const visitor = await signedInShopper({ cart: [storedLine(0, { price: 1 })] })
    await fillCheckout(visitor)
    await submitButton(visitor.page).click()
    await visitor.page.getByText('Nothing was charged').first().waitFor()
    expect(visitor.complaints.filter((line) => /policy/i.test(line))).toEqual([])
  })

  it('is violated by no form, refused or sent', async () => {
    const extraHTTPHeaders = { 'CF-Connecting-IP': '10.99.1.7' }
    const visitor = await shopper({ extraHTTPHeaders })
    const { page } = visitor
    await visit(visitor, '/login')
    await press(page, 'Login')
    await page.getByText('All fields are required.').waitFor()
    await page.getByLabel('Email address').fill('nobody@shopper.test')
    await page.getByLabel('Password').fill('not-the-one')
    await press(page, 'Login')
    await page.getByText('The email or the password is not right.').waitFor()

    await visit(visitor, '/register')
    await page.getByLabel('Full Name').fill('Amina')
    await press(page, 'Register')
    await page.getByText('All fields are required.').waitFor()

    await visit(visitor, '/forgot-password')
    await press(page, 'Send Reset Email')
    await page.getByText('Email is required.').waitFor()
    await page.getByLabel('Email').fill('nobody@shopper.test')
    await press(page, 'Send Reset Email')
    await page.getByText('Reset email sent!').waitFor()

    await visit(visitor, '/contact')
    await press(page, 'Send Message')
    await page.getByText('Name is required').waitFor()
    await page.getByLabel('Name').fill('Amina')
    await page.getByLabel('Email').fill('amina@shopper.test')
    await page.getByLabel('Message', { exact: true }).fill('<img src=x onerror="document.title=1">')
    await press(page, 'Send Message')
    await page.getByRole('button', { name: 'Send Another Message' }).waitFor()
    expectQuiet(visitor)
  })

  it('is violated by no page that a form posted without scripts comes back as', async () => {
    const visitor = await shopper({ extraHTTPHeaders: { 'CF-Connecting-IP': '10.99.1.8' } })
    const { page } = visitor
    for (const address of [
      '/login',
      '/register',
      '/contact',
      '/forgot-password',
      '/reset-password?oobCode=x',
    ]) {
      await page.goto(address)
      await alive(page)
      const submit = () => {
        const form = document.querySelector<HTMLFormElement>('main form')
        if (form) HTMLFormElement.prototype.submit.call(form)
      }
      await Promise.all([page.waitForEvent('load'), page.evaluate(submit)])
      await alive(page)
    }
    expectQuiet(visitor)
  })

  it('is what really keeps foreign code out', async () => {
    const visitor = await shopper()
    await visit(visitor, '/about')
    const ran = await visitor.page.evaluate(async () => {
      const script = document.createElement('script')
      script.textContent = 'window.stolen = true'
      document.body.appendChild(script)
      const image = document.createElement('img')
      image.setAttribute('onerror', 'window.stolen = true')
      image.src = '/nowhere.png'
      document.body.appendChild(image)
      await new Promise((resolve) => image.addEventListener('error', resolve))
      return 'stolen' in window
    })
    expect(ran).toBe(false)
    expect(visitor.complaints.filter((line) => line.startsWith('The policy was violated')).length).toBe(2)
  })
})
