import type { Shopper } from './shopper.ts'

export async function fillFields({ page }: Shopper, fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text)
}

/** Clicks a button in the page's main part, because the header has buttons with the same names. */
export const submit = ({ page }: Shopper, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click()

export const formError = ({ page }: Shopper) => page.getByRole('main').getByRole('alert')

let count = 0

export const newEmail = () => `account-${Date.now()}-${process.pid}-${++count}@shopper.test`

export const pageHeader = ({ page }: Shopper) => page.getByRole('banner')

export const readStoredSession = ({ page }: Shopper) =>
  page.evaluate(() => ({ token: localStorage.getItem('token'), user: localStorage.getItem('user') }))

export const NOTHING_STORED = { token: null, user: null }

/** The error text for a 401 (§ 8). */
export const UNAUTHORIZED = 'Unauthorized access - please log in'

/** Waits for the dashboard's API calls, which would fail after a logout. */
export async function waitForDashboard({ page }: Shopper): Promise<void> {
  await page.getByText('You haven’t ordered anything yet.').waitFor()
  await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
}
