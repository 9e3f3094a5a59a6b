import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import { waitForEmailLink } from '#test/support/email-link.ts'
import {
  fillFields,
  formError,
  NOTHING_STORED,
  newEmail,
  pageHeader,
  readStoredSession,
  submit,
  UNAUTHORIZED,
  waitForDashboard,
} from '#test/support/forms.ts'
import {
  DESKTOP_VIEWPORT,
  expectBriefText,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  type Shopper,
  scrollTo,
  visit,
} from '#test/support/shopper.ts'
import { newAccount, orderOneUnit, storedLine } from '#test/support/signed-in-shopper.ts'

const PASSWORD = 'kikoi-2026'

const pathOf = ({ page }: Shopper) => new URL(page.url()).pathname

async function holdResponse({ page }: Shopper, path: string, status: number, body: string) {
  const release = Promise.withResolvers<void>()
  await page.route(`**${path}`, async (route) => {
    await release.promise
    await route.fulfill({ status, body, contentType: 'application/json' })
  })
  return release.resolve
}

journeys('a signed-out shopper', () => {
  it('opens the order that they looked for once they log in', async () => {
    const account = await newAccount()
    const { number } = await orderOneUnit(account)
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, `/order/${number}`)
    await page.getByRole('link', { name: 'log in' }).click()
    await page.getByText('Log in to open your order.').waitFor()
    await fillFields(visitor, { 'Email address': account.email, Password: PASSWORD })
    await submit(visitor, 'Login')
    await page.getByRole('heading', { name: `Order ${number}` }).waitFor()
  })

  it('registers, shops, logs out and in, and resets a forgotten password', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    const email = newEmail()

    await visit(visitor, '/register')
    await page.getByRole('heading', { name: `Join ${shop.name}!` }).waitFor()
    await fillFields(visitor, { 'Full Name': 'Amina Wanjiru', Email: ` ${email} ` })
    await fillFields(visitor, { Password: PASSWORD, 'Confirm Password': PASSWORD })
    const success = 'Registration successful! Redirecting to login...'
    // Home shows the message for only a second, so the check runs in the page itself.
    await Promise.all([
      page.waitForFunction(
        (words) => location.pathname === '/' && document.body.textContent?.includes(words),
        success,
      ),
      submit(visitor, 'Register'),
    ])
    await page.waitForURL('**/login')
    await page.getByText(`You’re logged in as ${email}.`).waitFor()
    expect(await page.getByLabel('Email address').inputValue()).toBe('')
    await page.getByText(success).waitFor({ state: 'hidden' })

    await page.getByRole('link', { name: 'Go shopping' }).click()
    await page.waitForURL('**/products')
    await pageHeader(visitor).getByRole('link', { name: 'Amina Wanjiru' }).click()
    await page.waitForURL('**/dashboard')
    await page.getByRole('heading', { name: `Welcome, ${email}` }).waitFor()
    await waitForDashboard(visitor)

    await pageHeader(visitor).getByRole('button', { name: 'Logout' }).click()
    await page.waitForURL('**/login')
    expect(await readStoredSession(visitor)).toEqual(NOTHING_STORED)
    const names = (await page.context().cookies()).map(({ name }) => name)
    expect(names).not.toContain('session')

    await fillFields(visitor, { 'Email address': email.toUpperCase(), Password: PASSWORD })
    await expectBriefText(page, 'Login successful! Redirecting...', () => submit(visitor, 'Login'))
    expect(await page.getByLabel('Password').count()).toBe(0)
    await page.waitForURL((url) => url.pathname === '/')
    await pageHeader(visitor).getByRole('button', { name: 'Logout' }).click()
    await pageHeader(visitor).getByRole('link', { name: 'Cart' }).click()
    await page.getByText('Log in or register to open your cart.').waitFor()
    const password = page.getByLabel('Password')
    await password.fill('kitenge')
    await page.getByRole('button', { name: 'Show password' }).click()
    expect([await password.getAttribute('type'), await password.inputValue()]).toEqual(['text', 'kitenge'])
    await page.getByRole('link', { name: 'Forgot Password?' }).click()

    await page.getByRole('heading', { name: 'Reset Password' }).waitFor()
    await page.getByText('Enter your email to receive a password reset link.').waitFor()
    await fillFields(visitor, { Email: email })
    const sentMessage = 'Reset email sent! Check your inbox and redirecting...'
    await expectBriefText(page, sentMessage, () => submit(visitor, 'Send Reset Email'))
    expect(await page.getByLabel('Email', { exact: true }).count()).toBe(0)
    await page.waitForURL('**/login')

    await visit(visitor, await waitForEmailLink(email))
    await fillFields(visitor, { 'New Password': 'kitenge-2027', 'Confirm Password': 'kitenge-2027' })
    await submit(visitor, 'Set New Password')
    await page.getByText('Your new password has been set.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Log in' }).click()
    await page.getByLabel('Password').waitFor()
    expect(await page.getByLabel('Email address').inputValue(), 'filled in').toBe(email)
    await fillFields(visitor, { Password: 'kitenge-2027' })
    await submit(visitor, 'Login')
    await page.waitForURL((url) => url.pathname === '/')
    // The device has logged in to the account, so the reset keeps its name although the address wasn't verified.
    expect(JSON.parse((await readStoredSession(visitor)).user ?? '')).toMatchObject({
      email,
      name: 'Amina Wanjiru',
    })
    expectNoConsoleErrors(visitor)
  })

  it('is sent from far down a page to the top of Login, which says why, as does Register, and leads to the cart', async () => {
    const { email } = await newAccount()
    const visitor = await openShopper({ reducedMotion: 'no-preference' })
    const { page } = visitor
    await visit(visitor, '/product/1')
    await page.locator('.product__actions').getByRole('button', { name: 'Add to Cart' }).click()
    await page.getByRole('link', { name: 'Cart 1 item' }).waitFor()
    await scrollTo(page, 500)
    await page.locator('.product__actions').getByRole('link', { name: 'Go to Cart' }).click()
    await page.getByText('Log in or register to open your cart. We’ve saved your item.').waitFor()
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
    await page.getByRole('main').getByRole('link', { name: 'Register' }).click()
    await page.getByText('Your cart is saved: 1 item.').waitFor()
    await page.getByRole('link', { name: 'Already have an account? Log in' }).click()
    await fillFields(visitor, { 'Email address': email, Password: PASSWORD })
    await submit(visitor, 'Login')
    await page.waitForURL((url) => url.pathname === '/')
    await page.getByText('Your cart has 1 item.').waitFor()
    await page.getByRole('link', { name: 'Open your cart' }).click()
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    expect(await page.getByText('Your cart has 1 item.').count()).toBe(0)
    expectNoConsoleErrors(visitor)
  })

  it('registers on the way to the cart, which opens next, and must log in for it again after a logout', async () => {
    const cart = JSON.stringify([storedLine(0)])
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT, localStorage: { cart } })
    const { page } = visitor
    const email = newEmail()
    await visit(visitor, '/cart')
    await page.getByRole('main').getByRole('link', { name: 'Register' }).click()
    await page.getByText('Your cart is saved: 1 item.').waitFor()
    await fillFields(visitor, { 'Full Name': 'Amina Wanjiru', Email: email })
    await fillFields(visitor, { Password: PASSWORD, 'Confirm Password': PASSWORD })
    await submit(visitor, 'Register')
    await page.getByRole('heading', { name: 'Cart Items (1)' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/cart')

    await pageHeader(visitor).getByRole('button', { name: 'Logout' }).click()
    await page.waitForURL('**/login')
    // Login already gives this reason after the logout, so the next one must come from another page.
    await pageHeader(visitor).getByRole('link', { name: 'Contact', exact: true }).click()
    await page.waitForURL('**/contact')
    await page.getByText('Log in or register to open your cart.').waitFor({ state: 'detached' })
    await pageHeader(visitor).getByRole('link', { name: 'Cart' }).click()
    await page.getByText('Log in or register to open your cart.').waitFor()
    await fillFields(visitor, { 'Email address': email, Password: PASSWORD })
    await expectBriefText(page, 'Login successful! Redirecting...', () => submit(visitor, 'Login'))
    await page.waitForURL((url) => url.pathname === '/')
    expectNoConsoleErrors(visitor)
  })

  it('sees which field each login error is about and when the form is busy, and keeps the email for a reset', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/login')
    await page.getByRole('heading', { name: 'Welcome Back!' }).waitFor()
    const attempts: [Record<string, string>, string, string][] = [
      [{}, 'All fields are required.', 'Email address'],
      [{ 'Email address': 'amina@shopper' }, 'All fields are required.', 'Password'],
      [{ Password: 'short' }, 'Please enter a valid email.', 'Email address'],
      [{ 'Email address': 'amina@shopper.test' }, 'Password must be at least 6 characters.', 'Password'],
    ]
    for (const [fields, message, label] of attempts) {
      await fillFields(visitor, fields)
      await submit(visitor, 'Login')
      await formError(visitor).filter({ hasText: message }).waitFor()
      // The message may be left from the previous attempt, so this also waits for the field's focus.
      const field = page.locator('input:focus').and(page.getByLabel(label))
      await field.waitFor()
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      expect(await field.getAttribute('aria-describedby')).toBe(await formError(visitor).getAttribute('id'))
    }
    expectNoConsoleErrors(visitor)

    await fillFields(visitor, { Password: 'not-the-one' })
    await submit(visitor, 'Login')
    await formError(visitor).filter({ hasText: 'Email or password is incorrect.' }).waitFor()
    expect(pathOf(visitor)).toBe('/login')
    expect(visitor.consoleErrors).toContain(UNAUTHORIZED)
    await expectBusyThenFailure(visitor, '/api/auth/login', 'Login', 'Logging in...', 'Login failed')

    await page.getByRole('link', { name: 'Forgot Password?' }).click()
    await page.getByRole('heading', { name: 'Reset Password' }).waitFor()
    expect(await page.getByRole('textbox', { name: /email/i }).inputValue()).toBe('amina@shopper.test')
    for (const [email, message] of [
      ['  ', 'Email is required.'],
      ['a b@c.co', 'Please enter a valid email.'],
    ] as const) {
      await fillFields(visitor, { Email: email })
      await submit(visitor, 'Send Reset Email')
      await formError(visitor).filter({ hasText: message }).waitFor()
    }
    await fillFields(visitor, { Email: 'amina@shopper.test' })
    const call = '/v1/accounts:sendOobCode'
    await expectBusyThenFailure(visitor, call, 'Send Reset Email', 'Sending...', 'Reset failed. Try again.')

    await page.goBack()
    await page.getByRole('heading', { name: 'Welcome Back!' }).waitFor()
    expect(await page.getByLabel('Email address').inputValue()).toBe('amina@shopper.test')
    expect(await page.getByLabel('Password').inputValue()).toBe('')
  })

  it('sees each registration error, is signed in even after leaving the page, and Login says so while it is busy', async () => {
    const visitor = await openShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    await visit(visitor, '/register')
    const attempts: [Record<string, string>, string][] = [
      [{}, 'All fields are required.'],
      [{ 'Full Name': '  ', Email: 'a', Password: 'x', 'Confirm Password': 'y' }, 'All fields are required.'],
      [{ 'Full Name': 'Amina' }, 'Passwords do not match.'],
      [{ 'Confirm Password': 'x' }, 'Please enter a valid email.'],
      [{ Email: 'amina@shopper.test' }, 'Password must be at least 6 characters.'],
    ]
    for (const [fields, message] of attempts) {
      await fillFields(visitor, fields)
      await submit(visitor, 'Register')
      await formError(visitor).filter({ hasText: message }).waitFor()
    }
    await fillFields(visitor, { Password: '' })
    await formError(visitor).waitFor({ state: 'detached' })
    expect(await page.locator('input[aria-invalid=true]').count(), 'after the invalid field is edited').toBe(
      0,
    )
    await submit(visitor, 'Register')
    await formError(visitor).filter({ hasText: 'All fields are required.' }).waitFor()
    await fillFields(visitor, { Email: 'wanjiru@shopper.test' })
    await formError(visitor).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    expectNoConsoleErrors(visitor)

    const { email, token, user } = await newAccount()
    await fillFields(visitor, { Email: email, Password: PASSWORD, 'Confirm Password': PASSWORD })
    await submit(visitor, 'Register')
    await formError(visitor).filter({ hasText: 'An account with this email already exists.' }).waitFor()
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe(PASSWORD)
    // The second click of a double click must not move the shopper away from the error.
    const call = '/api/auth/register'
    await expectBusyThenFailure(visitor, call, 'Register', 'Registering...', 'Registration failed', 2)
    expect(pathOf(visitor)).toBe('/register')

    await page.unroute(`**${call}`)
    const release = await holdResponse(visitor, call, 201, JSON.stringify({ token, user }))
    await submit(visitor, 'Register')
    await page.getByRole('button', { name: 'Registering...' }).waitFor()
    await pageHeader(visitor).getByRole('link', { name: 'Story' }).click()
    await page.getByRole('heading', { name: 'Crafting Childhood Memories' }).waitFor()
    release()
    await pageHeader(visitor).getByRole('link', { name: 'Dashboard' }).waitFor()
    expect(pathOf(visitor)).toBe('/about')

    await visit(visitor, '/login')
    const notice = page.getByText(`You’re logged in as ${email}.`)
    await notice.waitFor()
    const releaseLogin = await holdResponse(visitor, '/api/auth/login', 500, '{}')
    await fillFields(visitor, { 'Email address': email, Password: PASSWORD })
    await submit(visitor, 'Login')
    await page.getByRole('button', { name: 'Logging in...' }).waitFor()
    expect(await notice.isVisible()).toBe(true)
    releaseLogin()
    await formError(visitor).filter({ hasText: 'Login failed' }).waitFor()
  })

  it('says that the device is offline below the message of a form that failed', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/login')
    await fillFields(visitor, { 'Email address': 'amina@shopper.test', Password: PASSWORD })
    await page.context().setOffline(true)
    await submit(visitor, 'Login')
    await formError(visitor).filter({ hasText: 'Login failed' }).waitFor()
    await page.getByText('You’re offline. Reconnect and try again.').waitFor()
  })
})

async function expectBusyThenFailure(
  visitor: Shopper,
  call: string,
  label: string,
  busy: string,
  fallback: string,
  clickCount = 1,
): Promise<void> {
  const { page } = visitor
  const main = page.getByRole('main')
  const inputs = await main.locator('input').all()
  const release = await holdResponse(visitor, call, 500, '<html>not JSON</html>')
  await main.getByRole('button', { name: label, exact: true }).click({ clickCount })
  const button = main.getByRole('button', { name: busy, exact: true })
  await button.waitFor()
  expect(await button.isDisabled()).toBe(true)
  for (const input of inputs) expect(await input.isDisabled()).toBe(true)
  release()
  await formError(visitor).filter({ hasText: fallback }).waitFor()
  for (const input of inputs) expect(await input.isDisabled()).toBe(false)

  await page.unroute(`**${call}`)
  const message = "The service's own words."
  const body = call.startsWith('/v1/') ? { error: { code: 400, message } } : { message, code: 'x' }
  const releaseAgain = await holdResponse(visitor, call, 400, JSON.stringify(body))
  releaseAgain()
  await submit(visitor, label)
  await formError(visitor).filter({ hasText: message }).waitFor()
}
