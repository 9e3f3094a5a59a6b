import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { DESKTOP, holdBack, journeys, type Shopper, shopper, visit } from '#test/support/shopper.ts'

const EMAIL = 'amina@shopper.test'
const USER = { name: 'Amina', email: EMAIL }
const CATALOGUE = '**/Items.json'

/** A shopper whom the server knows by the stored token, as after a login on this device. */
async function signedIn(): Promise<Shopper> {
  const visitor = await shopper({ viewport: DESKTOP })
  const { page } = visitor
  await page.addInitScript((user) => {
    localStorage.setItem('token', 'token')
    localStorage.setItem('user', JSON.stringify(user))
  }, USER)
  await page.route('**/api/auth/session', (route) => route.fulfill({ json: { token: 'token', user: USER } }))
  await page.route('**/api/auth/activity', (route) => route.fulfill({ json: { events: [] } }))
  await page.route('**/api/orders*', (route) => route.fulfill({ json: { orders: [], next: null } }))
  return visitor
}

/** Goes there inside the app, from a page that does not need the catalogue. */
async function goToDashboard(visitor: Shopper) {
  await visit(visitor, '/contact')
  await visitor.page.getByRole('link', { name: 'Dashboard' }).click()
}

const welcome = ({ page }: Shopper, name: string) =>
  page.getByRole('heading', { level: 1, name: `Welcome, ${name}`, exact: true })

journeys('the dashboard', () => {
  it('shows "Loading..." and then the welcome, the featured products and the way to the shop', async () => {
    const visitor = await signedIn()
    const { page } = visitor
    const sendAnswer = await holdBack(page, CATALOGUE)
    await goToDashboard(visitor)
    await page.getByText('Loading...').waitFor()
    expect(await page.getByText('Featured Products').count()).toBe(0)
    sendAnswer()
    await welcome(visitor, EMAIL).waitFor()

    const cards = page.locator('.featured a')
    expect(await cards.count()).toBe(4)
    const first = cards.first()
    expect(await first.getAttribute('href')).toMatch(/^\/product\/\d+$/)
    expect(await first.textContent()).toMatch(/KSH\d+$/)
    const pictureWidth = () => first.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth)
    await expect.poll(pictureWidth).toBeGreaterThan(0)
    await page.getByRole('heading', { name: 'Your orders' }).waitFor()

    await first.click()
    await page.waitForURL('**/product/*')
    await page.goBack()
    await page.getByRole('link', { name: 'Shop Now' }).click()
    await page.waitForURL('**/products')
    expect(visitor.complaints).toEqual([])
  })

  it('falls back to a guest and no featured products, with the error on the console', async () => {
    const visitor = await signedIn()
    await visitor.page.route(CATALOGUE, (route) => route.fulfill({ status: 503 }))
    await goToDashboard(visitor)
    await welcome(visitor, 'Guest').waitFor()
    await visitor.page.getByText('No featured products available.').waitFor()
    expect(visitor.complaints).toContain('Failed to fetch products')
  })

  it('says so when no product is for children or women', async () => {
    const visitor = await signedIn()
    await visitor.page.route(CATALOGUE, (route) => route.fulfill({ json: [] }))
    await goToDashboard(visitor)
    await welcome(visitor, EMAIL).waitFor()
    await visitor.page.getByText('No featured products available.').waitFor()
  })

  it('comes whole from the server for a session of its own, and wakes without complaint', async () => {
    const visitor = await shopper({ viewport: DESKTOP })
    const { page } = visitor
    const email = `amina-${randomUUID()}@shopper.test`
    const account = { name: 'Amina', email, password: 'kanga and kitenge' }
    const registered = await page.request.post('/api/auth/register', { data: account })
    expect(registered.status()).toBe(201)
    await visit(visitor, '/dashboard')
    await welcome(visitor, email).waitFor()
    expect(await page.locator('.featured a').count()).toBe(4)
    await page.getByText('You have not ordered anything yet.').waitFor()
    expect(visitor.complaints).toEqual([])
  })

  it('is not for visitors without a session: they come to the login page', async () => {
    const visitor = await shopper()
    await visitor.page.goto('/dashboard')
    expect(new URL(visitor.page.url()).pathname).toBe('/login')
  })
})
