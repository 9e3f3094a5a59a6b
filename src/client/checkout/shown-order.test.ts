import { createStore } from 'jotai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addToCartAtom } from '#client/cart/add-to-cart.ts'
import { promotionAtom } from '#client/cart/promotion.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import type { Payment } from '#shared/payments/contract.ts'
import { createStorage } from '../../../test/support/storage.ts'
import {
  billing,
  cardPayment,
  errorResponse,
  mpesaPayment,
  product,
  stubShopApi,
} from '../../../test/support/stub-shop-api.ts'
import { placementAtom } from './attempt-outcome.ts'
import { loadWithRetries } from './load-with-retries.ts'
import { openCheckoutAtom, placeOrderAtom } from './place-order.ts'
import {
  cancelOrderAtom,
  isConnectionLostAtom,
  isRedirectingToPayAtom,
  loadOrderAtom,
  payAgainAtom,
  shownOrderAtom,
} from './shown-order.ts'
import { watchPayment } from './watch-payment.ts'

let stored: Map<string, string>
let shop: ReturnType<typeof stubShopApi>
let page: EventTarget & { hidden: boolean }
let network: { onLine: boolean }
let stops: (() => void)[]

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  stored = new Map()
  stops = []
  shop = stubShopApi()
  const events = new EventTarget()
  page = Object.assign(new EventTarget(), { hidden: false })
  network = { onLine: true }
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events))
  vi.stubGlobal('dispatchEvent', events.dispatchEvent.bind(events))
  vi.stubGlobal('document', page)
  vi.stubGlobal('location', { pathname: '/checkout' })
  vi.stubGlobal('navigator', network)
  vi.stubGlobal('localStorage', createStorage(stored))
})
afterEach(() => {
  for (const stop of stops) stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function openTab() {
  const store = createStore()
  store.sub(cartAtom, () => {})
  store.sub(promotionAtom, () => {})
  return {
    store,
    open: () => store.set(openCheckoutAtom),
    submit: (payment: Payment = mpesaPayment) =>
      store.set(placeOrderAtom, { billing, payment, expectedTotalKsh: 146 }),
    watch: () => stops.push(watchPayment(store)),
    shownOrder: () => store.get(shownOrderAtom),
    cart: () => (store.get(cartAtom) ?? []).map(({ id }) => id),
    error() {
      const placement = store.get(placementAtom)
      return placement.status === 'editing' ? placement.error : undefined
    },
  }
}

async function tabWithPendingPayment() {
  const shopper = openTab()
  shopper.store.set(addToCartAtom, product(1))
  await shopper.open()
  await shopper.submit()
  return shopper
}

const readStoredAttempt = () => JSON.parse(stored.get('order') ?? 'null')
const countPolls = () => shop.calls.filter((call) => call.startsWith('GET')).length

describe('an order that can’t be loaded', () => {
  it('is retried ever more rarely, but not while the page is hidden', async () => {
    const load = vi.fn(async () => 'failed' as const)
    const stop = loadWithRetries(load, () => {})
    for (const [count, waitMs] of [5000, 10_000, 20_000, 30_000, 30_000].entries()) {
      await vi.advanceTimersByTimeAsync(waitMs - 1)
      expect(load).toHaveBeenCalledTimes(count + 1)
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(load).toHaveBeenCalledTimes(6)
    page.hidden = true
    await vi.advanceTimersByTimeAsync(60_000)
    expect(load).toHaveBeenCalledTimes(6)
    page.hidden = false
    page.dispatchEvent(new Event('visibilitychange'))
    expect(load).toHaveBeenCalledTimes(7)
    stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(load).toHaveBeenCalledTimes(7)
  })
})

describe('an unpaid order', () => {
  it('keeps cart and key until it is paid, which is when its payment method counts as the last one', async () => {
    const shopper = await tabWithPendingPayment()
    const readLastMethod = () => stored.get('pay-with')
    expect(shopper.store.get(placementAtom)).toEqual({ status: 'ordered', number: 'P-1' })
    expect([shopper.cart(), readStoredAttempt()?.number]).toEqual([[1], 'P-1'])
    shopper.watch()
    await vi.advanceTimersByTimeAsync(2000)
    expect([shopper.cart(), readLastMethod()]).toEqual([[1], undefined])
    shop.changeOrder('P-1', 'placed')
    await vi.advanceTimersByTimeAsync(2000)
    expect(readLastMethod()).toBe('simulated')
    expect(shopper.shownOrder()).toMatchObject({ isNew: true, payment: { status: 'paid' } })
    expect([shopper.cart(), readStoredAttempt()]).toEqual([[], null])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(countPolls()).toBe(2)
  })

  it('is polled at the server’s interval, except while the page is hidden or offline', async () => {
    const shopper = await tabWithPendingPayment()
    shopper.watch()
    shop.changeOrder('P-1', 'awaiting_payment', { pollInMs: 15_000 })
    await vi.advanceTimersByTimeAsync(2000)
    await vi.advanceTimersByTimeAsync(14_000)
    expect(countPolls()).toBe(1)
    page.hidden = true
    page.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(countPolls()).toBe(1)
    page.hidden = false
    page.dispatchEvent(new Event('visibilitychange'))
    await vi.advanceTimersByTimeAsync(0)
    expect(countPolls()).toBe(2)

    network.onLine = false
    dispatchEvent(new Event('offline'))
    await vi.advanceTimersByTimeAsync(60_000)
    expect([countPolls(), shopper.store.get(isConnectionLostAtom)]).toEqual([2, true])
    network.onLine = true
    dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(0)
    expect([countPolls(), shopper.store.get(isConnectionLostAtom)]).toEqual([3, false])
  })

  it('shows that the connection is lost, even if polling hasn’t started', async () => {
    const shopper = await tabWithPendingPayment()
    network.onLine = false
    shopper.watch()
    expect(shopper.store.get(isConnectionLostAtom)).toBe(true)
    network.onLine = true
    dispatchEvent(new Event('online'))
    await vi.advanceTimersByTimeAsync(3000)
    expect(shopper.store.get(isConnectionLostAtom)).toBe(false)
  })

  it('is polled with backoff while the shop is unreachable', async () => {
    const shopper = await tabWithPendingPayment()
    const fetches = vi.spyOn(globalThis, 'fetch')
    shop.isReachable = false
    shopper.watch()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(fetches.mock.calls.length).toBeLessThan(9)
    expect(shopper.store.get(isConnectionLostAtom)).toBe(true)
    shop.isReachable = true
    await vi.advanceTimersByTimeAsync(30_000)
    expect(shopper.store.get(isConnectionLostAtom)).toBe(false)
  })

  it('reloads the page, at most every 30 s, if a newer build’s response is unreadable', async () => {
    const reload = vi.fn()
    vi.stubGlobal('location', { pathname: '/checkout', reload })
    const shopper = await tabWithPendingPayment()
    const renamed: object = { methods: undefined, waysToPay: ['mpesa'] }
    shop.changeOrder('P-1', 'awaiting_payment', renamed)
    shopper.watch()
    await vi.advanceTimersByTimeAsync(29_000)
    expect([reload.mock.calls.length, shopper.store.get(isConnectionLostAtom)]).toEqual([0, false])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(reload).toHaveBeenCalled()
  })

  it('is shown at checkout in a new tab, without being submitted again', async () => {
    await tabWithPendingPayment()
    const other = openTab()
    await other.open()
    expect(other.store.get(placementAtom)).toEqual({ status: 'ordered', number: 'P-1' })
    expect(shop.submitted).toHaveLength(1)
  })

  it('is found after its response was lost', async () => {
    const shopper = openTab()
    shopper.store.set(addToCartAtom, product(1))
    await shopper.open()
    shop.nextOutcomes = [() => 'lost']
    await shopper.submit()
    expect(shopper.store.get(placementAtom)).toEqual({ status: 'ordered', number: 'P-1' })
    expect(shopper.shownOrder()?.payment?.status).toBe('waiting')
  })

  it('can be shown on another device without changing that device’s cart', async () => {
    await tabWithPendingPayment()
    stored.clear()
    const device = openTab()
    device.store.set(addToCartAtom, product(2))
    expect(await device.store.set(loadOrderAtom, 'P-1')).toBeUndefined()
    device.watch()
    shop.changeOrder('P-1', 'placed')
    await vi.advanceTimersByTimeAsync(2000)
    expect(device.shownOrder()?.order.status).toBe('placed')
    expect(device.cart()).toEqual([2])
    expect(await device.store.set(loadOrderAtom, 'P-9')).toBe('unknown')
  })

  it('can be cancelled, which deletes the key and keeps the cart', async () => {
    const shopper = await tabWithPendingPayment()
    await shopper.store.set(cancelOrderAtom, 'P-1')
    expect(shopper.shownOrder()?.payment?.status).toBe('cancelled')
    expect([shopper.cart(), readStoredAttempt()]).toEqual([[1], null])
  })

  it('lets the shopper order again under a new key once it has expired', async () => {
    const shopper = await tabWithPendingPayment()
    const { key } = readStoredAttempt()
    shop.changeOrder('P-1', 'expired')
    const other = openTab()
    await vi.waitFor(() => expect(other.cart()).toEqual([1]))
    await other.open()
    expect(other.store.get(placementAtom)).toEqual({ status: 'editing' })
    expect(readStoredAttempt().key).not.toBe(key)
    expect(shopper.cart()).toEqual([1])
  })

  it('can be paid by another method after a failure', async () => {
    const shopper = await tabWithPendingPayment()
    shop.changeOrder('P-1', 'awaiting_payment', { status: 'failed', problem: 'cancelled', pollInMs: null })
    shopper.watch()
    await vi.advanceTimersByTimeAsync(2000)
    expect(shopper.shownOrder()?.payment?.status).toBe('failed')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(countPolls()).toBe(1)
    expect(await shopper.store.set(payAgainAtom, 'P-1', { provider: 'paystack' })).toBeUndefined()
    expect([shopper.shownOrder()?.payment?.status, shopper.store.get(isRedirectingToPayAtom)]).toEqual([
      'waiting',
      true,
    ])
  })

  it('shows why a payment could not be started', async () => {
    const shopper = await tabWithPendingPayment()
    shop.isReachable = false
    const failure = await shopper.store.set(payAgainAtom, 'P-1', mpesaPayment)
    expect(failure?.message).toContain('you won’t be charged twice')
  })

  it('is cancelled and replaced under a new key if the cart has changed', async () => {
    const shopper = await tabWithPendingPayment()
    const { key } = readStoredAttempt()
    shop.changeOrder('P-1', 'awaiting_payment', { status: 'failed', pollInMs: null })
    const back = openTab()
    await vi.waitFor(() => expect(back.cart()).toEqual([1]))
    back.store.set(addToCartAtom, product(2))
    await back.open()
    expect(back.error()?.message).toContain('Order P-1 isn’t paid. If you order again')
    await back.submit(cardPayment)
    expect(shop.orders.map(({ number, status }) => [number, status])).toEqual([
      ['P-2', 'placed'],
      ['P-1', 'cancelled'],
    ])
    expect(back.shownOrder()).toMatchObject({ replacedNumber: 'P-1', order: { number: 'P-2' } })
    expect(shop.submitted.at(-1)?.key).not.toBe(key)
    expect(back.cart()).toEqual([])
    expect(shopper.store.get(placementAtom).status).toBe('ordered')
  })

  it('keeps the form if its payment is declined immediately, and is resent under the same key', async () => {
    const shopper = openTab()
    shopper.store.set(addToCartAtom, product(1))
    await shopper.open()
    await shopper.submit()
    const [order] = shop.orders
    const { payment } = shopper.shownOrder() ?? {}
    shopper.store.set(placementAtom, { status: 'editing' })
    const failed = { ...payment, status: 'failed', message: 'Refused: payment_declined.' }
    shop.nextOutcomes = [() => errorResponse(402, 'payment_declined', { order, payment: failed })]
    await shopper.submit()
    expect(shopper.error()?.message).toBe('Refused: payment_declined.')
    await shopper.submit()
    expect(new Set(shop.submitted.map(({ key }) => key)).size).toBe(1)
    expect(shopper.store.get(placementAtom)).toEqual({ status: 'ordered', number: 'P-1' })
  })
})
