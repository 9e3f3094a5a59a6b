import { expect, it } from 'vitest'
import { expectNoComplaints, journeys, shopper, visit } from '#test/support/shopper.ts'

journeys('browsing the shop', () => {
  it('goes from the shop to a product without loading the document again', async () => {
    const visitor = await shopper()
    const { page } = visitor
    await visit(visitor, '/products')
    await page.evaluate(() => Object.assign(window, { isSameDocument: true }))
    await page.getByRole('link', { name: 'Buy Now' }).first().click()
    await page.waitForURL('**/product/*')
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.evaluate(() => 'isSameDocument' in window)).toBe(true)
    expectNoComplaints(visitor)
  })
})
