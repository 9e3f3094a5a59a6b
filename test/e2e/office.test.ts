import { expect, inject, it } from 'vitest'
import { formatKsh } from '#shared/format.ts'
import { violationsOn } from '#test/support/axe.ts'
import { sidewaysOn, smallTargetsOn } from '#test/support/page-checks.ts'
import { DESKTOP, expectNoComplaints, journeys, PHONE, shopper } from '#test/support/shopper.ts'
import { newAccount, orderOnePiece } from '#test/support/signed-in-shopper.ts'
import { tabProblemsOn } from '#test/support/tab-walk.ts'
import items from '../../public/Items.json'

const officeUrl = inject('officeUrl') ?? ''
const lastSize = items.at(-1)?.sizes?.at(-1)?.id ?? items.at(-1)?.id ?? 0
/** Between two looks at a page that changes without a shopper. */
const POLL_MS = 500
/** A phone that pays; its money is first given back at the second attempt. */
const BUSY_REFUND = '0700 000 014'

/** Sends the forms of an order's steps, one after the other. */
async function takeThrough(number: string, statuses: readonly string[]): Promise<void> {
  for (const [index, to] of statuses.slice(1).entries()) {
    const form = { from: statuses[index] ?? '', to, note: '', trackingAddress: '', stage: '' }
    const { status } = await fetch(`${officeUrl}/orders/${number}/status`, {
      ...{ method: 'POST', redirect: 'manual', headers: { Origin: officeUrl } },
      body: new URLSearchParams(form),
    })
    expect(status, `${number} ${to}`).toBe(303)
  }
}

journeys('the office', () => {
  it('takes orders from paid to delivered, and what goes wrong, without scripts and by keyboard alone', async () => {
    const [account, other] = await Promise.all([newAccount(), newAccount()])
    const visitor = await shopper({ origin: officeUrl, javaScriptEnabled: false })
    const { page } = visitor
    const use = async (role: 'button' | 'link', name: string) => {
      await page.getByRole(role, { name, exact: true }).focus()
      await page.keyboard.press('Enter')
    }
    const payment = { provider: 'mpesa', phone: BUSY_REFUND }
    const [returned, cancelled, told, ...others] = await Promise.all([
      orderOnePiece(other, { payment }),
      ...Array.from({ length: 3 }, () => orderOnePiece(account)),
    ])
    expect([returned, ...others].map(({ status, message }) => message ?? status)).toEqual([
      202,
      ...others.map(() => 201),
    ])
    if (!cancelled || !told) throw new Error('Nothing was ordered.')

    await page.goto(`${officeUrl}/orders/${cancelled.number}`)
    await use('link', 'Cancel order …')
    await use('button', `Cancel and give back ${formatKsh(cancelled.totalKsh)}`)
    await page.getByText('Order cancelled.').waitFor()
    await page.locator('.refund', { hasText: 'Given back, ' }).waitFor()

    await page.goto(officeUrl)
    await page.getByPlaceholder('Number, name, phone, receipt').fill(told.number)
    await use('button', 'Search')
    await page.getByRole('link', { name: told.number }).getByText('Amina Wanjiru').click()
    await use('button', 'Packed')
    await use('button', 'Undo: not packed yet')
    await use('button', 'Packed')
    await page.getByText('Add a note or tracking link for the customer').click()
    await page.getByLabel('Note (rider, time, place)').fill('Rider Juma, about 15:00')
    await page.getByLabel('Tracking link').fill('https://rider.example/7')
    await use('button', 'Sent with a rider')
    await page.getByText('“Rider Juma, about 15:00”').waitFor()
    await use('button', 'Delivered')
    await page.locator('.mark--status', { hasText: 'Delivered' }).waitFor()

    const returnedPath = `${officeUrl}/orders/${returned.number}`
    const reads = (text: string) => async () => {
      await page.goto(returnedPath)
      return page.getByText(text).count()
    }
    await expect.poll(reads('Placed paid, '), { interval: POLL_MS }).toBe(1)
    await use('link', `Give back ${formatKsh(returned.totalKsh)} …`)
    await use('button', `Give back ${formatKsh(returned.totalKsh)}`)
    await page.getByText('It failed: 500.003.02 System is busy.').waitFor()
    await use('button', 'Try again')
    await page.getByText('The refund is on its way').waitFor()
    await expect.poll(reads('Placed refunded, '), { interval: POLL_MS }).toBe(1)

    const delivered = ['placed', 'packed', 'shipped', 'delivered']
    await Promise.all(others.map(({ number }) => takeThrough(number, delivered)))

    const count = async (units: string) => {
      await page.goto(`${officeUrl}/stock?q=${lastSize}`)
      const row = page.getByRole('listitem').filter({ has: page.locator(`input[value="${lastSize}"]`) })
      await row.getByRole('textbox').fill(units)
      await row.getByRole('textbox').press('Enter')
      await page.getByText('It is counted.').waitFor()
    }
    await count('0')
    expect((await orderOnePiece(other, { id: lastSize })).status).toBe(409)
    await count('')
    expect((await orderOnePiece(other, { id: lastSize })).status).toBe(201)
    expectNoComplaints(visitor)
  })

  it('is accessible on every page, by thumb and by keyboard', async () => {
    const { number } = await orderOnePiece(await newAccount())
    const visitor = await shopper({ origin: officeUrl })
    const { page } = visitor
    for (const path of [
      '/?stage=pack',
      `/?q=${number}`,
      `/orders/${number}`,
      `/orders/${number}/cancel`,
      `/packing-slips?orders=${number}`,
      ...[
        '/stock?q=romper',
        '/messages',
        '/figures?period=week',
        '/more',
        '/payments',
        '/promotions',
        '/mails',
        '/audit',
        '/catalogue',
        '/catalogue/products/2',
        '/catalogue/products/new',
        '/catalogue/publish',
        '/catalogue/see',
      ],
    ]) {
      await page.setViewportSize(PHONE)
      await page.goto(officeUrl + path)
      expect(await violationsOn(page), path).toEqual([])
      expect(await sidewaysOn(page), `${path} on a phone`).toEqual([])
      // A checkbox is chosen by its label, which is large enough.
      const small = (await smallTargetsOn(page)).filter((target) => !target.includes('type="checkbox"'))
      expect(small, path).toEqual([])
      await page.setViewportSize(DESKTOP)
      expect(await sidewaysOn(page), `${path} on a desktop`).toEqual([])
      // A field for a date is several stops.
      if ((await page.locator('input[type=date]').count()) === 0)
        expect(await tabProblemsOn(page), path).toEqual([])
    }
    expectNoComplaints(visitor)
  })
})
