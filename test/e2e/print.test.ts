import { expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import { journeys, visit } from '#test/support/shopper.ts'
import {
  fillForm,
  newAccount,
  placedHeading,
  signedInShopper,
  storedLine,
  submitButton,
} from '#test/support/signed-in-shopper.ts'

journeys('on paper', () => {
  it('a placed order is its number, its lines and its sum under the name of the shop, without buttons', async () => {
    const visitor = await signedInShopper({ account: await newAccount(), cart: [storedLine(0, { qty: 2 })] })
    const { page } = visitor
    await visit(visitor, '/checkout')
    await fillForm(page)
    await submitButton(page).click()
    await placedHeading(page).waitFor()
    await page.emulateMedia({ media: 'print' })
    for (const text of [/^Order P-/, /^2 × Organic Cotton/, /^Total$/]) {
      expect(await page.getByText(text).isVisible(), String(text)).toBe(true)
    }
    expect(await page.getByRole('banner').innerText()).toBe(shop.name)
    expect(await page.getByRole('link', { name: 'Continue Shopping' }).isVisible()).toBe(false)
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0)
  })
})
