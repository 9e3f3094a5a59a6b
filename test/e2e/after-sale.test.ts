import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { formatMoney, kshToCents } from '#shared/format.ts'
import { listViolations } from '#test/support/axe.ts'
import { listHorizontalOverflow } from '#test/support/page-checks.ts'
import {
  DESKTOP_VIEWPORT,
  expectNoConsoleErrors,
  journeys,
  openShopper,
  PHONE_VIEWPORT,
  visit,
} from '#test/support/shopper.ts'
import { newAccount, openSignedInShopper, orderOneUnit } from '#test/support/signed-in-shopper.ts'
import { type ServedShop, serveShop } from '#tools/local-shop.ts'
import { findFreePort } from '#tools/ports.ts'
import { type LocalProviders, openLocalProviders } from '#tools/sandbox/local.ts'
import items from '../../public/Items.json'

const shopUrl = inject('shopUrl') ?? ''
const officeUrl = inject('officeUrl') ?? ''
const itemsByPrice = items.filter(({ sizes }) => !sizes).toSorted((a, b) => a.price - b.price)
const [cheap, expensive] = [itemsByPrice[0], itemsByPrice.at(-1)]
const expensiveTitle = String(expensive?.title ?? expensive?.name)

journeys('an order after the sale', () => {
  it('can be edited, and its item exchanged for a cheaper one, without JavaScript', async () => {
    if (!cheap || !expensive) throw new Error('The catalogue has no items without sizes.')
    const account = await newAccount('Njeri Wambui')
    const { number } = await orderOneUnit(account, { id: expensive.id })
    const visitor = await openSignedInShopper({ account, javaScriptEnabled: false })
    const { page } = visitor
    const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
    const expectUsable = async (label: string) => {
      expect(await listHorizontalOverflow(page), label).toEqual([])
    }

    await page.goto(`${officeUrl}/orders/${number}`)
    await page.getByRole('link', { name: 'Edit order' }).click()
    await page.getByLabel('Landmark (optional)').fill('Yaya Centre, 3rd floor')
    await page.getByPlaceholder('Product name or number').fill(String(cheap.title ?? cheap.name))
    await press('Search')
    await page.locator('button[name=add]').first().click()
    await page.getByText('New total:').waitFor()
    await expectUsable('edit')
    await press('Save changes and email the customer')
    await page.getByText('Order changed.').waitFor()
    await page.getByText('Yaya Centre, 3rd floor').waitFor()
    await page
      .getByText(/^KSH [\d,]+ due$/)
      .first()
      .waitFor()
    await page.goto(`${shopUrl}/order/${number}`)
    await page.getByRole('heading', { name: 'Still to pay' }).waitFor()
    await page.getByText('Cancel this order', { exact: true }).click()
    await page.getByRole('button', { name: 'Yes, cancel this order' }).waitFor()
    await page.goto(`${officeUrl}/orders/${number}/edit`)
    await page
      .getByLabel(/^Quantity of/)
      .last()
      .fill('0')
    await press('Update total')
    await page.getByText('New total:').waitFor()
    await press('Save changes and email the customer')
    await page.getByText('Order changed.').waitFor()

    for (const name of ['Mark as packed', 'Mark as sent', 'Mark as delivered']) await press(name)
    await page.goto(`${shopUrl}/order/${number}`)
    await page.getByText('Request a return or exchange').click()
    await page.getByRole('radio', { name: 'Exchange' }).check()
    expect(await page.locator('.order__returns .thumb').count()).toBe(1)
    await page.getByLabel('Reason').selectOption('Wrong size')
    await page.getByLabel(/^Message/).fill('The smaller one, please')
    await expectUsable('request')
    const setTextSize = (size: string) =>
      page.evaluate((fontSize) => Object.assign(document.documentElement.style, { fontSize }), size)
    await setTextSize('200%')
    await expectUsable('request in large text')
    await setTextSize('')
    await press('Send request')
    await page.getByRole('region', { name: 'Exchange requested' }).getByText('within 24 hours').waitFor()

    await page.goto(`${officeUrl}/returns`)
    await page.getByRole('link', { name: number }).click()
    await page.getByText('The smaller one, please').waitFor()
    await page
      .getByLabel(/another item|^Exchange/)
      .last()
      .fill(`${cheap.id} ${cheap.title}`)
    await press('Approve exchange')
    await page.getByText('The replacement is reserved until').waitFor()
    await press('Mark as received')
    await page.getByRole('button', { name: 'Mark replacement as handed over' }).waitFor()
    await expectUsable('returns')
    await press('Mark replacement as handed over')
    await page.getByText('Completed', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Back to the order' }).click()
    await page
      .getByText(/Refund due|^Paid$/)
      .first()
      .waitFor()
    await page.getByText('Exchange completed: 1').waitFor()

    await page.getByRole('link', { name: 'View customer’s orders and notes' }).click()
    await page.getByText(/exchange, completed/).waitFor()
    await expectUsable('customer')
    expectNoConsoleErrors(visitor)
  })
})

journeys('the office of a shop with M-Pesa, Paystack and cash on delivery', () => {
  let stateFolder = ''
  let providers: LocalProviders
  let shop: ServedShop

  beforeAll(async () => {
    stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-after-sale-'))
    await cp(inject('newDatabase'), stateFolder, { recursive: true })
    const [port, officePort] = [await findFreePort(), await findFreePort()]
    providers = await openLocalProviders({ shopPort: port, delays: { answerMs: 300 }, log: () => {} })
    const vars = { ...providers.vars, PAYMENTS: 'mpesa,paystack' }
    shop = await serveShop({ port, officePort, stateFolder, vars, onLog: () => {} })
  })
  afterAll(async () => {
    await Promise.all([shop.close(), providers.close()])
    await rm(stateFolder, { recursive: true, force: true })
  })
  const office = (path: string) => `${shop.officeUrl}${path}`

  async function reloadUntil(page: Page, url: string, text: string | RegExp): Promise<void> {
    await expect
      .poll(async () => (await page.goto(url)) && page.getByText(text).first().isVisible(), {
        timeout: 15_000,
      })
      .toBe(true)
  }

  it('takes an order by phone, paid by card without an account or email, and refunds part of it', async () => {
    const owner = await openShopper({ origin: shop.officeUrl ?? '', javaScriptEnabled: false })
    const { page } = owner
    const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click()
    await page.goto(office(`/new-order?qty-${expensive?.id}=1`))
    await page.getByLabel('First name').fill('Halima')
    await page.getByLabel('Phone', { exact: true }).fill('0733 987 654')
    await page.getByLabel('Address', { exact: true }).fill('Ngong Road 12')
    await press(/^Create order, KSH/)
    const link = await page.getByLabel('Payment link').inputValue()
    const number = /P-\w{6}/.exec(link)?.[0] ?? ''

    const customer = await openShopper({ origin: shop.url, javaScriptEnabled: false })
    await customer.page.goto(link)
    expect(await listHorizontalOverflow(customer.page)).toEqual([])
    await customer.page.getByLabel('Card', { exact: true }).check()
    await customer.page.getByRole('button', { name: /^Pay KSH/ }).click()
    await customer.page.getByRole('link', { name: 'Continue to Paystack' }).click()
    await customer.page.getByRole('button', { name: 'Pay', exact: true }).click()
    await reloadUntil(customer.page, link, 'We’ve received your order')

    await page.goto(office(`/orders/${number}`))
    for (const name of ['Mark as packed', 'Mark as sent', 'Mark as delivered']) await press(name)
    await page.goto(office(`/orders/${number}/returns`))
    await page.getByLabel(/: quantity/).fill('1')
    await press('Create return or exchange')
    await press('Mark as received')
    await page.getByLabel(/^Refund in KSH/).fill('1,000')
    await press('Refund and complete return')
    await reloadUntil(page, office(`/orders/${number}`), 'Partly refunded')
    expect(await listHorizontalOverflow(page)).toEqual([])
    await reloadUntil(customer.page, link, 'KSH 1,000 refunded')
    for (const person of [owner, customer]) expectNoConsoleErrors(person)
  })

  it('exchanges an item for a more expensive one, collects the difference and makes a partial refund by M-Pesa', async () => {
    const account = await newAccount('Njeri Wambui', shop.url)
    const phone = '0711 000 021'
    const payment = { provider: 'mpesa', phone }
    const { number } = await orderOneUnit(account, { id: cheap?.id ?? 0, payment, origin: shop.url })
    const visitor = await openSignedInShopper({ account, viewport: DESKTOP_VIEWPORT, origin: shop.url })
    const { page } = visitor
    const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click()
    await reloadUntil(page, office(`/orders/${number}`), 'Mark as packed')
    await press('Mark as packed')
    await press('Mark as sent')
    await press('Mark as delivered')
    await page.getByRole('button', { name: 'Undo delivery' }).waitFor()
    await visit(visitor, `/order/${number}`)
    await page.getByText('Request a return or exchange').click()
    await page.getByLabel('Reason').waitFor()
    const outcomes = page.locator('#return-note:visible, #exchange-note:visible')
    expect(await outcomes.count(), 'before a choice').toBe(0)
    await page.getByRole('radio', { name: 'Return' }).check()
    const refundKsh = Math.floor((cheap?.price ?? 0) * 1.16)
    await page.getByText(`We’ll refund ${formatMoney(kshToCents(refundKsh))}.`).waitFor()
    await page.getByRole('radio', { name: 'Exchange' }).check()
    expect(await outcomes.allInnerTexts()).toEqual([expect.stringContaining('We’ll hold your new item')])
    for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
      await page.setViewportSize(viewport)
      expect(await listViolations(page)).toEqual([])
    }
    await page.getByLabel('Reason').selectOption('Changed my mind')
    const otherItem = page.getByRole('combobox', { name: /^Which item would you like/ })
    await otherItem.fill(expensiveTitle.slice(0, 8).toLowerCase())
    await page.locator(`datalist option[value="${expensiveTitle}"]`).waitFor({ state: 'attached' })
    await otherItem.fill(expensiveTitle)
    await page
      .getByRole('status')
      .filter({ hasText: /^KSH\s[\d,]+ with VAT, KSH [\d,]+ more$/ })
      .waitFor()
    await press('Send request')
    await page.getByRole('region', { name: 'Exchange requested' }).getByText(`→ ${expensiveTitle}`).waitFor()

    await page.goto(office(`/orders/${number}/returns`))
    expect(
      await page
        .getByLabel(/^Exchange .* for$/)
        .first()
        .inputValue(),
    ).toBe(`${expensive?.id} ${expensiveTitle}`)
    await press('Approve exchange')
    await press('Mark as received')
    await page.getByText('still has to pay the difference').waitFor()
    expect(await listViolations(page)).toEqual([])

    await visit(visitor, `/order/${number}`)
    await page.getByRole('link', { name: /^Pay KSH/ }).click()
    for (const viewport of [PHONE_VIEWPORT, DESKTOP_VIEWPORT]) {
      await page.setViewportSize(viewport)
      expect(await listViolations(page)).toEqual([])
    }
    await page.getByLabel('M-Pesa phone number').fill(phone)
    await press(/^Pay KSH/)
    await page.getByRole('heading', { name: 'Pay for your exchange' }).waitFor({ state: 'detached' })
    await page
      .getByText(/your payment of KSH\s[\d,]+\. Next, we’ll deliver the .+ to your address for KSH\s30/)
      .first()
      .waitFor()
    expect(await page.getByText(/^KSH\s[\d,]+ paid \(M-Pesa, receipt \w+\)$/).count()).toBe(2)

    await page.goto(office(`/orders/${number}/returns`))
    await press('Mark replacement as handed over')
    await page.getByText('Completed', { exact: true }).waitFor()
    await page.goto(office(`/orders/${number}/refund`))
    await page.getByLabel('Amount (KSH)').fill('500')
    await press('Start refund')
    await page.getByText('Refund of KSH 500 started').first().waitFor()
    await reloadUntil(page, office(`/orders/${number}`), 'Refund of KSH 500 complete')
    expect(await listViolations(page)).toEqual([])
    expectNoConsoleErrors(visitor)
  })

  it('collects cash for an order that a packer sent, and refuses a blocked customer’s next order', async () => {
    const owner = await openShopper({ origin: shop.officeUrl ?? '', javaScriptEnabled: false })
    const { page } = owner
    const press = (name: string | RegExp, on = page) => on.getByRole('button', { name }).first().click()
    await page.goto(office('/content/payments'))
    await page.locator('[name=cashOnDelivery]').check()
    await page.locator('[name=cashMaxKsh]').fill('20,000')
    await page.getByLabel('Nairobi', { exact: true }).check()
    await press('Save draft')
    await page.goto(office('/catalogue/publish'))
    await press('Publish changes')
    await page.goto(office('/team'))
    await page.getByLabel(/Email/).fill('wafula@localhost.example')
    await press('Add team member')

    const account = await newAccount('Mumbi Njoroge', shop.url)
    const payment = { provider: 'cash-on-delivery' }
    const order = () => orderOneUnit(account, { id: expensive?.id ?? 0, payment, origin: shop.url })
    const { number, status, message } = await order()
    expect(status, message).toBe(202)
    const packer = await openShopper({ origin: shop.officeUrl ?? '', javaScriptEnabled: false })
    await packer.page.goto(office(`/orders/${number}`).replace('localhost', 'wafula.localhost'))
    await packer.page.getByText(/^Collect KSH/).waitFor()
    await press('Mark as packed', packer.page)
    await press('Mark as sent', packer.page)
    await page.goto(office('/?stage=on-the-way'))
    await press(/^Mark as delivered and paid, KSH/)
    await page.goto(office(`/orders/${number}`))
    await page.getByText(/Payment of KSH [\d,]+ received: Cash/).waitFor()

    await page.getByRole('link', { name: 'View customer’s orders and notes' }).click()
    await press('Block customer')
    await page.getByText('Customer blocked.').waitFor()
    expect(await order()).toMatchObject({ status: 403, message: expect.stringContaining('contact us') })
    for (const person of [owner, packer]) expectNoConsoleErrors(person)
  })
})
