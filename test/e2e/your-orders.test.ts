import { expect, it } from 'vitest'
import { expectNoComplaints, journeys, visit } from '#test/support/shopper.ts'
import { signedInShopper } from '#test/support/signed-in-shopper.ts'

journeys('"Your orders" on the dashboard', () => {
  it('says that there are none yet', async () => {
    const visitor = await signedInShopper()
    await visit(visitor, '/dashboard')
    await visitor.page.getByText('You have not ordered anything yet.').waitFor()
    expectNoComplaints(visitor)
  })

  it('says that they could not be read, and reads them on demand', async () => {
    const visitor = await signedInShopper()
    const { page } = visitor
    await page.route('**/api/orders', (route) => route.abort(), { times: 1 })
    await visit(visitor, '/dashboard')
    await page.getByRole('alert').getByText('Your orders could not be read just now.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('You have not ordered anything yet.').waitFor()
  })

  it('shows number, date, status and total, and earlier orders on demand', async () => {
    const visitor = await signedInShopper()
    const { page } = visitor
    const order = (number: string, status: string) => ({
      key: 'a'.repeat(32),
      number,
      status,
      placedAtMs: Date.UTC(2026, 10, 21, 9),
      lines: [],
      totals: {
        subtotalCents: 1850_00,
        discountCents: 0,
        shippingCents: 0,
        vatCents: 296_00,
        roundingCents: 0,
        totalCents: 2146_00,
      },
      deliveryZone: null,
      pickup: null,
      promoCode: null,
      email: visitor.email,
      card: null,
      payment: null,
    })
    await page.route('**/api/orders*', (route) => {
      const isFirst = !route.request().url().includes('before=')
      const orders = [isFirst ? order('P-NEWEST', 'shipped') : order('P-EARLIER', 'delivered')]
      return route.fulfill({ json: { orders, next: isFirst ? '1.P-NEWEST' : null } })
    })
    await visit(visitor, '/dashboard')
    await page.getByRole('row', { name: 'P-NEWEST 21 Nov 2026 On its way KSH 2146' }).waitFor()
    const more = page.getByRole('button', { name: 'Older orders' })
    await more.click()
    await page.getByRole('row', { name: 'P-EARLIER 21 Nov 2026 Delivered KSH 2146' }).waitFor()
    expect(await more.count()).toBe(0)
    expectNoComplaints(visitor)
  })
})
