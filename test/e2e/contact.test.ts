import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  blockRequests,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  visit,
  waitForHydration,
} from '#test/support/shopper.ts'

const CALL_URL = '**/api/contact'

async function writeMessage(page: Page, message = `Do you sew for twins? ${randomUUID()}`) {
  await page.getByLabel('Name').fill('Wanjiru')
  await page.getByLabel('Email').fill('wanjiru@example.com')
  await page.getByLabel('Message', { exact: true }).fill(message)
}

/** Opens Contact without its script. The returned function lets the script load. */
async function openUnhydrated(page: Page): Promise<() => void> {
  const sendScript = await blockRequests(page, '**/assets/entry-*.js')
  await page.goto('/contact', { waitUntil: 'commit' })
  return sendScript
}

const clickSend = (page: Page) => page.getByRole('button', { name: 'Send Message' }).click()
const readValues = (page: Page) =>
  Promise.all(
    ['Name', 'Email', 'Message'].map((label) => page.getByLabel(label, { exact: true }).inputValue()),
  )
const readErrors = async (page: Page) =>
  (await page.locator('.field__error').allTextContents()).filter(Boolean)

journeys('the contact page', () => {
  it("shows a field's error on blur, all errors on submit, and a message counter without a cutoff", async () => {
    const visitor = await openShopper()
    const { page } = visitor
    let calls = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') calls += 1
    })
    await visit(visitor, '/contact')
    const message = page.getByLabel('Message', { exact: true })
    const getColour = (counter: string) =>
      page.getByText(counter, { exact: true }).evaluate((element) => getComputedStyle(element).color)
    const usualColour = await getColour('0/500')
    await page.getByLabel('Email').pressSequentially('wanjiru')
    expect(await readErrors(page)).toEqual([])
    await page.getByLabel('Email').press('Tab')
    await page.getByText('Please enter a valid email address').waitFor()
    expect(await readErrors(page)).toEqual(['Please enter a valid email address'])
    await page.getByLabel('Email').fill('')
    expect(await readErrors(page)).toEqual(['Email is required', 'Message is required'])

    await clickSend(page)
    expect(await readErrors(page)).toEqual(['Name is required', 'Email is required', 'Message is required'])
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('name')
    await page.getByLabel('Name').fill('W')
    await message.fill('Habari')
    expect(await readErrors(page)).toEqual([
      'Name must be at least 2 characters',
      'Email is required',
      'Message must be at least 10 characters',
    ])
    await clickSend(page)
    expect(calls).toBe(0)

    await writeMessage(page, 'a'.repeat(400))
    expect(await getColour('400/500')).toBe(usualColour)
    await message.fill('a'.repeat(401))
    expect(await getColour('401/500')).not.toBe(usualColour)
    await message.fill('a'.repeat(620))
    expect(await getColour('620/500')).not.toBe(usualColour)
    expect(await readErrors(page)).toEqual([])
    expectNoConsoleErrors(visitor)
  })

  it('keeps the draft after a failure, and hides the error while it sends again', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/contact')
    await writeMessage(page)
    const draft = await readValues(page)
    const alert = page.getByRole('alert')
    // Aborts only the API call. Offline, the script that makes it might not load.
    await page.route(CALL_URL, (route) => route.abort('internetdisconnected'))
    await clickSend(page)
    await alert.waitFor()
    expect(await alert.textContent()).toBe('×Network error')
    expect(await readValues(page)).toEqual(draft)
    for (const [response, text] of [
      [{ status: 429, json: { message: 'Too many attempts.', code: 'x' } }, 'Too many attempts.'],
      [{ status: 502, body: 'Bad gateway' }, 'Submission failed. Please try again.'],
    ] as const) {
      await page.getByLabel('Name').press('End')
      await page.getByLabel('Name').pressSequentially('!')
      await alert.waitFor({ state: 'detached' })
      await page.route(CALL_URL, (route) => route.fulfill(response))
      await clickSend(page)
      await alert.getByText(text).waitFor()
    }
    expect(await readValues(page)).toEqual([`${draft[0]}!!`, ...draft.slice(1)])

    const sendRequest = await blockRequests(page, CALL_URL)
    await clickSend(page)
    await page.getByText('Sending your message...').waitFor()
    expect(await alert.count()).toBe(0)
    sendRequest()
    await page.getByRole('button', { name: 'Send Another Message' }).waitFor()
  })

  it('sends once if Enter is pressed repeatedly, and can then start another message', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/contact')
    await writeMessage(page)
    let calls = 0
    const answer = Promise.withResolvers<void>()
    await page.route(CALL_URL, async (route) => {
      calls += 1
      await answer.promise
      await route.continue()
    })
    const button = page.locator('form .button')
    await page.getByLabel('Email').focus()
    const box = await button.boundingBox()
    for (let press = 0; press < 3; press++) await page.getByLabel('Email').press('Enter')
    await page.getByRole('button', { name: 'Sending...' }).waitFor()
    await page.getByText('Sending your message...').waitFor()
    expect(await button.boundingBox()).toEqual(box)
    answer.resolve()
    const again = page.getByRole('button', { name: 'Send Another Message' })
    await again.waitFor()
    expect(calls).toBe(1)
    expect(await page.locator('.contact__sent').innerText()).toContain('We’ll reply within 24 hours')
    await again.click()
    expect(await readValues(page)).toEqual(['', '', ''])
    expect(await readErrors(page)).toEqual([])
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('name')
  })

  it('keeps the draft across navigation and a reload', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    await visit(visitor, '/contact')
    await writeMessage(page)
    const draft = await readValues(page)
    await page.evaluate(() => document.querySelector<HTMLElement>('a[href="/about"]')?.click())
    await page.waitForURL('**/about')
    await page.goBack()
    await page.getByRole('heading', { name: 'Contact us' }).waitFor()
    expect(await readValues(page)).toEqual(draft)
    await page.reload()
    await waitForHydration(page)
    await expect.poll(() => readValues(page)).toEqual(draft)
    expectNoConsoleErrors(visitor)
  })

  it('keeps text typed before its script loaded', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    const sendScript = await openUnhydrated(page)
    await writeMessage(page, 'Typed before hydration.')
    sendScript()
    await waitForHydration(page)
    expect(await readValues(page)).toEqual(['Wanjiru', 'wanjiru@example.com', 'Typed before hydration.'])
    await page.getByText('23/500', { exact: true }).waitFor()
    expectNoConsoleErrors(visitor)
  })

  it('hydrates the response to a form posted before its script loaded', async () => {
    const visitor = await openShopper()
    const { page } = visitor
    const sendScript = await openUnhydrated(page)
    await writeMessage(page, 'Habari\nyako')
    await page.getByLabel('Name').fill('W')
    await clickSend(page)
    await page.getByText('Name must be at least 2 characters').waitFor()
    expect(await readValues(page)).toEqual(['W', 'wanjiru@example.com', 'Habari\nyako'])
    sendScript()
    await waitForHydration(page)
    expect(await readValues(page)).toEqual(['W', 'wanjiru@example.com', 'Habari\nyako'])
    await page.getByLabel('Name').fill('Wanjiru')
    expect(await readErrors(page)).toEqual([])
    await clickSend(page)
    await page.getByRole('button', { name: 'Send Another Message' }).click()
    expect(await readValues(page)).toEqual(['', '', ''])
    // The browser logs the 400 response to the posted form.
    expect(visitor.consoleErrors.filter((complaint) => !complaint.includes('status of 400'))).toEqual([])
  })
})
