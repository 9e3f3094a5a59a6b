import { eq, inArray } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import type { ServiceContext } from '#server/context.ts'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { sendDueRefunds } from '#server/orders/process-refunds.ts'
import { requestRefund } from '#server/orders/request-refund.ts'
import { createOrderKey, ORDER_LINK_TTL_MS } from '#server/platform/auth/signed-link.ts'
import { invoices, orders, outbox } from '#server/platform/db/schema.ts'
import type { OrderRequest, OrderView } from '#shared/orders/contract.ts'
import { type Account, createAccount } from '#test/support/account.ts'
import { createContentSource, NOW_MS, testContext } from '#test/support/context.ts'
import { createCountingDatabase } from '#test/support/database.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { billing, orderRequest, postOrder } from '#test/support/orders.ts'
import { createMpesaPayment } from '#test/support/payments.ts'
import { readText } from '#test/support/pdf.ts'
import { postForm, postJson } from '#test/support/posting.ts'

const actor = { email: 'asha@example.com', role: 'owner' } as const

const ctx = testContext()
const app = createApp(ctx)
const owner = await createAccount(ctx)

async function placeOrder(
  overrides: Parameters<typeof orderRequest>[1] = {},
  person = owner,
): Promise<string> {
  return (await postOrder(ctx, person, orderRequest(undefined, overrides))).body.order.number
}

async function open(path: string, headers: Record<string, string> = {}, shop = app) {
  const response = await shop.request(`https://pamba.test${path}`, { headers })
  return { status: response.status, headers: response.headers, text: await readText(response) }
}

describe('the page of an order', () => {
  it('shows the order and its status to its owner and to the holder of the signed link', async () => {
    const number = await placeOrder()
    await changeOrderStatus({ actor, number, to: 'packed', note: 'With Otieno' }, ctx)
    const key = await createOrderKey(number, ctx)
    for (const page of [
      await open(`/order/${number}`, owner.cookie),
      await open(`/order/${number.toLowerCase()}?key=${key}`),
    ]) {
      expect(page.status).toBe(200)
      expect(page.text).toContain(`<title>Order ${number} · `)
      for (const text of ['Ngong Road 12', 'With Otieno', 'Packed', '21 Nov 2026', 'Visa ending in 4242'])
        expect(page.text).toContain(text)
      expect(page.text).toContain('<meta name="robots" content="noindex">')
      expect(page.headers.get('Cache-Control')).toBe('private, no-cache')
      expect(page.headers.get('Referrer-Policy')).toBe('strict-origin')
    }
  })

  it('explains each status from placed to delivered', async () => {
    const person = await createAccount(ctx)
    const number = await placeOrder({}, person)
    const readSentence = async () =>
      /<p class="lead" role="status">([^<]+)</.exec((await open(`/order/${number}`, person.cookie)).text)?.[1]
    const received = 'We’ve received your order and we’re packing it with care.'
    expect(await readSentence()).toBe(`${received} We’ve emailed your confirmation to wanjiru@example.com.`)
    const key = await createOrderKey(number, ctx)
    const byLink = (await open(`/order/${number}?key=${key}`)).text
    expect([byLink.includes(received), byLink.includes('wanjiru@example.com')]).toEqual([true, false])
    for (const [to, expected] of [
      ['packed', 'Your order is packed and waiting for the rider.'],
      ['shipped', 'Your order is on its way.'],
      ['delivered', 'Your order has been delivered. We hope you love it.'],
    ] as const) {
      await changeOrderStatus({ actor, number, to }, ctx)
      expect(await readSentence()).toBe(expected)
    }
  })

  it('offers to order again only once the order is paid, cancelled or expired', async () => {
    const number = await placeOrder()
    const offered = []
    for (const status of ['awaiting_payment', 'placed', 'cancelled', 'expired'] as const) {
      await ctx.db.update(orders).set({ status }).where(eq(orders.number, number))
      const { text } = await open(`/order/${number}`, owner.cookie)
      if (text.includes('Order again')) offered.push(status)
    }
    expect(offered).toEqual(['placed', 'cancelled', 'expired'])
  })

  it('links to its actions if there are several', async () => {
    const number = await placeOrder({ payment: createMpesaPayment() })
    const hasLink = async () =>
      (await open(`/order/${number}`, owner.cookie)).text.includes('href="#order-actions"')
    expect(await hasLink()).toBe(true)
    await ctx.db.update(orders).set({ status: 'cancelled' }).where(eq(orders.number, number))
    expect(await hasLink(), 'an unpaid cancelled order').toBe(false)
  })

  it('says until when an unpaid order is held, in the shop’s time zone', async () => {
    const unpaid = await placeOrder({ payment: createMpesaPayment() })
    const { text } = await open(`/order/${unpaid}`, owner.cookie)
    expect(text).toContain('We’ll hold your items until 09:35.')
  })

  it('is the 404 page for everyone else, whether or not the order exists', async () => {
    const number = await placeOrder()
    const other = await placeOrder()
    const stranger = await createAccount(ctx)
    const expiredKey = await createOrderKey(number, { ...ctx, clock: () => NOW_MS - ORDER_LINK_TTL_MS })
    const key = await createOrderKey(number, ctx)
    const extendedExpiry = (parseInt(key.split('.')[0] ?? '', 36) + 1).toString(36)
    const unknown = await open('/order/P-222222')
    const withoutNumbers = (text: string) =>
      text.replace(/<script.*?<\/script>/gs, '').replaceAll(/P-\w{6}/g, '')
    for (const [path, headers] of [
      [`/order/${number}`, {}],
      [`/order/${number}`, stranger.cookie],
      [`/order/${number}?key=${await createOrderKey(other, ctx)}`, {}],
      [`/order/${number}?key=${expiredKey}`, {}],
      [`/order/${number}?key=${extendedExpiry}${key.slice(key.indexOf('.'))}`, {}],
      [`/order/${number}?key=${key.slice(0, -1)}`, {}],
      [`/order/${number}?key=${key}A`, {}],
      [`/order/${number}?key=`, {}],
      [`/order/${number}?key[]=${key}`, {}],
      ['/order/P-222222', stranger.cookie],
      [`/order/P-222222?key=${key}`, {}],
      ['/order/1', owner.cookie],
    ] as const) {
      const page = await open(path, headers)
      expect(page.status, path).toBe(404)
      expect(page.text, path).not.toMatch(/Ngong Road|Order P-/)
      if (!('Cookie' in headers)) expect(withoutNumbers(page.text), path).toBe(withoutNumbers(unknown.text))
      expect((await open(`/api${path.replace('/order/', '/orders/')}`, headers)).status, path).toBe(404)
      expect((await open(path.replace(/(\/order\/[^?]+)/, '$1/receipt'), headers)).status, path).toBe(404)
    }
  })

  it('makes as many queries for another user’s order as for one that doesn’t exist', async () => {
    const number = await placeOrder()
    const stranger = await createAccount(ctx)
    const countTrips = async (path: string, headers: Record<string, string>) => {
      const { db, count } = createCountingDatabase()
      await open(path, headers, createApp(testContext({ db })))
      return count.roundTrips
    }
    expect(await countTrips(`/order/${number}`, {})).toBe(0)
    expect(await countTrips('/order/P-222222', {})).toBe(0)
    expect(await countTrips(`/order/${number}`, stranger.cookie)).toBe(1)
    expect(await countTrips('/order/P-222222', stranger.cookie)).toBe(1)
    expect(await countTrips(`/order/${number}`, owner.cookie)).toBe(1)
    expect(await countTrips(`/order/${number}?key=${await createOrderKey(number, ctx)}`, {})).toBe(1)
  })

  it('says which number the rider calls until the order is delivered, unless it is picked up', async () => {
    const payment = createMpesaPayment('0799000111')
    const number = await placeOrder({ payment })
    const calls = 'The rider will call 0799\u00a0000\u00a0111.'
    const readAddress = async () => (await open(`/api/orders/${number}`, owner.bearer)).text
    expect(await readAddress()).toContain(calls)
    await ctx.db.update(orders).set({ status: 'delivered' }).where(eq(orders.number, number))
    expect(await readAddress()).not.toContain('The rider will call')
    await ctx.db
      .update(orders)
      .set({ status: 'awaiting_payment', pickup: 'Biashara Street 9' })
      .where(eq(orders.number, number))
    expect(await readAddress()).not.toContain('The rider will call')
  })

  it('has no email, phone numbers or key in its data for the holder of the link, who can’t cancel', async () => {
    const number = await placeOrder({
      billing: { ...billing, phone: '0712 345 678', landmark: 'the blue gate' },
      payment: createMpesaPayment('0799000111'),
    })
    const path = `/api/orders/${number}`
    const own = JSON.parse((await open(path, owner.bearer)).text) as OrderView
    expect(own).toMatchObject({ isOwner: true, isCancellable: true })
    expect(own.address).toEqual(
      expect.arrayContaining(['the blue gate', 'The rider will call 0712\u00a0345\u00a0678.']),
    )
    expect(own.payment).toMatchObject({ phone: '254799000111', status: 'waiting' })
    const { text } = await open(`${path}?key=${await createOrderKey(number, ctx)}`)
    expect(text).not.toMatch(/wanjiru@|712 345 678|799.?000.?111/)
    expect(JSON.parse(text)).toMatchObject({
      isOwner: false,
      isCancellable: false,
      order: { key: '' },
      payment: { phone: null, message: expect.stringContaining('sent a prompt to ••••\u00a0•••\u00a0111.') },
    })
  })

  it('is linked in the email once, even if someone’s name is the placeholder', async () => {
    const context = testContext()
    const request = orderRequest(undefined, { billing: { ...billing, firstName: '%ORDER_LINK%' } })
    expect((await postOrder(context, await createAccount(context), request)).status).toBe(201)
    await context.backgroundDone()
    const sentEmail = context.emails.find(({ kind }) => kind === 'order-confirmation')
    expect(sentEmail?.text.match(/\?key=/g)).toHaveLength(1)
    expect(sentEmail?.html.match(/\?key=/g)).toHaveLength(1)
  })

  it('leaves no signature of its link in the log', async () => {
    const number = await placeOrder()
    const key = await createOrderKey(number, ctx)
    await open(`/order/${number}?key=${key}`)
    await open(`/api/orders/${number}?key=${key}`)
    expect(JSON.stringify(ctx.lines)).not.toContain(key.slice(-20))
  })

  it('offers the receipt as a PDF', async () => {
    const number = await placeOrder()
    const { status, headers, text } = await open(
      `/order/${number}/receipt?key=${await createOrderKey(number, ctx)}`,
    )
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="Pamba-${number}.pdf"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(text).toMatch(new RegExp(`Invoice INV-\\d{6}.* for order ${number}`))
    expect(text).toMatch(/VAT \(16%\).*Total/)
  })

  it('offers the receipt as a self-contained HTML file if the PDF’s fonts lack a character', async () => {
    const number = await placeOrder({ billing: { ...billing, firstName: 'አማና' } })
    const { status, headers, text } = await open(`/order/${number}/receipt`, owner.cookie)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=UTF-8',
      'content-disposition': `attachment; filename="Pamba-${number}.html"`,
      'cache-control': 'private, no-store',
    })
    expect(text).toContain('አማና')
    expect(text).not.toMatch(/<script|<link|<img|%ORDER_LINK%/)
  })

  it('replaces no placeholders in a receipt', async () => {
    const number = await placeOrder({ billing: { ...billing, firstName: '%ORDER_LINK%' } })
    const { text } = await open(`/order/${number}/receipt`, owner.cookie)
    expect(text).toContain('To: %ORDER_LINK% Kamau')
  })

  it('shows the order’s own VAT rate, as do checkout, the receipt and the office', async () => {
    const number = await placeOrder()
    await ctx.db.update(orders).set({ vatPercent: 14 }).where(eq(orders.number, number))
    const orderId = ctx.db.select({ id: orders.id }).from(orders).where(eq(orders.number, number))
    await ctx.db.update(invoices).set({ vatPercent: 14 }).where(inArray(invoices.orderId, orderId))
    const pages = [`/order/${number}`, `/checkout?order=${number}`, `/order/${number}/receipt`]
    const texts = [(await (await createOfficeClient(officeContext())).get(`/orders/${number}`)).text]
    for (const path of pages) texts.push((await open(path, owner.cookie)).text)
    for (const text of texts) expect(/VAT \((\d+)%\)/.exec(text)?.[1]).toBe('14')
  })
})

describe('the cancel button of the page', () => {
  const cancel = (number: string, headers: Record<string, string>) =>
    app.request(`https://pamba.test/order/${number}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: '',
    })
  const readStatus = async (number: string) =>
    (await ctx.db.select({ status: orders.status }).from(orders).where(eq(orders.number, number)).get())
      ?.status

  it('cancels the owner’s order and redirects back to it', async () => {
    const number = await placeOrder()
    const response = await cancel(number, owner.cookie)
    expect([response.status, response.headers.get('Location')]).toEqual([303, `/order/${number}`])
    expect(await readStatus(number)).toBe('cancelled')
    const page = await open(`/order/${number}`, owner.cookie)
    expect(page.text).toMatch(/We’ve started a refund of KSH [\d,]+|we refunded KSH [\d,]+/)
    expect(page.text).not.toContain('Cancel this order')
    await ctx.backgroundDone()
    await sendDueRefunds(ctx)
    const refunded = await ctx.db.select().from(outbox).where(eq(outbox.kind, 'order-refunded'))
    expect(refunded).toMatchObject([{ orderUrl: `/order/${number}` }])
    expect(refunded[0]?.text).toMatch(/We’ve refunded KSH [\d,]+ for your order/)
  })

  it('does nothing for anyone else, even with the link', async () => {
    const number = await placeOrder()
    const key = await createOrderKey(number, ctx)
    const stranger = await createAccount(ctx)
    expect((await cancel(number, {})).headers.get('Location')).toBe('/login')
    expect((await cancel(`${number}?key=${key}`, {})).headers.get('Location')).toBe('/login')
    expect((await cancel(number, stranger.cookie)).status).toBe(303)
    expect((await cancel(number, { ...owner.cookie, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect(await readStatus(number)).toBe('placed')
  })
})

describe('requesting the link to an order', () => {
  const requestLink = (
    number: string,
    contact: string,
    context: ServiceContext = ctx,
    path = '/api/orders/link',
  ) => (path.startsWith('/api') ? postJson : postForm)(context, path, { number, contact })
  const countLinks = (recipient: string) =>
    ctx.db
      .select({ text: outbox.text, orderUrl: outbox.orderUrl, kind: outbox.kind })
      .from(outbox)
      .where(eq(outbox.recipient, recipient))
      .then((rows) => rows.filter(({ kind }) => kind === 'order-link'))
  /** Each order is from a new account, because after a few orders, emails go to the account's own address. */
  const placeOrderWith = async (overrides: Partial<OrderRequest['billing']>) =>
    placeOrder({ billing: { ...billing, ...overrides } }, await createAccount(ctx))
  let emailCount = 0
  const newEmail = () => `asks-${++emailCount}@shopper.test`

  it('emails it to the order’s address, given its email or phone in any notation', async () => {
    const email = newEmail()
    const number = await placeOrderWith({ email, phone: '+254 (711) 222-333' })
    const otherNotation = number.toLowerCase().replace('-', ' ')
    for (const [enteredNumber, contact] of [
      [otherNotation, ` ${email.toUpperCase()} `],
      [number.slice(2), '0711 222 333'],
      [number, '254711222333'],
    ] as const)
      expect((await requestLink(enteredNumber, contact)).status).toBe(200)
    expect(await countLinks(email)).toHaveLength(3)
    expect((await countLinks(email))[0]?.orderUrl).toBe(`https://pamba.test/order/${number}`)
  })

  it.each([
    ['+254 (0)711 222 333', '0711 222 333'],
    ['00254 711 222 333', '0711 222 333'],
    ['0711 222 333', '+254 (0)711 222 333'],
    ['+44 20 7946 0000', '0044 20 7946 0000'],
  ])('finds the phone %s as %s', async (phone, contact) => {
    const email = newEmail()
    const number = await placeOrderWith({ email, phone })
    expect((await requestLink(number, contact)).status).toBe(200)
    expect(await countLinks(email)).toHaveLength(1)
  })

  it('sends nothing if number and contact don’t match, with the same response and number of queries', async () => {
    const email = newEmail()
    const number = await placeOrderWith({ email })
    const before = await ctx.db.$count(outbox)
    const responses = []
    for (const [enteredNumber, contact] of [
      [number, 'stranger@shopper.test'],
      [number, '0700 111 222'],
      ['P-222222', email],
      [number, email],
    ] as const) {
      const { db, count } = createCountingDatabase()
      const response = await requestLink(enteredNumber, contact, testContext({ db }))
      responses.push([response.status, await response.text(), count.roundTrips])
      if (contact !== email || enteredNumber !== number) expect(await ctx.db.$count(outbox)).toBe(before)
    }
    expect(responses).toEqual(Array(4).fill([200, '{}', 1]))
    expect(await countLinks(email)).toHaveLength(1)
  })

  it('sends at most three per hour, and none beyond the rate limit', async () => {
    const email = newEmail()
    const number = await placeOrderWith({ email })
    for (let enteredNumber = 0; enteredNumber < 5; enteredNumber++)
      expect((await requestLink(number, email)).status).toBe(200)
    expect(await countLinks(email)).toHaveLength(3)
    const limits = { ...ctx.limits, attempts: async () => false }
    expect((await requestLink(number, email, testContext({ limits }))).status).toBe(429)
  })

  it.each([
    ['', 'a@b.ke', 'Order number is required.'],
    ['12', 'a@b.ke', 'Please enter your order number as shown in our emails, for example P-7K3M9Q.'],
    ['P-7K3M9Q', '', 'Email or phone is required.'],
    ['P-7K3M9Q', 'wanjiru', 'Please enter a valid email address or phone number.'],
  ])('is refused with an invalid order number or contact: %j, %j', async (number, contact, message) => {
    const response = await requestLink(number, contact)
    expect([response.status, await response.json()]).toMatchObject([400, { message }])
    const page = await requestLink(number, contact, ctx, '/order')
    expect([page.status, (await page.text()).includes(message)]).toEqual([400, true])
  })

  it('names each empty field next to it', async () => {
    const errors = { number: 'Order number is required.', contact: 'Email or phone is required.' }
    expect(await (await requestLink('', '')).json()).toMatchObject({ message: errors.number, errors })
    const html = await (await requestLink('', '', ctx, '/order')).text()
    for (const [field, message] of Object.entries(errors))
      expect(html).toMatch(new RegExp(`id="${field}-note"><span class="field__error">${message}</span>`))
  })

  it('comes after the link to a signed-in customer’s own orders', async () => {
    const findLinks = async (headers = {}) =>
      (await open('/order', headers)).text.match(/<main.+/s)?.[0].match(/>Your orders<|<form/g)
    expect(await findLinks(owner.cookie)).toEqual(['>Your orders<', '<form'])
    expect(await findLinks()).toEqual(['<form', '>Your orders<'])
  })

  it('is possible with a form that needs no JavaScript', async () => {
    const email = newEmail()
    const number = await placeOrderWith({ email })
    const page = await requestLink(number, email, ctx, '/order')
    const html = await page.text()
    expect([page.status, html.includes('If your details match an order')]).toEqual([200, true])
    for (const entered of [number, email])
      expect(html, 'the form stays, so that it can be corrected').toContain(`value="${entered}"`)
    expect(await countLinks(email)).toHaveLength(1)
  })
})

it('the page of an order opens even if its owner has many newer ones', async () => {
  const person: Account = await createAccount(ctx)
  const first = (await postOrder(ctx, person, orderRequest())).body.order.number
  const contextAfterMinutes = (count: number) => testContext({ clock: () => NOW_MS + count * 60_000 })
  for (let order = 1; order <= 21; order++)
    await postOrder(contextAfterMinutes(order), person, orderRequest())
  expect((await open(`/order/${first}`, person.cookie)).status).toBe(200)
})

describe('the checkout page of a placed order', () => {
  const readPage = async (number: string, shop = app) =>
    (await open(`/checkout?order=${number}`, owner.cookie, shop)).text

  it('promises to pack the order until it is packed or refunded', async () => {
    const [packed, refunded] = [await placeOrder(), await placeOrder()]
    for (const number of [packed, refunded])
      expect(await readPage(number)).toContain('We’ll pack it now and email you when it’s on its way.')
    await changeOrderStatus({ actor, number: packed, to: 'packed' }, ctx)
    await requestRefund({ actor, number: refunded }, ctx)
    for (const number of [packed, refunded]) {
      const page = await readPage(number)
      expect(page).toContain('Order Placed Successfully!')
      expect(page).not.toContain('We’ll pack it now')
    }
  })

  it.each(['1 to 3 days', '1 to 3 days.'])('ends the delivery time "%s" with one full stop', async (text) => {
    const shop = createApp(testContext({ content: createContentSource({ deliveryTime: { text } }) }))
    expect(await readPage(await placeOrder(), shop)).toContain('on its way. We deliver in 1 to 3 days.</p>')
  })
})
