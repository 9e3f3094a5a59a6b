import { expect, inject, it } from 'vitest'
import { formatMoney } from '#shared/format.ts'
import { listViolations } from '#test/support/axe.ts'
import { listHorizontalOverflow, listSmallTargets } from '#test/support/page-checks.ts'
import {
  blockRequests,
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
} from '#test/support/shopper.ts'
import { newAccount, orderOneUnit } from '#test/support/signed-in-shopper.ts'
import { listTabProblems } from '#test/support/tab-walk.ts'
import items from '../../public/Items.json'

const officeUrl = inject('officeUrl') ?? ''
const pushUrl = inject('pushUrl') ?? ''
const lastItemId = items.at(-1)?.sizes?.at(-1)?.id ?? items.at(-1)?.id ?? 0
const POLL_MS = 500
/** The sandbox rejects prompts to this phone. */
const REFUSED_PHONE = '0700 000 012'
/** The sandbox rejects the first refund to this phone. */
const REFUND_FAILS_ONCE_PHONE = '0700 000 014'

async function changeStatuses(number: string, statuses: readonly string[]): Promise<void> {
  for (const [index, to] of statuses.slice(1).entries()) {
    const form = { from: statuses[index] ?? '', to, note: '', trackingUrl: '', stage: '' }
    const { status } = await fetch(`${officeUrl}/orders/${number}/status`, {
      ...{ method: 'POST', redirect: 'manual', headers: { Origin: officeUrl } },
      body: new URLSearchParams(form),
    })
    expect(status, `${number} ${to}`).toBe(303)
  }
}

async function uploadPayment(receipt: string, amountKsh: number): Promise<void> {
  const paidAt = new Date().toISOString().slice(0, 19)
  const form = new FormData()
  form.set('provider', 'mpesa')
  form.set('day', 'today')
  const text = `Receipt No.,Completion Time,Paid In\n${receipt},${paidAt}Z,${amountKsh}\n`
  form.set('file', new File([text], 'statement.csv', { type: 'text/csv' }))
  const { status } = await fetch(`${officeUrl}/reconciliation/statement`, {
    ...{ method: 'POST', redirect: 'manual', headers: { Origin: officeUrl } },
    body: form,
  })
  expect(status).toBe(303)
}

journeys('the office', () => {
  it('takes an order by phone, which the customer pays by its link', async () => {
    const visitor = await openShopper({ origin: officeUrl, javaScriptEnabled: false })
    const { page } = visitor
    await page.goto(officeUrl)
    await page.getByRole('link', { name: 'New order' }).click()
    await page.getByRole('searchbox').fill('snap romper')
    await page.getByRole('button', { name: 'Search' }).click()
    await page
      .getByRole('button', { name: /^Add Organic Cotton Snap Romper/ })
      .first()
      .click()
    await page.getByLabel('First name').fill('Njeri')
    await page.getByLabel('Phone', { exact: true }).fill('0722 123 456')
    await page.getByLabel('Address', { exact: true }).fill('Ngong Road 12')
    await page.getByRole('button', { name: /^Create order, KSH/ }).click()
    const link = await page.getByLabel('Payment link').inputValue()
    const number = /P-\w{6}/.exec(link)?.[0] ?? ''

    const customer = await openShopper()
    await customer.page.goto(link)
    await customer.page.getByLabel('M-Pesa', { exact: true }).check()
    await customer.page.getByLabel('M-Pesa phone number').fill(REFUSED_PHONE)
    await customer.page.getByRole('button', { name: /^Pay KSH/ }).click()
    const reason = customer.page.getByText('M-Pesa is still processing another payment from this phone.')
    await reason.waitFor()
    await customer.page.getByRole('heading', { name: 'Pay for this order' }).waitFor()
    expect(await reason.count()).toBe(1)
    await customer.page.getByLabel('M-Pesa phone number').fill('0722 123 456')
    await customer.page.getByRole('button', { name: /^Pay KSH/ }).click()
    await customer.page.getByText('We’ve received your order').waitFor()
    await page.goto(`${officeUrl}/orders/${number}`)
    await page.getByRole('button', { name: 'Mark as packed' }).waitFor()
    expectNoConsoleErrors(visitor)
    // Chromium logs the 402 of the rejected attempt.
    expect(customer.consoleErrors.filter((text) => !text.includes('status of 402'))).toEqual([])
  })

  it('fulfils, cancels and refunds orders, and counts stock, by keyboard only, without JavaScript', async () => {
    const [account, other] = await Promise.all([newAccount(), newAccount()])
    const visitor = await openShopper({ origin: officeUrl, javaScriptEnabled: false })
    const { page } = visitor
    const press = async (role: 'button' | 'link', name: string | RegExp) => {
      await page.getByRole(role, { name, exact: true }).focus()
      await page.keyboard.press('Enter')
    }
    const payment = { provider: 'mpesa', phone: REFUND_FAILS_ONCE_PHONE }
    const [returned, cancelled, fulfilled, ...others] = await Promise.all([
      orderOneUnit(other, { payment }),
      ...Array.from({ length: 3 }, () => orderOneUnit(account)),
    ])
    expect([returned, ...others].map(({ status, message }) => message ?? status)).toEqual([
      202,
      ...others.map(() => 201),
    ])
    if (!cancelled || !fulfilled) throw new Error('The orders failed.')

    await page.goto(`${officeUrl}/orders/${cancelled.number}`)
    await press('link', 'Cancel order')
    await press('button', `Cancel and refund ${formatMoney(cancelled.totalKsh * 100)}`)
    await page.getByText('Order cancelled.').waitFor()
    await page.locator('.refund', { hasText: 'Refunded' }).waitFor()

    await page.goto(officeUrl)
    await page.getByPlaceholder('Number, name, phone, email').fill(fulfilled.number)
    await press('button', 'Search')
    await page
      .getByRole('link', { name: fulfilled.number })
      .filter({ hasText: 'Amina Wanjiru' })
      .press('Enter')
    await press('button', 'Mark as packed')
    await press('button', 'Undo packing')
    await press('button', 'Mark as packed')
    await page.getByText('Add a note or tracking link for the customer').press('Enter')
    await page.getByLabel('Note (rider, time, place)').fill('Rider Juma, about 15:00')
    await page.getByLabel('Tracking link').fill('https://rider.example/7')
    await press('button', 'Mark as sent')
    await page.getByText('“Rider Juma, about 15:00”').waitFor()
    await press('button', 'Mark as delivered')
    await page.locator('.mark--status', { hasText: 'Delivered' }).waitFor()

    const returnedPath = `${officeUrl}/orders/${returned.number}`
    const countText = (text: string) => async () => {
      await page.goto(returnedPath)
      return page.getByText(text).count()
    }
    await expect.poll(countText('Placed Paid'), { interval: POLL_MS }).toBe(1)
    await press('link', 'Refund payment')
    await press('button', 'Start refund')
    await page.getByText('M-Pesa was too busy. (Code 500.003.02) We’ll retry after').waitFor()
    await press('button', /^Retry refund/)
    await page.getByText(/Refund of KSH [\d,]+ (started|complete)\./).waitFor()
    await expect.poll(countText('Placed Refunded'), { interval: POLL_MS }).toBe(1)

    const delivered = ['placed', 'packed', 'shipped', 'delivered']
    await Promise.all(others.map(({ number }) => changeStatuses(number, delivered)))

    const saveStock = async (units: string) => {
      await page.goto(`${officeUrl}/stock?q=${lastItemId}`)
      const row = page.getByRole('listitem').filter({ has: page.locator(`input[value="${lastItemId}"]`) })
      await row.getByRole('textbox').fill(units)
      await row.getByRole('textbox').press('Enter')
      await page.getByText('Stock updated.').waitFor()
    }
    await saveStock('0')
    expect((await orderOneUnit(other, { id: lastItemId })).status).toBe(409)
    await saveStock('')
    expect((await orderOneUnit(other, { id: lastItemId })).status).toBe(201)
    expectNoConsoleErrors(visitor)
  })

  it('alerts the owner to an order, and lets her add a packer on a flaky network, who sends it', async () => {
    const visitor = await openShopper({ origin: officeUrl })
    const { page } = visitor
    await page.goto(`${officeUrl}/alerts`)
    await page.getByRole('button', { name: 'Turn on alerts on this device' }).click()
    await page.getByText('This device will receive alerts.').waitFor()
    const { number, totalKsh } = await orderOneUnit(await newAccount())
    const received = async () => (await fetch(pushUrl)).json()
    const title = `New order ${number}: ${formatMoney(totalKsh * 100)}`
    const alert = expect.objectContaining({ title, url: `/orders/${number}` })
    await expect.poll(received, { interval: POLL_MS }).toContainEqual(alert)

    await page.goto(`${officeUrl}/team`)
    await page.getByLabel('Email address').fill('packer@localhost.example')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Add team member' }).click()
    await page
      .getByRole('alert')
      .getByText('We couldn’t send this. What you entered is still here.')
      .waitFor()
    await page.context().setOffline(false)
    const unblock = await blockRequests(page, `${officeUrl}/team`)
    await page.getByRole('button', { name: 'Add team member' }).click()
    await page.locator('button[aria-busy=true]').waitFor()
    unblock()
    await page.locator('[role=status]:focus', { hasText: 'Team member saved.' }).waitFor()
    const viewport = page.viewportSize()
    await page.setViewportSize({ width: 360, height: 400 })
    await page.getByLabel('Email address').fill('operator@localhost')
    await page.getByRole('button', { name: 'Add team member' }).click()
    const refusal = page.getByRole('alert').getByText('You can’t change your own role.')
    await expect.poll(async () => (await refusal.boundingBox())?.y).toBeGreaterThan(0)
    await page.setViewportSize(viewport ?? DESKTOP_VIEWPORT)
    await page.getByRole('button', { name: 'Add team member' }).waitFor()

    // This form has a field called “method”, which hides the form's own property.
    await page.goto(`${officeUrl}/new-order?qty-1=1`)
    await page.getByRole('button', { name: /^Create order/ }).click()
    await expect
      .poll(() => page.locator('[role=alert]:focus').textContent())
      .toContain('First name is required')

    // A packer now works on the order above.
    const packerUrl = officeUrl.replace('localhost', 'packer.localhost')
    await page.goto(`${packerUrl}/orders/${number}`)
    await page.getByRole('button', { name: 'Mark as packed' }).click()
    await page.getByText('is now “Packed”').waitFor()
    await page.getByRole('link', { name: number }).first().click()
    for (const note of ['Call first', 'The gate is green']) {
      await page.getByLabel('New note').fill(note)
      await page.getByRole('button', { name: 'Add note' }).click()
      await page.locator('#notes:focus', { hasText: note }).waitFor()
    }
    await page.getByText('Add a note or tracking link for the customer').click()
    await page.getByLabel('Note (rider, time, place)').fill('Rider Juma')
    await page.getByRole('button', { name: 'Mark as sent' }).click()
    await page.getByText('is now “On its way”').waitFor()
    expect(await page.locator('body').textContent()).not.toContain('KSH')
    const tabs = await page.getByRole('navigation', { name: 'Sections' }).getByRole('link').allTextContents()
    expect(tabs).toEqual(['Orders', 'Stock', 'More'])
    await page.goto(`${packerUrl}/stock?q=${lastItemId}`)
    await page.getByRole('textbox', { name: /^Stock of/ }).fill('30')
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByText('Stock updated.').waitFor()
    expect((await page.goto(`${packerUrl}/figures`))?.status()).toBe(403)
    await page.goto(`${officeUrl}/audit`)
    await page.getByText('GET /figures').waitFor()
  })

  it('has accessible pages, which fit a phone and a desktop and can be used by keyboard', async () => {
    const account = await newAccount()
    const { number } = await orderOneUnit(account)
    const neverPaid = { provider: 'mpesa', phone: '0700 000 005' }
    // The product has limited stock, so the order is in the list of reservations.
    const { number: unpaid, totalKsh } = await orderOneUnit(account, { id: 60, payment: neverPaid })
    const receipt = 'SKLUNKNOWN1'
    await uploadPayment(receipt, totalKsh)
    const visitor = await openShopper({ origin: officeUrl })
    const { page } = visitor
    for (const path of [
      '/?stage=pack',
      `/?q=${number}`,
      `/orders/${number}`,
      `/orders/${number}/cancel`,
      `/orders/${number}/refund`,
      `/orders/${number}/edit`,
      `/orders/${number}/returns`,
      `/orders/${unpaid}`,
      `/orders/${unpaid}/payment-link`,
      '/new-order?q=dress&qty-1=2',
      `/packing-slips?orders=${number}`,
      ...[
        '/stock?q=romper',
        '/stock/reservations',
        '/messages',
        '/figures?period=week',
        '/more',
        '/customers',
        '/returns',
        '/payments',
        '/exports',
        '/incoming',
        `/incoming/refund?provider=mpesa&receipt=${receipt}`,
        '/reconciliation',
        '/invoice-details',
        '/figures/sales?by=product',
        '/promotions',
        '/emails',
        '/audit',
        '/team',
        '/alerts',
        '/share?q=dress&qty-1=2&qty-44=1',
        '/catalogue',
        '/catalogue/categories',
        '/catalogue/products/2',
        '/catalogue/products/new',
        '/catalogue/publish',
        '/catalogue/preview',
        '/content',
        '/content/returns',
        '/content/hero',
        '/content/featured',
        '/content/searchWords',
      ],
    ]) {
      await page.setViewportSize(PHONE_VIEWPORT)
      await page.goto(officeUrl + path)
      expect(await listViolations(page), path).toEqual([])
      expect(await listHorizontalOverflow(page), `${path} on a phone`).toEqual([])
      // Checkboxes and radio buttons are excluded, because their labels are part of their targets.
      const small = (await listSmallTargets(page)).filter((target) => !/type="(checkbox|radio)"/.test(target))
      expect(small, path).toEqual([])
      await page.setViewportSize(DESKTOP_VIEWPORT)
      expect(await listHorizontalOverflow(page), `${path} on a desktop`).toEqual([])
      // The check excludes pages with a date field, which has several tab stops.
      if (await page.evaluate(() => !document.querySelector('input[type^=date]')))
        expect(await listTabProblems(page), path).toEqual([])
    }
    await page.goto(`${officeUrl}/incoming`)
    await page.getByRole('button', { name: `Assign to ${unpaid}` }).waitFor()
    expectNoConsoleErrors(visitor)
  })
})
