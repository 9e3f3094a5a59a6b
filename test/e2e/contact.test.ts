import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import {
  expectNoComplaints,
  holdBack,
  hydrated,
  journeys,
  type Shopper,
  shopper,
  visit,
} from '#test/support/shopper.ts'

const CALL = '**/api/contact'

/** A shopper with a network address of their own, so that the limits of one test are not spent by another. */
function writer(options: { javaScriptEnabled?: boolean } = {}): Promise<Shopper> {
  const address = `2001:db8::${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}`
  return shopper({ ...options, extraHTTPHeaders: { 'CF-Connecting-IP': address } })
}

async function write(page: Page, message = `Do you sew for twins? ${randomUUID()}`) {
  await page.getByLabel('Name').fill('Wanjiru')
  await page.getByLabel('Email').fill('wanjiru@example.com')
  await page.getByLabel('Message', { exact: true }).fill(message)
}

/** Opens the page and holds its script back; returns how to let that come. */
async function openAsleep(page: Page): Promise<() => void> {
  const wake = await holdBack(page, '**/assets/entry-*.js')
  await page.goto('/contact', { waitUntil: 'commit' })
  return wake
}

const send = (page: Page) => page.getByRole('button', { name: 'Send Message' }).click()
const valuesOf = (page: Page) =>
  Promise.all(
    ['Name', 'Email', 'Message'].map((label) => page.getByLabel(label, { exact: true }).inputValue()),
  )
/** The browser itself logs the 400 that a posted form may be answered with. */
const complaintsBut400 = ({ complaints }: Shopper) =>
  complaints.filter((complaint) => !complaint.includes('status of 400'))
const errorsOf = async (page: Page) => (await page.locator('.field__error').allTextContents()).filter(Boolean)

journeys('the contact page', () => {
  it('sends a message, says so, and starts anew with "Send Another Message"', async () => {
    const visitor = await writer()
    const { page } = visitor
    const sendAnswer = await holdBack(page, CALL)
    await visit(visitor, '/contact')
    await write(page)
    await send(page)
    await page.getByRole('button', { name: 'Sending...' }).waitFor()
    await page.getByText('Sending your message...').waitFor()
    sendAnswer()
    const again = page.getByRole('button', { name: 'Send Another Message' })
    await again.waitFor()
    expect(await page.locator('.contact__sent').innerText()).toContain('We reply within 24 hours')
    await again.click()
    expect(await valuesOf(page)).toEqual(['', '', ''])
    expect(await errorsOf(page)).toEqual([])
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('name')
    expectNoComplaints(visitor)
  })

  it('shows the errors of a field only after it has been left', async () => {
    const visitor = await writer()
    const { page } = visitor
    await visit(visitor, '/contact')
    await page.getByLabel('Email').pressSequentially('wanjiru')
    expect(await errorsOf(page)).toEqual([])
    await page.getByLabel('Email').press('Tab')
    await page.getByText('Please enter a valid email address').waitFor()
    expect(await errorsOf(page)).toEqual(['Please enter a valid email address'])
    await page.getByLabel('Email').fill('wanjiru@example.com')
    expect(await errorsOf(page)).toEqual(['Message is required'])
  })

  it('marks all three fields instead of sending an invalid form, and leads to the first', async () => {
    const visitor = await writer()
    const { page } = visitor
    let calls = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') calls += 1
    })
    await visit(visitor, '/contact')
    await send(page)
    expect(await errorsOf(page)).toEqual(['Name is required', 'Email is required', 'Message is required'])
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('name')
    await page.getByLabel('Name').fill('W')
    await page.getByLabel('Message', { exact: true }).fill('Habari')
    expect(await errorsOf(page)).toEqual([
      'Name must be at least 2 characters',
      'Email is required',
      'Message must be at least 10 characters',
    ])
    expect(calls).toBe(0)
  })

  it('counts the message and warns above 400, without a cutoff at 500', async () => {
    const visitor = await writer()
    const { page } = visitor
    await visit(visitor, '/contact')
    const colourOf = (counter: string) =>
      page.getByText(counter, { exact: true }).evaluate((element) => getComputedStyle(element).color)
    const message = page.getByLabel('Message', { exact: true })
    const calm = await colourOf('0/500')
    await message.fill('a'.repeat(400))
    expect(await colourOf('400/500')).toBe(calm)
    await message.fill('a'.repeat(401))
    expect(await colourOf('401/500')).not.toBe(calm)
    await message.fill('a'.repeat(620))
    expect(await colourOf('620/500')).not.toBe(calm)
    expect(await errorsOf(page)).toEqual([])
  })

  it('says "Network error" without a connection, keeps the draft, and sends it later', async () => {
    const visitor = await writer()
    const { page } = visitor
    await visit(visitor, '/contact')
    await write(page)
    const draft = await valuesOf(page)
    // The call alone: what makes it may still be on its way.
    await page.route(CALL, (route) => route.abort('internetdisconnected'))
    await send(page)
    const banner = page.getByRole('alert')
    await banner.waitFor()
    expect(await banner.textContent()).toBe('✕Network error')
    expect(await valuesOf(page)).toEqual(draft)
    await page.unroute(CALL)
    await send(page)
    await page.getByRole('button', { name: 'Send Another Message' }).waitFor()
  })

  it.each([
    [
      'its message',
      { status: 429, json: { message: 'Too many attempts.', code: 'x' } },
      'Too many attempts.',
    ],
    [
      'the general words without one',
      { status: 502, body: 'Bad gateway' },
      'Submission failed. Please try again.',
    ],
  ])('shows a failure of the server with %s, until a field is edited', async (_what, answer, text) => {
    const visitor = await writer()
    const { page } = visitor
    await page.route(CALL, (route) => route.fulfill(answer))
    await visit(visitor, '/contact')
    await write(page)
    await send(page)
    await page.getByRole('alert').getByText(text).waitFor()
    await page.getByLabel('Name').press('End')
    await page.getByLabel('Name').pressSequentially('!')
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  it('leaves the button where it is while a message is sent again', async () => {
    const visitor = await writer()
    const { page } = visitor
    // A pressed button springs back: here, at once.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.route(CALL, (route) => route.fulfill({ status: 500, json: {} }))
    await visit(visitor, '/contact')
    await write(page)
    await send(page)
    await page.locator('.banner--error').waitFor()
    const button = page.locator('form .button')
    const box = await button.boundingBox()
    await page.route(CALL, () => new Promise<void>(() => {}))
    await send(page)
    await page.getByText('Sending your message...').waitFor()
    expect(await button.boundingBox()).toEqual(box)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('keeps the draft through other pages and a reload', async () => {
    const visitor = await writer()
    const { page } = visitor
    await visit(visitor, '/contact')
    await write(page)
    const draft = await valuesOf(page)
    await page.goto('/about')
    await hydrated(page)
    await page.goBack()
    await hydrated(page)
    await expect.poll(() => valuesOf(page)).toEqual(draft)
    await page.getByRole('link', { name: shop.name, exact: true }).click()
    await page.waitForURL((url) => url.pathname === '/')
    await page.goBack()
    await page.getByRole('heading', { name: 'Contact us' }).waitFor()
    expect(await valuesOf(page)).toEqual(draft)
    await page.reload()
    await hydrated(page)
    await expect.poll(() => valuesOf(page)).toEqual(draft)
    expectNoComplaints(visitor)
  })

  it('keeps what was typed before the script had loaded', async () => {
    const visitor = await writer()
    const { page } = visitor
    const wake = await openAsleep(page)
    await write(page, 'Typed before the page woke.')
    wake()
    await hydrated(page)
    expect(await valuesOf(page)).toEqual(['Wanjiru', 'wanjiru@example.com', 'Typed before the page woke.'])
    await page.getByText('27/500', { exact: true }).waitFor()
    expectNoComplaints(visitor)
  })

  it('sends once however often Enter is pressed', async () => {
    const visitor = await writer()
    const { page } = visitor
    let calls = 0
    const answer = Promise.withResolvers<void>()
    await page.route(CALL, async (route) => {
      calls += 1
      await answer.promise
      await route.continue()
    })
    await visit(visitor, '/contact')
    await write(page)
    for (let press = 0; press < 3; press++) await page.getByLabel('Email').press('Enter')
    answer.resolve()
    await page.getByRole('button', { name: 'Send Another Message' }).waitFor()
    expect(calls).toBe(1)
  })

  it('names the other ways to reach the shop', async () => {
    const visitor = await writer()
    await visit(visitor, '/contact')
    const ways = visitor.page.locator('.ways a')
    expect(await ways.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      `mailto:${shop.email}`,
      shop.social,
      shop.code,
      shop.calendar,
    ])
  })

  it('works with scripts switched off: messages, then success, then an empty form', async () => {
    const visitor = await writer({ javaScriptEnabled: false })
    const { page } = visitor
    await page.goto('/contact')
    await page.getByLabel('Email').fill('wanjiru@')
    await send(page)
    await page.getByText('Message is required').waitFor()
    expect(await errorsOf(page)).toEqual([
      'Name is required',
      'Please enter a valid email address',
      'Message is required',
    ])
    expect(await valuesOf(page)).toEqual(['', 'wanjiru@', ''])
    await write(page)
    await send(page)
    await page.getByRole('button', { name: 'Send Another Message' }).click()
    expect(await valuesOf(page)).toEqual(['', '', ''])
    expect(complaintsBut400(visitor)).toEqual([])
  })

  it('wakes what the server answered to a form posted before its script had loaded', async () => {
    const visitor = await writer()
    const { page } = visitor
    const wake = await openAsleep(page)
    await write(page, 'Habari\nyako')
    await page.getByLabel('Name').fill('W')
    await send(page)
    await page.getByText('Name must be at least 2 characters').waitFor()
    wake()
    await hydrated(page)
    expect(await valuesOf(page)).toEqual(['W', 'wanjiru@example.com', 'Habari\nyako'])
    await page.getByLabel('Name').fill('Wanjiru')
    expect(await errorsOf(page)).toEqual([])
    await send(page)
    await page.getByRole('button', { name: 'Send Another Message' }).click()
    expect(await valuesOf(page)).toEqual(['', '', ''])
    expect(complaintsBut400(visitor)).toEqual([])
  })
})
