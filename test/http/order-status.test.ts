import { and, eq, like, sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { changeOrderStatus } from '#server/orders/change-status.ts'
import { STATUS_EMAIL_DELAY_MS } from '#server/orders/undo-window.ts'
import { verifyOrderKey } from '#server/platform/auth/signed-link.ts'
import { orderEvents, orders, outbox } from '#server/platform/db/schema.ts'
import { deliverAllDueEmails } from '#server/platform/email/outbox.ts'
import { ORDER_KEY_PARAM } from '#shared/orders/order-link.ts'
import { ORDER_STATUSES, type OrderStatus } from '#shared/orders/order-status.ts'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'

const actor = { email: 'asha@example.com', role: 'owner' } as const

const ctx = testContext()
const later = testContext({ clock: () => NOW_MS + STATUS_EMAIL_DELAY_MS })
const placeOrder = async () =>
  (await postOrder(ctx, await createAccount(ctx), orderRequest())).body.order.number

function selectShopperEmails(number: string) {
  return ctx.db
    .select({ kind: outbox.kind, status: outbox.status, text: outbox.text })
    .from(outbox)
    .where(and(like(outbox.orderUrl, `%${number}`), eq(outbox.createdAtMs, NOW_MS)))
}

async function readEmailKinds(number: string) {
  return (await selectShopperEmails(number))
    .map(({ kind }) => kind)
    .filter((kind) => kind !== 'order-confirmation')
}

async function readEvents(number: string) {
  return ctx.db
    .select({ status: orderEvents.status, atMs: orderEvents.atMs, note: orderEvents.note })
    .from(orderEvents)
    .innerJoin(orders, eq(orders.id, orderEvents.orderId))
    .where(eq(orders.number, number))
    .orderBy(sql`${orderEvents}.rowid`)
}

it('an order goes from placed to delivered, with a time per status and one email for all of them', async () => {
  const number = await placeOrder()
  for (const to of ['packed', 'shipped', 'delivered'] as const) {
    expect(await changeOrderStatus({ actor, number: ` ${number.toLowerCase()} `, to }, ctx)).toMatchObject({
      ok: true,
      data: { to },
    })
  }
  expect((await readEvents(number)).map(({ status, atMs }) => [status, atMs])).toEqual(
    ['packed', 'shipped', 'delivered'].map((status) => [status, NOW_MS]),
  )
  expect(await readEmailKinds(number)).toEqual(['order-delivered'])
  for (const to of ORDER_STATUSES.filter((status) => status !== 'shipped')) {
    expect(await changeOrderStatus({ actor, number, to }, ctx)).toMatchObject({
      ok: false,
      error: {
        code: 'status_not_allowed',
        details: { status: 'delivered', next: [], previous: ['shipped'] },
      },
    })
  }
})

it('a status email has the note, the tracking link and the signed order link', async () => {
  const number = await placeOrder()
  await changeOrderStatus({ actor, number, to: 'packed' }, ctx)
  const note = ' With Otieno <on> a red boda. '
  await changeOrderStatus(
    { actor, number, to: 'shipped', note, trackingUrl: 'https://track.example/7?a=1&b=2' },
    ctx,
  )
  await deliverAllDueEmails(later)
  const email = later.emails.find(({ kind, text }) => kind === 'order-shipped' && text.includes(number))
  expect(email?.text).toContain('\n> With Otieno <on> a red boda.\n')
  expect(email?.html).toContain('With Otieno &lt;on&gt; a red boda.')
  expect(email?.text).toContain('Track your parcel:\nhttps://track.example/7?a=1&b=2\n')
  const [, key = ''] =
    new RegExp(`View your order:\nhttp://localhost:5000/order/${number}\\?${ORDER_KEY_PARAM}=(\\S+)\n`).exec(
      email?.text ?? '',
    ) ?? []
  expect(await verifyOrderKey(key, number, later)).toBe(true)
  expect(email?.html).toContain(`/order/${number}?${ORDER_KEY_PARAM}=${key}"`)
  expect((await selectShopperEmails(number)).map(({ text }) => text).join()).not.toContain(key)
})

it.each([
  [{ note: 'x'.repeat(301) }, 'note'],
  [{ trackingUrl: 'http://track.example' }, 'trackingUrl'],
  [{ trackingUrl: 'javascript:alert(1)' }, 'trackingUrl'],
])('a status change is refused with an invalid note or tracking link: %j', async (fields, field) => {
  const number = await placeOrder()
  expect(await changeOrderStatus({ actor, number, to: 'packed', ...fields }, ctx)).toMatchObject({
    ok: false,
    error: { code: 'invalid_fields', fieldErrors: { [field]: expect.any(String) } },
  })
})

it('a status change can be undone until its email is sent', async () => {
  const number = await placeOrder()
  await changeOrderStatus({ actor, number, to: 'packed' }, ctx)
  expect(await changeOrderStatus({ actor, number, from: 'packed', to: 'placed' }, ctx)).toMatchObject({
    ok: true,
  })
  expect([await readEmailKinds(number), await readEvents(number)]).toEqual([[], []])
  await changeOrderStatus({ actor, number, to: 'packed' }, ctx)
  await deliverAllDueEmails(later)
  expect(await changeOrderStatus({ actor, number, from: 'packed', to: 'placed' }, later)).toMatchObject({
    ok: false,
    error: {
      code: 'status_not_allowed',
      message: expect.stringContaining('can’t undo this step because more than a minute'),
    },
  })
  expect(await readEmailKinds(number)).toEqual(['order-packed'])
})

it('each status that isn’t soon followed by another is emailed', async () => {
  const number = await placeOrder()
  await changeOrderStatus({ actor, number, to: 'packed' }, ctx)
  await deliverAllDueEmails(later)
  await changeOrderStatus({ actor, number, to: 'shipped' }, ctx)
  expect(await readEmailKinds(number)).toEqual(['order-packed', 'order-shipped'])
})

it('undoing a status change drops its email and queues the previous change’s again', async () => {
  const number = await placeOrder()
  await changeOrderStatus({ actor, number, to: 'packed' }, ctx)
  await changeOrderStatus({ actor, number, to: 'shipped' }, ctx)
  await changeOrderStatus({ actor, number, from: 'shipped', to: 'packed' }, ctx)
  expect(await readEmailKinds(number)).toEqual(['order-packed'])
  expect(await changeOrderStatus({ actor, number, from: 'packed', to: 'placed' }, ctx)).toMatchObject({
    ok: true,
  })
  expect(await readEmailKinds(number)).toEqual([])
})

it('a status change can’t be undone after the deadline, even if its email is still waiting', async () => {
  const number = await placeOrder()
  await changeOrderStatus({ actor, number, to: 'packed' }, ctx)
  expect(await changeOrderStatus({ actor, number, from: 'packed', to: 'placed' }, later)).toMatchObject({
    ok: false,
    error: {
      code: 'status_not_allowed',
      message: expect.stringContaining('can’t undo this step because more than a minute'),
    },
  })
})

it('a packed order can be cancelled, and not packed again after that', async () => {
  const number = await placeOrder()
  expect(await changeOrderStatus({ actor, number, to: 'shipped' }, ctx)).toMatchObject({
    ok: false,
    error: { code: 'status_not_allowed', details: { status: 'placed', next: ['packed', 'cancelled'] } },
  })
  await changeOrderStatus({ actor, number, to: 'packed' }, ctx)
  expect(await changeOrderStatus({ actor, number, to: 'cancelled' }, ctx)).toMatchObject({ ok: true })
  expect(await readEmailKinds(number)).toEqual(['order-cancelled'])
  expect(await changeOrderStatus({ actor, number, to: 'packed' }, ctx)).toMatchObject({
    ok: false,
    error: { code: 'status_not_allowed' },
  })
})

it.each<[OrderStatus, OrderStatus]>([
  ['shipped', 'cancelled'],
  ['shipped', 'shipped'],
  ['shipped', 'placed'],
])('only one of two concurrent status changes applies: %s and %s', async (...steps) => {
  const number = await placeOrder()
  await changeOrderStatus({ actor, number, to: 'packed' }, ctx)
  const results = await Promise.all(
    steps.map((to) => changeOrderStatus({ actor, number, from: 'packed', to }, ctx)),
  )
  expect(results.map((result) => (result.ok ? 'changed' : result.error.code)).toSorted()).toEqual([
    'changed',
    'status_changed',
  ])
  const won = steps[results.findIndex(({ ok }) => ok)]
  expect(await readEvents(number)).toHaveLength(won === 'placed' ? 0 : 2)
})

it('a change from an outdated status is refused with the current one', async () => {
  const number = await placeOrder()
  await changeOrderStatus({ actor, number, to: 'packed' }, ctx)
  expect(await changeOrderStatus({ actor, number, from: 'placed', to: 'packed' }, ctx)).toMatchObject({
    ok: false,
    error: {
      code: 'status_changed',
      details: { status: 'packed', next: ['shipped', 'cancelled'], previous: ['placed'] },
    },
  })
})

it('a status change of an unknown order returns not_found', async () => {
  expect(await changeOrderStatus({ actor, number: 'P-222222', to: 'packed' }, ctx)).toEqual({
    ok: false,
    error: { code: 'not_found' },
  })
})
