import { expect, it } from 'vitest'
import {
  fillFields,
  NOTHING_STORED,
  pageHeader,
  readStoredSession,
  submit,
  UNAUTHORIZED,
  waitForDashboard,
} from '#test/support/forms.ts'
import {
  blockRequests,
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  fetchAsPage,
  fetchRoute,
  journeys,
  openShopper,
  visit,
} from '#test/support/shopper.ts'
import { newAccount, openSignedInShopper, PASSWORD } from '#test/support/signed-in-shopper.ts'

journeys('the session', () => {
  it('ends only while online, then in every tab; a public page then leads to Home', async () => {
    const visitor = await openSignedInShopper({ account: await newAccount(), viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    await visit(visitor, '/about')
    await page.evaluate(() =>
      Object.assign(sessionStorage, { contact: '{"name":"A"}', billing: '{"zip":"1"}' }),
    )
    await page.route('**/api/auth/logout', (route) => route.abort())
    await pageHeader(visitor).getByRole('button', { name: 'Logout' }).click()
    await page.getByText('You seem to be offline, so you’re still logged in.').waitFor()
    expect((await readStoredSession(visitor)).token).toBeTruthy()
    await page.unroute('**/api/auth/logout')
    visitor.consoleErrors.length = 0

    const other = { ...visitor, page: await page.context().newPage() }
    await visit(other, '/dashboard')
    await waitForDashboard(other)
    await pageHeader(visitor).getByRole('button', { name: 'Logout' }).click()
    await page.waitForURL((url) => url.pathname === '/')
    expect(await page.evaluate(() => Object.keys(sessionStorage)), 'stored drafts').toEqual([])
    await other.page.waitForURL('**/login')
    await pageHeader(other).getByRole('link', { name: 'Register' }).waitFor()

    await pageHeader(visitor).getByRole('link', { name: 'Login' }).click()
    await fillFields(visitor, { 'Email address': visitor.email, Password: PASSWORD })
    await submit(visitor, 'Login')
    await pageHeader(other).getByRole('link', { name: 'Amina Wanjiru' }).waitFor()
    expectNoConsoleErrors(visitor)
  })

  it('follows the cookie, is renewed as it ages, and restores its cookie from the token', async () => {
    const visitor = await openSignedInShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    const storedSession = await readStoredSession(visitor)
    const store = (session: typeof storedSession) =>
      page.evaluate((texts) => Object.assign(localStorage, texts), session)
    await store({
      token: 'of another',
      user: JSON.stringify({ name: 'Another', email: 'another@shopper.test' }),
    })
    await visit(visitor, '/about')
    await pageHeader(visitor).getByRole('link', { name: 'Amina Wanjiru' }).waitFor()
    await expect
      .poll(() => readStoredSession(visitor))
      .toMatchObject({ token: null, user: expect.stringContaining(visitor.email) })

    await page.route('**/contact', async (route) => {
      const response = await fetchRoute(route)
      const html = await response.text()
      await route.fulfill({ response, body: html.replace('"nowMs"', '"isSessionRenewalDue":true,"nowMs"') })
    })
    const renewal = page.waitForResponse('**/api/auth/session')
    await visit(visitor, '/contact')
    expect((await renewal).status()).toBe(200)

    await store(storedSession)
    await page.context().clearCookies()
    const sendAnswer = await blockRequests(page, '**/api/auth/session')
    await visit(visitor, '/about')
    await pageHeader(visitor).getByRole('link', { name: 'Amina Wanjiru' }).waitFor()
    await pageHeader(visitor).getByRole('link', { name: 'Dashboard' }).click()
    await page.getByText('Loading...').waitFor()
    sendAnswer()
    await page.getByRole('heading', { name: `Welcome, ${visitor.email}` }).waitFor()
    const dashboard = await fetchAsPage(page, '/dashboard', { maxRedirects: 0 })
    expect(dashboard.status(), 'the page by its new cookie').toBe(200)
    expectNoConsoleErrors(visitor)
  })

  it('falls back to the stored user while the server is unreachable; a 401 clears it and leads to Login', async () => {
    const visitor = await openSignedInShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    await page.context().clearCookies()
    await page.route('**/api/auth/session', (route) => route.abort())
    await visit(visitor, '/about')
    await pageHeader(visitor).getByRole('link', { name: 'Dashboard' }).click()
    await page.getByRole('heading', { name: `Welcome, ${visitor.email}` }).waitFor()

    await page.unroute('**/api/auth/session')
    await page.context().clearCookies()
    await page.evaluate(() => localStorage.setItem('token', 'A'.repeat(43)))
    await page.goto('/about')
    await page.waitForURL('**/login')
    expect(await readStoredSession(visitor)).toEqual(NOTHING_STORED)
    expect(visitor.consoleErrors).toContain(UNAUTHORIZED)
    await pageHeader(visitor).getByRole('link', { name: 'Register' }).waitFor()

    await page.evaluate(() => localStorage.setItem('user', '{"name":7'))
    await visit(visitor, '/about')
    await pageHeader(visitor).getByRole('link', { name: 'Register' }).waitFor()
  })

  it('continues from Login to the requested page once the token has restored the cookie', async () => {
    const visitor = await openSignedInShopper({ viewport: DESKTOP_VIEWPORT })
    const { page } = visitor
    await page.context().clearCookies()
    // Loads a document, like a tap on Cart before hydration.
    await page.goto('/cart?from=tap')
    await page.waitForURL((url) => url.pathname + url.search === '/cart?from=tap')
    await page.getByText('Your cart is empty!').waitFor()
    expectNoConsoleErrors(visitor)
  })

  it('is required even if another protected page is opened during the redirect to Login', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/about')
    await page.evaluate(() => {
      const follow = (href: string) => {
        const link = Object.assign(document.createElement('a'), { href })
        document.body.appendChild(link)
        link.click()
      }
      let isOnTheWay = false
      navigation.addEventListener('navigate', ({ destination }) => {
        if (isOnTheWay || !destination.url.endsWith('/login')) return
        isOnTheWay = true
        queueMicrotask(() => follow('/checkout'))
      })
      follow('/cart')
    })
    await page.getByRole('heading', { name: 'Welcome Back!' }).waitFor()
    expectNoConsoleErrors(visitor)
  })
})
