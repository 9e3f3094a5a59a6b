import { expect, it } from 'vitest'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { violationsOn } from '#test/support/axe.ts'
import { sidewaysOn } from '#test/support/page-checks.ts'
import { DESKTOP, journeys, PHONE, visit } from '#test/support/shopper.ts'
import {
  fillForm,
  newAccount,
  placedHeading,
  signedInShopper,
  storedLine,
  submitButton,
} from '#test/support/signed-in-shopper.ts'
import { orderView } from '#test/support/states.ts'

const PICKUP = 'Biashara Street 9, Monday to Saturday, 9 to 18'
const packedForPickup = orderView('packed')
const delivered = orderView('delivered')
const refunded = orderView('cancelled')

journeys('the page of an order', () => {
  it('tells at both sizes what each status means', async () => {
    const visitor = await signedInShopper({ reducedMotion: 'reduce' })
    const { page } = visitor
    await visit(visitor, href('about'))
    let opened = 0
    for (const [view, sentence] of [
      [orderView('placed'), 'We have your order and are packing it with care.'],
      [orderView('packed'), 'Your order is packed and waits for its rider.'],
      [
        { ...packedForPickup, order: { ...packedForPickup.order, pickup: PICKUP }, address: [PICKUP] },
        'We write to you as soon as you can pick it up.',
      ],
      [orderView('ready'), 'Your order is ready for pickup in our shop.'],
      [{ ...delivered, isOwner: false }, 'Your order was delivered.'],
      [{ ...delivered, order: { ...delivered.order, pickup: PICKUP } }, 'You have picked up your order.'],
      [
        { ...refunded, payment: { ...refunded.payment, message: 'KSH 100 was given back to you.' } },
        'KSH 100 was given back to you.',
      ],
    ] as const) {
      await page.route('**/api/orders/P-7K3M9Q', (route) => route.fulfill({ json: view }), { times: 1 })
      const address = href('order', { number: 'P-7K3M9Q' }, { opened: String(++opened) })
      await page.evaluate((to) => window.navigation.navigate(to), address)
      await page.getByRole('status').filter({ hasText: sentence }).waitFor()
      for (const viewport of [PHONE, DESKTOP]) {
        await page.setViewportSize(viewport)
        expect(await sidewaysOn(page), `${sentence} ${viewport.width}`).toEqual([])
        expect(await violationsOn(page, { exclude: ['.bar', 'footer'] }), sentence).toEqual([])
      }
    }
    // One line's picture is missing on purpose.
    expect(visitor.complaints.filter((line) => !line.includes('404'))).toEqual([])
  })

  it('leads there from a placed order, and both are on paper without buttons, under the name of the shop', async () => {
    const visitor = await signedInShopper({ account: await newAccount(), cart: [storedLine(0, { qty: 2 })] })
    const { page } = visitor
    await visit(visitor, '/checkout')
    await fillForm(page)
    await submitButton(page).click()
    await placedHeading(page).waitFor()
    const expectPaper = async (texts: RegExp[]) => {
      await page.emulateMedia({ media: 'print' })
      for (const text of texts)
        expect(await page.getByText(text).first().isVisible(), String(text)).toBe(true)
      expect(await page.getByRole('banner').innerText()).toBe(shop.name)
      expect(await page.getByRole('link', { name: 'Continue Shopping' }).isVisible()).toBe(false)
      expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0)
      await page.emulateMedia({ media: 'screen' })
    }
    await expectPaper([/^Order P-/, /^2 × Organic Cotton/, /^Total$/])
    await page.getByRole('link', { name: 'See your order' }).click()
    await page.getByText('We have your order').waitFor()
    await expectPaper([
      /^Order P-/,
      /Organic Cotton/,
      /^Total$/,
      /^Visa ending in 4242|ending in 4242/,
      /Kenya/,
    ])
  })
})
