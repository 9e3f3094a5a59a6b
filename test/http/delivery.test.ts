import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import type { ServiceContext } from '#server/context.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { placeOfficeOrder } from '#server/orders/place-office-order.ts'
import { STATUS_EMAIL_DELAY_MS } from '#server/orders/undo-window.ts'
import { orders } from '#server/platform/db/schema.ts'
import { deliverAllDueEmails } from '#server/platform/email/outbox.ts'
import { COUNTIES } from '#shared/checkout/checkout-form.ts'
import { createDeliveryTerms, DEFAULT_TERMS, type DeliveryMethod } from '#shared/checkout/delivery.ts'
import { calculateCheckoutTotals } from '#shared/checkout/pricing.ts'
import { centsToKsh } from '#shared/format.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { DAY_MS } from '#shared/time.ts'
import { createAccount } from '#test/support/account.ts'
import { catalogue, createContentSource, NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { billing, createPromotion, orderRequest, postOrder, readRecords } from '#test/support/orders.ts'
import { readText } from '#test/support/pdf.ts'
import { get } from '#test/support/posting.ts'

const actor = { email: 'asha@example.com', role: 'owner' } as const

const PICKUP = 'Biashara Street 9, Monday to Saturday, 9 to 18'
const zones = [{ name: 'Coast', counties: ['Mombasa'], feeKsh: 250 }] as const
const configured = createDeliveryTerms({ zones, pickup: PICKUP })
const item = catalogue.find(({ price }) => price < 1000)
if (!item) throw new Error('Every product qualifies for free delivery.')

function requestFor(feeKsh: number, deliveryMethod?: DeliveryMethod) {
  const { id, price } = item ?? { id: 0, price: 0 }
  return orderRequest([{ id, qty: 1 }], {
    billing: { ...billing, state: 'Mombasa' },
    expectedTotal: centsToKsh(calculateCheckoutTotals([{ price, qty: 1 }], null, feeKsh).totalCents),
    ...(deliveryMethod ? { deliveryMethod } : {}),
  })
}

const readOrderView = async (ctx: ServiceContext, number: string, headers: Record<string, string>) =>
  (await (await get(ctx, `/api/orders/${number}`, headers)).json()) as OrderView

const readOrder = async ({ db }: ServiceContext, number: string) =>
  db.select().from(orders).where(eq(orders.number, number)).get()

describe('delivery zones', () => {
  it('set the fee by county; emails show it, and the order keeps it after the zones change', async () => {
    const ctx = testContext({ delivery: configured })
    const shopper = await createAccount(ctx)
    const { status, body } = await postOrder(ctx, shopper, requestFor(250))
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.order).toMatchObject({
      deliveryZone: 'Coast',
      pickup: null,
      totals: { shippingCents: 250_00 },
    })
    const { emails } = await readRecords(ctx, shopper.user.id)
    expect(emails).toHaveLength(2)
    for (const { text } of emails) expect(text).toContain('Shipping (Coast): KSH 250')
    const { order } = await readOrderView(testContext(), body.order.number, shopper.bearer)
    expect(order).toMatchObject({ deliveryZone: 'Coast', totals: { shippingCents: 250_00 } })
  })

  it('are applied by the server, which refuses a total with a different fee and returns the current terms', async () => {
    const ctx = testContext({ delivery: configured })
    const shopper = await createAccount(ctx)
    for (const request of [
      requestFor(30),
      requestFor(0),
      { ...requestFor(30), deliveryZone: 'Nairobi', feeKsh: 0 },
    ]) {
      const { status, body } = await postOrder(ctx, shopper, request)
      expect(status).toBe(409)
      expect(body).toMatchObject({
        code: 'prices_changed',
        totals: { shippingCents: 250_00 },
        delivery: configured,
      })
    }
    expect((await readRecords(ctx, shopper.user.id)).orders).toEqual([])
    const promoCode = await createPromotion(ctx, { endsAtMs: NOW_MS - 1 })
    const refused = await postOrder(ctx, shopper, { ...requestFor(250), promoCode })
    expect(refused.body).toMatchObject({
      code: 'promotion_refused',
      totals: { shippingCents: 250_00 },
      delivery: configured,
    })
  })

  it('charge nothing above KSH 1000, and the standard fee in a county without a zone', async () => {
    const ctx = testContext({ delivery: configured })
    const shopper = await createAccount(ctx)
    const many = requestFor(0)
    const qty = Math.floor(1000 / item.price) + 1
    const lines = [{ id: item.id, qty }]
    const expectedTotal = centsToKsh(calculateCheckoutTotals([{ price: item.price, qty }]).totalCents)
    const free = await postOrder(ctx, shopper, { ...many, lines, expectedTotal })
    expect(free.body.order).toMatchObject({ deliveryZone: 'Coast', totals: { shippingCents: 0 } })
    const nairobi = await postOrder(ctx, shopper, { ...requestFor(30), billing })
    expect(nairobi.body.order).toMatchObject({ deliveryZone: null, totals: { shippingCents: 30_00 } })
  })
})

describe('the delivery time', () => {
  it('is shown in the confirmation email and on the order’s page until the order is delivered', async () => {
    const ctx = testContext({ content: createContentSource({ deliveryTime: { text: '1 to 3 days' } }) })
    const shopper = await createAccount(ctx)
    const { body } = await postOrder(ctx, shopper, requestFor(30))
    const { number } = body.order
    const readPage = async () => (await get(ctx, `/order/${number}`, shopper.cookie)).text()
    expect(await readPage()).toContain('We deliver in 1 to 3 days. Expect it by 24 November.')
    const { emails } = await readRecords(ctx, shopper.user.id)
    expect(emails.find(({ kind }) => kind === 'order-confirmation')?.text).toContain(
      'We deliver in 1 to 3 days.',
    )
    const change = async (to: 'packed' | 'shipped' | 'delivered', context = ctx) =>
      expect(await changeOrderStatus({ actor, number, to }, context)).toMatchObject({ ok: true })
    await change('packed')
    await change('shipped', { ...ctx, clock: () => NOW_MS + DAY_MS })
    expect(await readPage()).toContain('Your order is on its way. Expect it by 25 November.')
    const late = { ...ctx, clock: () => NOW_MS + 5 * DAY_MS }
    const latePage = await (await get(late, `/order/${number}`, shopper.cookie)).text()
    expect(latePage).toContain('Your order is on its way. We deliver in 1 to 3 days.')
    await change('delivered')
    expect(await readPage()).not.toMatch(/We deliver in|Expect it by/)
  })

  it('is in the confirmation email in an isolate that hasn’t loaded the content yet', async () => {
    const { load } = createContentSource({ deliveryTime: { text: '1 to 3 days' } })
    const ctx = testContext({ content: { load, current: createContentSource({}).current } })
    const shopper = await createAccount(ctx)
    await postOrder(ctx, shopper, requestFor(30))
    const { emails } = await readRecords(ctx, shopper.user.id)
    expect(emails.find(({ kind }) => kind === 'order-confirmation')?.text).toContain(
      'We deliver in 1 to 3 days.',
    )
  })

  it('is shown on Contact, whether or not the owner ended it with a full stop', async () => {
    for (const text of ['1 to 3 days', '1 to 3 days.']) {
      const ctx = testContext({ content: createContentSource({ deliveryTime: { text } }) })
      expect(await (await get(ctx, '/contact')).text()).toContain('<p>Delivery takes 1 to 3 days.</p>')
    }
    expect(await (await get(testContext(), '/contact')).text()).not.toContain('Delivery takes')
  })

  it('isn’t shown once the order has expired', async () => {
    const ctx = testContext({ content: createContentSource({ deliveryTime: { text: '1 to 3 days' } }) })
    const shopper = await createAccount(ctx)
    const { number } = (await postOrder(ctx, shopper, requestFor(30))).body.order
    await ctx.db.update(orders).set({ status: 'expired' }).where(eq(orders.number, number))
    const page = await (await get(ctx, `/order/${number}`, shopper.cookie)).text()
    expect(page).toContain('This order has expired.')
    expect(page).not.toContain('We deliver in')
  })
})

describe('pickup', () => {
  it('is free, is shown in the order, its emails and its page, and goes through “ready for pickup”', async () => {
    const ctx = testContext({ delivery: configured })
    const shopper = await createAccount(ctx)
    const { status, body } = await postOrder(ctx, shopper, requestFor(0, 'pickup'))
    expect(status, JSON.stringify(body)).toBe(201)
    const { number } = body.order
    expect(body.order).toMatchObject({ deliveryZone: null, pickup: PICKUP, totals: { shippingCents: 0 } })
    const office = await createOfficeClient(officeContext())
    for (const [to, sentence] of [
      ['packed', 'We’ll let you know when you can pick it up.'],
      ['ready', 'Your order is ready for pickup at our shop.'],
      ['delivered', 'You’ve picked up your order.'],
    ] as const) {
      const { steps, address } = await readOrderView(ctx, number, shopper.bearer)
      expect(steps.map(({ status: step }) => step)).toEqual(['placed', 'packed', 'ready', 'delivered'])
      expect(address).toEqual([PICKUP])
      expect(await changeOrderStatus({ actor, number, to }, ctx)).toMatchObject({ ok: true })
      await deliverAllDueEmails(testContext({ clock: () => NOW_MS + STATUS_EMAIL_DELAY_MS }))
      const changed = await get(ctx, `/order/${number}`, shopper.cookie)
      expect(await changed.text(), to).toContain(sentence)
      expect((await office.get(`/orders/${number}`)).text, to).not.toMatch(/rider|tracking/i)
    }
    const { emails } = await readRecords(ctx, shopper.user.id)
    const findEmailText = (kind: string) => emails.find((email) => email.kind === kind)?.text ?? ''
    for (const kind of ['order-confirmation', 'order-notice', 'order-ready']) {
      expect(findEmailText(kind), kind).toContain(PICKUP)
      expect(findEmailText(kind), kind).not.toContain(billing.address)
    }
    expect(findEmailText('order-confirmation')).toContain('Pickup: FREE')
    expect(findEmailText('order-packed')).toContain('when you can pick it up')
    expect(findEmailText('order-delivered')).toContain('has been picked up')
    const receipt = await get(ctx, `/order/${number}/receipt`, shopper.cookie)
    expect(await readText(receipt)).toContain(PICKUP)
    const page = await (await get(ctx, `/order/${number}`, shopper.cookie)).text()
    expect(page).toContain('Pickup at our shop')
    expect(page).toContain('Picked up')
    expect(page).not.toMatch(/Delivery address|Delivered/)
    const { text } = await office.get(`/orders/${number}`)
    expect(text).toContain('“Picked up” email sent')
    expect(text).not.toContain('Delivered')
  })

  it('can’t be paid on delivery, which an order by phone says', async () => {
    const empty = { lastName: '', email: '', address: '', address2: '', landmark: '', giftNote: '' }
    const placed = await placeOfficeOrder(
      {
        ...{ key: crypto.randomUUID(), actor, promoCode: '', hours: 24 },
        values: { ...empty, firstName: 'Njeri', phone: '0712 000 111', state: 'Nairobi' },
        lines: [{ id: item.id, qty: 1 }],
        method: 'pickup',
        paysOnDelivery: true,
        expectedTotalKsh: requestFor(0, 'pickup').expectedTotal,
      },
      testContext({ delivery: configured }),
    )
    expect(placed).toMatchObject({
      ok: false,
      error: { message: 'Pickup orders are paid in advance. Please choose another payment, or delivery.' },
    })
  })

  it('is refused with a message when the shop doesn’t offer it, even above KSH 1000', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const { status, body } = await postOrder(ctx, shopper, requestFor(0, 'pickup'))
    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'prices_changed',
      message: expect.stringContaining('no longer offer pickup'),
      delivery: DEFAULT_TERMS,
      totals: { shippingCents: 30_00 },
    })
    const expensive = { ...orderRequest([{ id: 1, qty: 20 }]), deliveryMethod: 'pickup' }
    await expectStatus(await postOrder(ctx, shopper, expensive), 409)
    await expectStatus(await postOrder(ctx, shopper, { ...requestFor(30), deliveryMethod: 'drone' }), 400)
    expect((await readRecords(ctx, shopper.user.id)).orders).toEqual([])
  })

  it('can’t be changed to delivery under the same idempotency key', async () => {
    const ctx = testContext({ delivery: configured })
    const shopper = await createAccount(ctx)
    const key = crypto.randomUUID()
    const { body } = await postOrder(ctx, shopper, requestFor(0, 'pickup'), key)
    expect((await postOrder(ctx, shopper, requestFor(250), key)).body).toMatchObject({ code: 'key_reused' })
    await expectStatus(await postOrder(ctx, shopper, requestFor(0, 'pickup'), key), 200)
    expect(await readOrder(ctx, body.order.number)).toMatchObject({ pickup: PICKUP, deliveryZone: null })
  })
})

describe('delivery terms', () => {
  it('are shown on Contact, with the fee for each county and the pickup location', async () => {
    const fetchContactPage = async (ctx: ServiceContext) =>
      (await (await get(ctx, '/contact')).text()).replaceAll('\u00a0', ' ')
    expect(await fetchContactPage(testContext())).toContain(
      'Delivery costs KSH 30. It’s free for orders above KSH 1,000 before VAT.',
    )
    const free = createDeliveryTerms({
      zones: [{ name: 'Kenya', counties: COUNTIES, feeKsh: 0 }],
      pickup: '',
    })
    expect(await fetchContactPage(testContext({ delivery: free }))).toContain('Delivery is free.')
    const own = await fetchContactPage(testContext({ delivery: configured }))
    expect(own).toContain('KSH 30 in Nairobi, KSH 250 in Mombasa, KSH 30 in Kisumu')
    expect(own).toContain(`You can also pick up your order from our shop for free: ${PICKUP}.`)
    expect(own).toContain(`Send or bring returns to our shop: ${PICKUP}.`)
  })

  it('are in the boot data of pages only if they are configured', async () => {
    const { cookie } = await createAccount(testContext())
    for (const path of ['/cart', '/contact']) {
      expect(await (await get(testContext(), path, cookie)).text()).not.toContain('highestFeeKsh')
      expect(await (await get(testContext({ delivery: configured }), path, cookie)).text()).toContain(
        '"highestFeeKsh":250',
      )
    }
  })
})
