import { describe, expect, it } from 'vitest'
import { createAccount } from '#test/support/account.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { listOrders, orderRequest, postOrder } from '#test/support/orders.ts'

describe('a shopper’s orders', () => {
  it('are listed newest first, page by page with their lines, and found by their key at any age', async () => {
    const ctx = testContext()
    const shopper = await createAccount(ctx)
    const placed: string[] = []
    const oldest = crypto.randomUUID()
    for (let index = 0; index < 23; index++) {
      const clock = () => NOW_MS + Math.floor(index / 2) * 60_000
      const { body } = await postOrder(
        { ...ctx, clock },
        shopper,
        orderRequest([
          { id: 1, qty: 1 },
          { id: 2, qty: 1 },
        ]),
        index === 0 ? oldest : undefined,
      )
      placed.push(body.order.number)
    }
    const first = await listOrders(ctx, shopper)
    expect(first.body.orders).toHaveLength(20)
    for (const { lines } of first.body.orders) expect(lines.map(({ productId }) => productId)).toEqual([1, 2])
    const second = await listOrders(ctx, shopper, `?before=${first.body.next}`)
    expect(second.body.next).toBeNull()
    const listed = [...first.body.orders, ...second.body.orders]
    expect(new Set(listed.map(({ number }) => number))).toEqual(new Set(placed))
    const times = listed.map(({ placedAtMs }) => placedAtMs)
    expect(times).toEqual(times.toSorted((a, b) => b - a))

    const found = await listOrders(ctx, { bearer: { ...shopper.bearer, 'Idempotency-Key': oldest } })
    expect(found.body).toMatchObject({ orders: [{ number: placed[0], key: oldest }], next: null })
    const stranger = await createAccount(ctx)
    const othersOrders = await listOrders(ctx, { bearer: { ...stranger.bearer, 'Idempotency-Key': oldest } })
    expect(othersOrders.body).toEqual({ orders: [], next: null })
  })

  it('are never shown to other users', async () => {
    const ctx = testContext()
    const [owner, stranger] = [await createAccount(ctx), await createAccount(ctx)]
    const key = crypto.randomUUID()
    await postOrder(ctx, owner, orderRequest(), key)
    expect((await listOrders(ctx, stranger)).body).toEqual({ orders: [], next: null })
    await expectStatus(await postOrder(ctx, stranger, orderRequest([{ id: 2, qty: 1 }]), key), 201)
    expect((await listOrders(ctx, stranger)).body.orders).toHaveLength(1)
    await expectStatus(await listOrders(ctx, { bearer: { Authorization: '' } }), 401)
  })

  it.each(['x', '1', "1.P-ABCDEF'--", `${'9'.repeat(30)}.P-ABCDEF`, ''])(
    'can’t be listed from an invalid cursor: %j',
    async (before) => {
      const ctx = testContext()
      const response = await listOrders(
        ctx,
        await createAccount(ctx),
        `?before=${encodeURIComponent(before)}`,
      )
      await expectStatus(response, 400)
    },
  )
})
