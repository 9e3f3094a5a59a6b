import type { Shopper } from './shopper.ts'

/** Types into fields, by their labels. */
export async function fill({ page }: Shopper, fields: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text)
}

/** Presses the page's own button of that name (the bar has some of the same names). */
export const submit = ({ page }: Shopper, name: string) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click()

/** The text that says what is wrong with the page's form. */
export const problem = ({ page }: Shopper) => page.getByRole('main').getByRole('alert')

let count = 0

/** An address that nobody has registered. */
export const newEmail = () => `account-${Date.now()}-${process.pid}-${++count}@shopper.test`

/** The bar on top of the page. */
export const bar = ({ page }: Shopper) => page.getByRole('banner')

/** What browser storage holds of the session. */
export const storedSession = ({ page }: Shopper) =>
  page.evaluate(() => ({ token: localStorage.getItem('token'), user: localStorage.getItem('user') }))

export const NOTHING_STORED = { token: null, user: null }

/** What a 401 logs (§ 8). */
export const UNAUTHORIZED = 'Unauthorized access - please log in'

/** Waits for what the dashboard's own calls answer to somebody without orders: a logout before would have them refused. */
export async function dashboardRead({ page }: Shopper): Promise<void> {
  await page.getByText('You haven’t ordered anything yet.').waitFor()
  await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
}
