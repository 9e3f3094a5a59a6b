import { expect, it } from 'vitest'
import { bar, fill, NOTHING_STORED, storedSession, submit, UNAUTHORIZED } from '#test/support/forms.ts'
import { DESKTOP, expectNoComplaints, holdBack, journeys, shopper, visit } from '#test/support/shopper.ts'
import { newAccount, PASSWORD, signedInShopper } from '#test/support/signed-in-shopper.ts'

/** Somebody with an account, signed in. */
async function member() {
  const visitor = await signedInShopper({ account: await newAccount(), viewport: DESKTOP })
  await visit(visitor, '/about')
  return visitor
}

journeys('the session', () => {
  it('leads from a public page to Home and from a member page to Login at logout', async () => {
    const visitor = await member()
    const { page } = visitor
    await page.evaluate(() =>
      Object.assign(sessionStorage, { contact: '{"name":"A"}', billing: '{"zip":"1"}' }),
    )
    await bar(visitor).getByRole('button', { name: 'Logout' }).click()
    await page.waitForURL((url) => url.pathname === '/')
    expect(await page.evaluate(() => Object.keys(sessionStorage)), 'what was typed').toEqual([])
    await bar(visitor).getByRole('link', { name: 'Register' }).waitFor()
    expectNoComplaints(visitor)
  })

  it('is followed by the other tabs, at logout and at login', async () => {
    const visitor = await member()
    const other = { ...visitor, page: await visitor.page.context().newPage() }
    await visit(other, '/dashboard')
    // Its own call is answered while there is a session.
    await other.page.getByText('You have not ordered anything yet.').waitFor()
    await bar(visitor).getByRole('button', { name: 'Logout' }).click()
    await other.page.waitForURL('**/login')
    await bar(other).getByRole('link', { name: 'Register' }).waitFor()

    await visit(visitor, '/login')
    await fill(visitor, { 'Email address': visitor.email, Password: PASSWORD })
    await submit(visitor, 'Login')
    await bar(other).getByRole('link', { name: 'Amina Wanjiru' }).waitFor()
    expectNoComplaints(visitor)
  })

  it('shows the saved user at once, and gets its cookie back by the token', async () => {
    const visitor = await member()
    const { page } = visitor
    await page.context().clearCookies()
    const sendAnswer = await holdBack(page, '**/api/auth/session')
    await visit(visitor, '/about')
    await bar(visitor).getByRole('link', { name: 'Amina Wanjiru' }).waitFor()
    await bar(visitor).getByRole('link', { name: 'Dashboard' }).click()
    await page.getByText('Loading...').waitFor()
    sendAnswer()
    await page.getByRole('heading', { name: `Welcome, ${visitor.email}` }).waitFor()
    await visit(visitor, '/dashboard')
    expect(new URL(page.url()).pathname).toBe('/dashboard')
    expectNoComplaints(visitor)
  })

  it('is renewed when the page says that it has not been for long', async () => {
    const visitor = await member()
    const { page } = visitor
    await page.route('**/contact', async (route) => {
      const response = await route.fetch()
      const html = await response.text()
      await route.fulfill({ response, body: html.replace('"nowMs"', '"isSessionAging":true,"nowMs"') })
    })
    const renewal = page.waitForResponse('**/api/auth/session')
    await visit(visitor, '/contact')
    expect((await renewal).status()).toBe(200)
    expectNoComplaints(visitor)
  })

  it('is cleared by a 401, which leads to Login', async () => {
    const visitor = await member()
    const { page } = visitor
    await page.context().clearCookies()
    await page.evaluate(() => localStorage.setItem('token', 'A'.repeat(43)))
    await page.goto('/about')
    await page.waitForURL('**/login')
    expect(await storedSession(visitor)).toEqual(NOTHING_STORED)
    expect(visitor.complaints).toContain(UNAUTHORIZED)
    await bar(visitor).getByRole('link', { name: 'Register' }).waitFor()
  })

  it('counts the saved user as signed in while the server is out of reach', async () => {
    const visitor = await member()
    const { page } = visitor
    await page.context().clearCookies()
    await page.route('**/api/auth/session', (route) => route.abort())
    await visit(visitor, '/about')
    await bar(visitor).getByRole('link', { name: 'Dashboard' }).click()
    await page.getByRole('heading', { name: `Welcome, ${visitor.email}` }).waitFor()
  })

  it('does not pretend to have ended when there is no connection', async () => {
    const visitor = await member()
    const { page } = visitor
    await page.route('**/api/auth/logout', (route) => route.abort())
    await bar(visitor).getByRole('button', { name: 'Logout' }).click()
    await page.getByText('You are still logged in: there is no connection. Please try again.').waitFor()
    expect((await storedSession(visitor)).token).toBeTruthy()
  })

  it('belongs to whom the cookie names, where storage says another', async () => {
    const visitor = await member()
    const { page } = visitor
    await page.evaluate(() => {
      localStorage.setItem('token', 'of another')
      localStorage.setItem('user', JSON.stringify({ name: 'Another', email: 'another@shopper.test' }))
    })
    await visit(visitor, '/about')
    await bar(visitor).getByRole('link', { name: 'Amina Wanjiru' }).waitFor()
    await expect
      .poll(() => storedSession(visitor))
      .toMatchObject({ token: null, user: expect.stringContaining(visitor.email) })
    expectNoComplaints(visitor)
  })

  it('reads broken storage as none', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    await visitor.page.addInitScript(() => localStorage.setItem('user', '{"name":7'))
    await visit(visitor, '/about')
    await bar(visitor).getByRole('link', { name: 'Register' }).waitFor()
    expectNoComplaints(visitor)
  })
})
