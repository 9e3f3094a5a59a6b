import { expect, inject, it } from 'vitest'
import { formatKsh } from '#shared/rules/format.ts'
import { violationsOn } from '#test/support/axe.ts'
import { sidewaysOn, smallTargetsOn } from '#test/support/page-checks.ts'
import { DESKTOP, expectNoComplaints, journeys, ownAddress, PHONE, shopper } from '#test/support/shopper.ts'
import { type Account, newAccount } from '#test/support/signed-in-shopper.ts'
import items from '../../public/Items.json'

const officeUrl = inject('officeUrl') ?? ''
const shopUrl = inject('shopUrl') ?? ''
const lastItem = items.at(-1)
const ORDERS = 20

type Totals = { totalCents: number }
/** What the API answers: the order, or the totals it would have. */
type Answer = { order?: { number: string; totals: Totals }; totals?: Totals }

/** Orders one piece of a product and pays for it; returns the status, and the order's number and total. */
async function order({ token }: Account, id = 1) {
  const headers = {
    'Content-Type': 'application/json',
    'CF-Connecting-IP': ownAddress(),
    Authorization: `Bearer ${token}`,
    'Idempotency-Key': crypto.randomUUID(),
  }
  const billing = {
    ...{ firstName: 'Amina', lastName: 'Wanjiru', email: 'amina@shopper.test', address: 'Moi Avenue 4' },
    ...{ address2: '', country: 'Kenya', state: 'Nairobi', zip: '00100', phone: '0712 345 678' },
  }
  const payment = { token: 'tok_simulated', card: { brand: 'Visa', lastFour: '4242' } }
  const send = async (expectedTotal: number) => {
    const body = JSON.stringify({ lines: [{ id, qty: 1 }], billing, payment, expectedTotal })
    const response = await fetch(`${shopUrl}/api/orders`, { method: 'POST', headers, body })
    return { status: response.status, body: (await response.json()) as Answer }
  }
  const guess = await send(1)
  const { body, status } = guess.body.totals ? await send(guess.body.totals.totalCents / 100) : guess
  return { status, number: body.order?.number ?? '', totalKsh: (body.order?.totals.totalCents ?? 0) / 100 }
}

journeys('the office', () => {
  it('takes a day of orders from paid to delivered, and one back', async () => {
    const account = await newAccount()
    const placed = await Promise.all(Array.from({ length: ORDERS }, () => order(account)))
    const visitor = await shopper({ viewport: PHONE, origin: officeUrl })
    const { page } = visitor
    const [cancelled, undone, ...others] = placed
    if (!cancelled || !undone) throw new Error('Nothing was ordered.')

    await page.goto(`${officeUrl}/orders/${cancelled.number}`)
    await page.getByRole('link', { name: 'Cancel order' }).click()
    await page.getByRole('button', { name: `Cancel and give back ${formatKsh(cancelled.totalKsh)}` }).click()
    await page.getByText('Given back', { exact: false }).first().waitFor()

    await page.goto(`${officeUrl}/orders/${undone.number}`)
    await page.getByRole('button', { name: 'Packed', exact: true }).click()
    await page.getByRole('button', { name: 'Undo: not packed yet' }).click()
    await page.getByRole('button', { name: 'Packed', exact: true }).waitFor()

    for (const { number } of [undone, ...others]) {
      await page.goto(`${officeUrl}/orders/${number}`)
      for (const step of ['Packed', 'Sent with a rider', 'Delivered'])
        await page.getByRole('button', { name: step, exact: true }).click()
      await page.locator('.mark--status', { hasText: 'Delivered' }).waitFor()
    }
    await page.goto(officeUrl)
    await page.getByPlaceholder('Number, name, phone, receipt').fill(undone.number)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: undone.number }).getByText('Amina Wanjiru').waitFor()
    expectNoComplaints(visitor)
  })

  it('counts an item down to nothing, which cannot be ordered then', async () => {
    const account = await newAccount()
    const id = lastItem?.sizes?.at(-1)?.id ?? lastItem?.id ?? 0
    const visitor = await shopper({ viewport: PHONE, origin: officeUrl })
    const { page } = visitor
    const count = async (units: string) => {
      await page.goto(`${officeUrl}/stock?q=${id}`)
      const row = page.getByRole('listitem').filter({ has: page.locator(`input[value="${id}"]`) })
      await row.getByRole('textbox').fill(units)
      await row.getByRole('button', { name: 'Save' }).click()
      await page.getByText('It is counted.').waitFor()
    }
    await count('0')
    expect((await order(account, id)).status).toBe(409)
    await count('')
    expect((await order(account, id)).status).toBe(201)
    expectNoComplaints(visitor)
  })

  it.each([PHONE, DESKTOP])('is accessible on every page at $width pixels', async (viewport) => {
    const { number } = await order(await newAccount())
    const visitor = await shopper({ viewport, origin: officeUrl })
    const { page } = visitor
    for (const path of [
      '/?stage=pack',
      `/?q=${number}`,
      `/orders/${number}`,
      `/orders/${number}/cancel`,
      `/packing-slips?orders=${number}`,
      ...[
        '/stock',
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
      await page.goto(officeUrl + path)
      expect(await violationsOn(page), path).toEqual([])
      expect(await sidewaysOn(page), path).toEqual([])
      // A checkbox is chosen by its label, which is large enough.
      const small = (await smallTargetsOn(page)).filter((target) => !target.includes('type="checkbox"'))
      expect(small, path).toEqual([])
    }
    expectNoComplaints(visitor)
  })
})
