import { expect, inject, it } from 'vitest'
import { listSidewaysOverflow } from '#test/support/page-checks.ts'
import { expectNoComplaints, journeys } from '#test/support/shopper.ts'
import { newAccount, orderOneUnit, signedInShopper } from '#test/support/signed-in-shopper.ts'
import items from '../../public/Items.json'

const shopUrl = inject('shopUrl') ?? ''
const officeUrl = inject('officeUrl') ?? ''
const byPrice = items.filter(({ sizes }) => !sizes).toSorted((a, b) => a.price - b.price)
const [cheap, dear] = [byPrice[0], byPrice.at(-1)]

journeys('after the sale', () => {
  it('edits an order and exchanges an item for a cheaper one, all without scripts', async () => {
    if (!cheap || !dear) throw new Error('The catalogue has no items without sizes.')
    const account = await newAccount('Njeri Wambui')
    const { number } = await orderOneUnit(account, { id: dear.id })
    const visitor = await signedInShopper({ account, javaScriptEnabled: false })
    const { page } = visitor
    const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
    const expectUsable = async (what: string) => {
      expect(await listSidewaysOverflow(page), what).toEqual([])
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
    await page.goto(`${officeUrl}/orders/${number}/edit`)
    await page
      .getByLabel(/^Quantity of/)
      .last()
      .fill('0')
    await press('Save changes and email the customer')
    await page.getByText('Order changed.').waitFor()

    for (const name of ['Mark as packed', 'Mark as sent', 'Mark as delivered']) await press(name)
    await page.goto(`${shopUrl}/order/${number}`)
    await page.getByText('Request a return or exchange').click()
    await page.getByLabel('What would you like?').selectOption('Exchange')
    await page.getByLabel(/^How many of/).selectOption('1')
    await page.getByLabel('Reason').selectOption('Wrong size')
    await page.getByLabel(/^Message/).fill('The smaller one, please')
    await expectUsable('request')
    await press('Send request')
    await page.getByText('Exchange: requested.').waitFor()

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
    expectNoComplaints(visitor)
  })
})
