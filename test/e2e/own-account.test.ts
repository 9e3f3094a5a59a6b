import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { listViolations } from '#test/support/axe.ts'
import {
  fillFields,
  formError,
  NOTHING_STORED,
  pageHeader,
  readStoredSession,
  submit,
} from '#test/support/forms.ts'
import { listHorizontalOverflow } from '#test/support/page-checks.ts'
import {
  blockRequests,
  DESKTOP_VIEWPORT,
  fetchAsPage,
  journeys,
  openShopper,
  type Shopper,
  visit,
  withoutNavigationApi,
} from '#test/support/shopper.ts'
import {
  newAccount,
  openCheckout,
  openSignedInShopper,
  PASSWORD,
  storedLine,
} from '#test/support/signed-in-shopper.ts'

const NEW_PASSWORD = 'kitenge-2027'

/** Matches the lines that the browser logs for the error responses in this test. */
const FAILURE_PATTERN = /^Failed to load resource: the server responded with a status of (400|401)/

async function expectAccessible({ page }: Shopper, state: string) {
  expect(await listViolations(page), state).toEqual([])
  expect(await listHorizontalOverflow(page), state).toEqual([])
}

journeys("the shopper's account", () => {
  it('can be edited, logged out on other devices, downloaded and deleted', async () => {
    const account = await newAccount()
    const visitor = await openSignedInShopper({ account, cart: [storedLine(0)] })
    const { page } = visitor
    const main = page.getByRole('main')
    await visit(visitor, '/dashboard/details')
    await fillFields(visitor, { 'Last name': 'Njeri', Address: 'Moi Avenue 4', 'Zip code': '00100' })
    await submit(visitor, 'Save details')
    await page.getByText('Please select a county').waitFor()
    await page.getByLabel('Country').selectOption('Kenya')
    await page.getByLabel('County').selectOption('Mombasa')
    await submit(visitor, 'Save details')
    await page.getByText('Your details have been saved.').waitFor()
    await expectAccessible(visitor, 'details, saved')
    await openCheckout(visitor)
    expect(await page.getByLabel('Address', { exact: true }).inputValue()).toBe('Moi Avenue 4')
    expect(await page.getByLabel('County').inputValue()).toBe('Mombasa')
    await page.getByRole('heading', { name: 'Hello, Amina Njeri!' }).waitFor()

    const otherDevice = await openShopper()
    const logIn = () =>
      fetchAsPage(otherDevice.page, '/api/auth/login', {
        method: 'POST',
        data: { email: account.email, password: PASSWORD },
      })
    await logIn()
    await visit(visitor, '/dashboard/devices')
    await main
      .getByRole('button', { name: /^Log out (?!all)/ })
      .first()
      .click()
    await page.getByText('You’re not logged in on any other device.').waitFor()
    await expectAccessible(visitor, 'devices, this one alone')
    expect((await fetchAsPage(otherDevice.page, '/api/auth/session')).status()).toBe(401)
    await logIn()

    await main.getByRole('link', { name: 'Password' }).click()
    await page.waitForURL('**/dashboard/password')
    await fillFields(visitor, { 'Current Password': 'not-this-one', 'New Password': NEW_PASSWORD })
    await submit(visitor, 'Change password')
    await formError(visitor).filter({ hasText: 'All fields are required.' }).waitFor()
    await fillFields(visitor, { 'Confirm Password': NEW_PASSWORD })
    await submit(visitor, 'Change password')
    await formError(visitor).filter({ hasText: 'Password is incorrect.' }).waitFor()
    await fillFields(visitor, { 'Current Password': PASSWORD })
    await submit(visitor, 'Change password')
    await page.getByText('Your password has been changed. All other devices are logged out.').waitFor()
    await expectAccessible(visitor, 'password, changed')
    expect((await fetchAsPage(otherDevice.page, '/api/auth/session')).status()).toBe(401)

    await main.getByRole('link', { name: 'Your data' }).click()
    await page.waitForURL('**/dashboard/data')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download my data' }).click(),
    ])
    expect(readFileSync(await download.path(), 'utf8')).toContain('Moi Avenue 4')
    await fillFields(visitor, { 'Your password': PASSWORD })
    await submit(visitor, 'Delete my account')
    await formError(visitor).filter({ hasText: 'Password is incorrect.' }).waitFor()
    await expectAccessible(visitor, 'data, with a wrong password')
    await fillFields(visitor, { 'Your password': NEW_PASSWORD })
    await submit(visitor, 'Delete my account')
    await page.getByRole('heading', { name: 'Your account has been deleted' }).waitFor()
    await expectAccessible(visitor, 'deleted')
    await page.getByRole('link', { name: 'Return Home' }).click()
    await page.setViewportSize(DESKTOP_VIEWPORT)
    await pageHeader(visitor).getByRole('link', { name: 'Register' }).waitFor()
    expect(await readStoredSession(visitor)).toEqual(NOTHING_STORED)
    expect(await page.context().cookies()).toEqual([])
    expect(visitor.consoleErrors.filter((line) => !FAILURE_PATTERN.test(line))).toEqual([])
  })

  it('is confirmed as deleted without the Navigation API, even if storage is cleared first', async () => {
    const visitor = await openSignedInShopper({ account: await newAccount() })
    const { page } = visitor
    const otherTab = await page.context().newPage()
    await otherTab.goto(page.url())
    await withoutNavigationApi(page)
    await visit(visitor, '/dashboard/data')
    await page.evaluate(() => addEventListener('storage', () => console.log('cleared')))
    const cleared = page.waitForEvent('console', (message) => message.text() === 'cleared')
    const releaseDeletion = await blockRequests(page, '**/dashboard/data')
    await fillFields(visitor, { 'Your password': PASSWORD })
    const asked = page.waitForRequest('**/dashboard/data')
    const submitted = submit(visitor, 'Delete my account')
    await asked
    await otherTab.evaluate(() => localStorage.clear())
    await cleared
    releaseDeletion()
    await submitted
    await page.getByRole('heading', { name: 'Your account has been deleted' }).waitFor()
  })
})
