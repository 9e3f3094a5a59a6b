import { expect, it } from 'vitest'
import { fill, newEmail, problem, submit } from '#test/support/forms.ts'
import { linkMailedTo } from '#test/support/mails.ts'
import { DESKTOP, expectNoComplaints, holdBack, hydrated, journeys, shopper } from '#test/support/shopper.ts'
import { newAccount, signedInShopper } from '#test/support/signed-in-shopper.ts'

const PASSWORD = 'kikoi-2026'

journeys('a page whose scripts are still on their way', () => {
  it('keeps what was typed before the page was hydrated', async () => {
    const visitor = await shopper()
    const { page } = visitor
    const sendScripts = await holdBack(page, '**/assets/*.js')
    await page.goto('/login', { waitUntil: 'commit' })
    await fill(visitor, { 'Email address': 'amina@shopper.test', Password: 'short' })
    sendScripts()
    await hydrated(page)
    await submit(visitor, 'Login')
    await problem(visitor).filter({ hasText: 'Password must be at least 6 characters.' }).waitFor()
    expect(await page.getByLabel('Email address').inputValue()).toBe('amina@shopper.test')
    expectNoComplaints(visitor)
  })

  it('shows what came of a form that was sent before the page was hydrated', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.goto('/register')
    await fill(visitor, {
      'Full Name': 'Amina',
      Email: 'a@b',
      Password: PASSWORD,
      'Confirm Password': PASSWORD,
    })
    await page.unroute('**/assets/*.js')
    visitor.complaints.length = 0
    await submit(visitor, 'Register')
    await hydrated(page)
    await problem(visitor).filter({ hasText: 'Please enter a valid email.' }).waitFor()
    expect(await page.getByLabel('Full Name').inputValue()).toBe('Amina')
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
    expect(visitor.complaints.filter((text) => !text.includes('status of 400'))).toEqual([])
  })
})

journeys('an account, without scripts', () => {
  it('works from registration to login without scripts', async () => {
    const visitor = await shopper({ javaScriptEnabled: false, viewport: DESKTOP })
    const { page } = visitor
    const email = newEmail()
    await page.goto('/register')
    await fill(visitor, { 'Full Name': 'Grace', Email: email, Password: PASSWORD })
    await submit(visitor, 'Register')
    await page.getByText('All fields are required.').waitFor()
    expect(await page.getByLabel('Full Name').inputValue()).toBe('Grace')
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('')
    await fill(visitor, { Password: PASSWORD, 'Confirm Password': PASSWORD })
    await submit(visitor, 'Register')
    await page.waitForURL('**/login')
    await page.getByText(`You are signed in as ${email}.`).waitFor()

    await page.goto('/forgot-password')
    await fill(visitor, { Email: email })
    await submit(visitor, 'Send Reset Email')
    await page.getByText('Reset email sent! Check your inbox and redirecting...').waitFor()
    await page.waitForURL('**/login')
    await page.goto(await linkMailedTo(email))
    await fill(visitor, { 'New Password': 'kitenge-2027', 'Confirm Password': 'kitenge-2027' })
    await submit(visitor, 'Set New Password')
    await page.getByText('Your new password is set.').waitFor()
    await page.goto('/login')
    await fill(visitor, { 'Email address': email, Password: 'kitenge-2027' })
    await submit(visitor, 'Login')
    await page.waitForURL((url) => url.pathname === '/')
    await page.goto('/dashboard')
    expect(new URL(page.url()).pathname).toBe('/dashboard')
  })

  it('says without scripts what needs them, hides what would do nothing, and logs out', async () => {
    const { page } = await signedInShopper({ account: await newAccount(), javaScriptEnabled: false })
    for (const [address, words] of [
      ['/cart', 'Your cart needs scripts'],
      ['/checkout', 'Checkout needs scripts'],
    ] as const) {
      await page.goto(address)
      await page.getByRole('heading', { name: words }).waitFor()
      expect(await page.getByRole('link', { name: 'Write to us' }).isVisible()).toBe(true)
      expect(await page.getByLabel(/^Loading your/).isVisible()).toBe(false)
    }
    await page.goto('/product/1')
    expect(await page.getByRole('button', { name: 'Add to Cart' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Logout' }).click()
    await page.waitForURL((url) => url.pathname === '/')
    await page.goto('/cart')
    await page.waitForURL('**/login')
  })
})
