import { createStore } from 'jotai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { bootAtom } from '#client/app/boot.ts'
import { storeSessionAtom } from '#client/app/session.ts'
import { addToCartAtom } from '#client/cart/add-to-cart.ts'
import { promotionAtom } from '#client/cart/promotion.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { createDeliveryTerms, DEFAULT_TERMS } from '#shared/checkout/delivery.ts'
import { calculateCheckoutTotals } from '#shared/checkout/pricing.ts'
import { createStorage } from '../../../test/support/storage.ts'
import {
  billing,
  cardPayment,
  errorResponse,
  product,
  stubShopApi,
} from '../../../test/support/stub-shop-api.ts'
import { lookUpSubmittedOrderAtom, placementAtom, recheckCheckoutAttemptAtom } from './attempt-outcome.ts'
import { billingDraftAtom, deliveryChoiceAtom } from './billing.ts'
import { hasOpenOrderAtom } from './has-open-order.ts'
import { limitOrderToStockAtom, openCheckoutAtom, placeOrderAtom } from './place-order.ts'
import { shownOrderAtom } from './shown-order.ts'

const AMINA = { name: 'Amina Wanjiru', email: 'amina@shopper.test' }

let stored: Map<string, string>
let storedInTab: Map<string, string>
let shop: ReturnType<typeof stubShopApi>

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  stored = new Map()
  storedInTab = new Map()
  shop = stubShopApi()
  const events = new EventTarget()
  vi.stubGlobal('addEventListener', events.addEventListener.bind(events))
  vi.stubGlobal('removeEventListener', events.removeEventListener.bind(events))
  vi.stubGlobal('location', { pathname: '/checkout' })
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('localStorage', createStorage(stored))
  vi.stubGlobal('sessionStorage', createStorage(storedInTab))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function openTab() {
  const store = createStore()
  store.sub(cartAtom, () => {})
  store.sub(promotionAtom, () => {})
  const runTimersUntil = async (promise: Promise<unknown>) => {
    await vi.runAllTimersAsync()
    await promise
  }
  return {
    store,
    open: () => runTimersUntil(store.set(openCheckoutAtom)),
    submit: (expectedTotalKsh = 146) =>
      runTimersUntil(store.set(placeOrderAtom, { billing, payment: cardPayment, expectedTotalKsh })),
    cart: () => Object.fromEntries((store.get(cartAtom) ?? []).map(({ id, qty }) => [id, qty])),
    error() {
      const placement = store.get(placementAtom)
      return placement.status === 'editing' ? placement.error : undefined
    },
  }
}

async function openCheckoutWith(...ids: number[]) {
  const shopper = openTab()
  for (const id of ids) shopper.store.set(addToCartAtom, product(id))
  await shopper.open()
  return shopper
}

/** The order is placed, but its response is lost. */
async function submitThenLoseConnection(shopper: ReturnType<typeof openTab>) {
  shop.nextOutcomes = [
    () => {
      shop.isReachable = false
      return 'lost'
    },
  ]
  await shopper.submit()
}

const readStoredKey = () => JSON.parse(stored.get('order') ?? 'null')?.key

describe('checkout in the browser', () => {
  it('creates the order’s key when it opens, shares it between tabs, and clears cart, key and form after the order', async () => {
    const shopper = await openCheckoutWith(1)
    shopper.store.set(storeSessionAtom, { token: 'a-token', user: AMINA })
    shopper.store.set(billingDraftAtom, () => ({ address: 'Moi Avenue 4' }))
    const key = readStoredKey()
    expect(key).toMatch(/^[0-9a-f]{32}$/)
    await openTab().open()
    expect(readStoredKey()).toBe(key)

    await shopper.submit()
    expect(shop.submitted.map((sent) => sent.key)).toEqual([key])
    expect(shopper.store.get(placementAtom)).toEqual({ status: 'ordered', number: 'P-1' })
    expect([...stored.keys(), ...storedInTab.keys()]).toEqual(['token', 'user', 'pay-with'])
  })

  it('sends pickup while the shop offers it, and returns to delivery, listing the changes, once it doesn’t', async () => {
    const shopper = await openCheckoutWith(1)
    shopper.store.set(storeSessionAtom, { token: 'a-token', user: AMINA })
    shopper.store.set(bootAtom, (boot) => ({
      ...boot,
      delivery: { ...DEFAULT_TERMS, pickup: 'Biashara Street 9' },
    }))
    shopper.store.set(billingDraftAtom, () => ({ state: 'Nairobi', deliveryMethod: 'pickup' }))
    expect(shopper.store.get(deliveryChoiceAtom)).toMatchObject({ quote: { feeKsh: 0 } })
    const lines = [{ ...product(1), qty: 1 }]
    shop.nextOutcomes = [
      () =>
        errorResponse(409, 'prices_changed', {
          lines,
          totals: calculateCheckoutTotals(lines),
          delivery: DEFAULT_TERMS,
        }),
    ]
    await shopper.submit(116)
    expect(shopper.error()?.changes).toEqual(['Shipping is now KSH 30.', 'The total is now KSH 146.'])
    expect(shopper.store.get(deliveryChoiceAtom)).toMatchObject({
      method: 'delivery',
      quote: { feeKsh: 30 },
    })
    await shopper.submit(146)
    expect(shop.submitted.map(({ deliveryMethod }) => deliveryMethod)).toEqual(['pickup', undefined])
  })

  it('adopts the delivery terms sent with a rejection, and keeps the cart', async () => {
    const shopper = await openCheckoutWith(1)
    shopper.store.set(bootAtom, (boot) => ({
      ...boot,
      delivery: { ...DEFAULT_TERMS, cash: { maxKsh: 5000, counties: ['Nairobi'] } },
    }))
    shop.nextOutcomes = [() => errorResponse(400, 'invalid_fields', { delivery: DEFAULT_TERMS })]
    await shopper.submit()
    expect(shopper.error()).toMatchObject({ kind: 'rejected' })
    expect(shopper.store.get(deliveryChoiceAtom).terms).toEqual(DEFAULT_TERMS)
    expect(shopper.store.get(cartAtom)).toHaveLength(1)
  })

  it('reports a changed delivery fee and uses it from then on', async () => {
    const shopper = await openCheckoutWith(1)
    const terms = (feeKsh: number) =>
      createDeliveryTerms({ zones: [{ name: 'Coast', counties: ['Mombasa'], feeKsh }], pickup: '' })
    shopper.store.set(storeSessionAtom, { token: 'a-token', user: { ...AMINA, state: 'Mombasa' } })
    shopper.store.set(bootAtom, (boot) => ({ ...boot, delivery: terms(200) }))
    const lines = [{ ...product(1), qty: 1 }]
    const totals = calculateCheckoutTotals(lines, null, 250)
    shop.nextOutcomes = [() => errorResponse(409, 'prices_changed', { lines, totals, delivery: terms(250) })]
    await shopper.submit(316)
    const changes = ['Shipping is now KSH 250 (was KSH 200).', 'The total is now KSH 366.']
    expect(shopper.error()?.changes).toEqual(changes)
    expect(shopper.store.get(deliveryChoiceAtom).quote).toEqual({
      feeKsh: 250,
      deliveryZone: 'Coast',
      pickup: null,
    })
  })

  it('submits the order once if the shopper double-clicks', async () => {
    const shopper = await openCheckoutWith(1)
    await Promise.all([shopper.submit(), shopper.submit()])
    expect(shop.submitted).toHaveLength(1)
  })

  it.each([
    ['sends a promo code that gives a discount', 100_00, 'TENTH'],
    ['leaves out a promo code below its minimum subtotal', 100_01, undefined],
  ])('%s', async (_what, minimumSubtotalCents, promoCode) => {
    const shopper = await openCheckoutWith(1)
    shopper.store.set(promotionAtom, () => ({
      code: 'TENTH',
      kind: 'percent',
      value: 10,
      minimumSubtotalCents,
    }))
    await shopper.submit()
    expect(shop.submitted[0]?.promoCode).toBe(promoCode)
  })

  it('finds an order whose response was lost, and clears the cart', async () => {
    const shopper = await openCheckoutWith(1)
    shop.nextOutcomes = [() => 'lost']
    await shopper.submit()
    expect(shopper.store.get(shownOrderAtom)).toMatchObject({
      isFromEarlierAttempt: true,
      order: { number: 'P-1' },
    })
    expect(shopper.cart()).toEqual({})
  })

  it('keeps cart and key if the order never arrived, and resends it under the same key', async () => {
    const shopper = await openCheckoutWith(1)
    shop.nextOutcomes = [() => 'never arrived']
    await shopper.submit()
    expect(shopper.error()).toMatchObject({ kind: 'rejected' })
    expect(shopper.cart()).toEqual({ 1: 1 })
    await shopper.submit()
    expect(new Set(shop.submitted.map(({ key }) => key)).size).toBe(1)
    expect(shop.orders).toHaveLength(1)
  })

  it('reports an unknown outcome while the shop is unreachable, and finds the order when it checks again', async () => {
    const shopper = await openCheckoutWith(1)
    await submitThenLoseConnection(shopper)
    expect(shopper.error()).toMatchObject({ kind: 'unclear' })
    shop.isReachable = true
    const rechecking = shopper.store.set(recheckCheckoutAttemptAtom)
    await vi.runAllTimersAsync()
    await rechecking
    expect(shopper.store.get(placementAtom)).toEqual({ status: 'ordered', number: 'P-1' })
  })

  it('names an unpaid order that it can’t check while the shop is unreachable', async () => {
    stored.set('order', JSON.stringify({ key: 'a'.repeat(32), number: 'P-7K3M9Q' }))
    const shopper = openTab()
    shop.isReachable = false
    await shopper.store.set(lookUpSubmittedOrderAtom)
    expect(shopper.error()).toMatchObject({
      kind: 'unclear',
      message: expect.stringMatching(/^Your order P-7K3M9Q is waiting for payment\./),
    })
  })

  it('finds an order in flight after a reload, even if many orders followed', async () => {
    const shopper = await openCheckoutWith(1)
    await submitThenLoseConnection(shopper)
    shop.isReachable = true
    const [lost] = shop.orders
    for (let index = 0; lost && index < 25; index++)
      shop.orders.unshift({ ...lost, key: `of-another-device-${index}`, number: `P-9${index}` })
    const reloaded = openTab()
    await reloaded.open()
    expect(reloaded.store.get(placementAtom)).toEqual({ status: 'ordered', number: 'P-1' })
    expect(shop.submitted).toHaveLength(1)
  })

  it('stores a summary of an order in flight, and finds the order on another page after a reload', async () => {
    const shopper = await openCheckoutWith(1, 2, 3, 4, 1)
    let cartSummary: unknown
    shop.nextOutcomes = [
      () => {
        cartSummary = JSON.parse(stored.get('order') ?? '{}').content
        shop.isReachable = false
        return 'lost'
      },
    ]
    await shopper.submit()
    expect(cartSummary).toBe('2 × Product 1, 1 × Product 2, 1 × Product 3 and 1 more')
    expect(shopper.store.get(hasOpenOrderAtom)).toBe(true)
    shop.isReachable = true
    const reloaded = openTab()
    const lookUp = reloaded.store.set(lookUpSubmittedOrderAtom)
    await vi.runAllTimersAsync()
    await lookUp
    expect(reloaded.store.get(shownOrderAtom)).toMatchObject({ order: { number: 'P-1' } })
    expect(reloaded.cart()).toEqual({})
  })

  it('waits for an order still in flight when it reopens', async () => {
    const shopper = await openCheckoutWith(1)
    const [line] = shopper.store.get(cartAtom) ?? []
    stored.set('order', JSON.stringify({ key: readStoredKey(), sentAtMs: Date.now() }))
    const reloaded = openTab()
    const opening = reloaded.store.set(openCheckoutAtom)
    await vi.advanceTimersByTimeAsync(1500)
    expect(reloaded.store.get(placementAtom)).toEqual({ status: 'checking' })
    await fetch('/api/orders', {
      method: 'POST',
      headers: { 'Idempotency-Key': readStoredKey() },
      body: JSON.stringify({ lines: [{ id: line?.id, qty: 1 }] }),
    })
    await vi.runAllTimersAsync()
    await opening
    expect(reloaded.store.get(placementAtom)).toEqual({ status: 'ordered', number: 'P-1' })
  })

  it('places one order if the cart changed after a lost response, and keeps what was added since', async () => {
    const shopper = await openCheckoutWith(1)
    await submitThenLoseConnection(shopper)
    shop.isReachable = true
    shopper.store.set(addToCartAtom, product(2))
    await shopper.submit(262)
    expect(shop.orders).toHaveLength(1)
    expect(shopper.store.get(shownOrderAtom)).toMatchObject({
      isFromEarlierAttempt: true,
      order: { number: 'P-1' },
    })
    expect(shopper.cart()).toEqual({ 2: 1 })
    expect(readStoredKey()).toBeUndefined()
  })

  it('places one order if two tabs submit the same cart, and removes its units once', async () => {
    const [first, other] = [await openCheckoutWith(1), openTab()]
    await other.open()
    await Promise.all([first.submit(), other.submit()])
    expect(shop.orders).toHaveLength(1)
    expect(other.store.get(placementAtom)).toEqual({ status: 'ordered', number: 'P-1' })

    first.store.set(addToCartAtom, product(1))
    other.store.set(cartAtom)
    await vi.waitFor(() => expect(other.cart()).toEqual({ 1: 1 }))
  })

  it('sends nothing from a tab whose cart was ordered in another', async () => {
    const [first, other] = [await openCheckoutWith(1), openTab()]
    await other.open()
    await first.submit()
    await other.submit()
    expect(shop.submitted).toHaveLength(1)
    expect(other.cart()).toEqual({})
  })

  it('reports being offline, but still places the order if the shop is reachable', async () => {
    const shopper = await openCheckoutWith(1)
    vi.stubGlobal('navigator', { onLine: false })
    shop.isReachable = false
    await shopper.submit()
    expect(shopper.error()?.message).toContain('You’re offline')
    expect(JSON.parse(stored.get('order') ?? '{}')).not.toHaveProperty('sentAtMs')
    shop.isReachable = true
    await shopper.submit()
    expect(shop.orders).toHaveLength(1)
  })

  it('updates the cart to new prices and lists each change', async () => {
    const shopper = await openCheckoutWith(1, 2)
    const lines = [
      { ...product(1, 150), qty: 1 },
      { ...product(2), qty: 1 },
    ]
    shop.nextOutcomes = [
      () =>
        errorResponse(409, 'prices_changed', {
          lines,
          totals: calculateCheckoutTotals(lines),
          delivery: DEFAULT_TERMS,
        }),
    ]
    await shopper.submit()
    expect(shopper.error()).toMatchObject({
      message: 'Refused: prices_changed.',
      changes: ['Product 1 now costs KSH 150 (was KSH 100).', 'The total is now KSH 320.'],
    })
    expect(shopper.store.get(cartAtom)?.map(({ price }) => price)).toEqual([150, 100])
    await shopper.submit(320)
    expect(shop.orders).toHaveLength(1)
  })

  it('removes products no longer sold from the cart and lists them', async () => {
    const shopper = await openCheckoutWith(1, 2)
    shop.nextOutcomes = [() => errorResponse(422, 'unknown_product', { productIds: [2] })]
    await shopper.submit()
    expect(shopper.cart()).toEqual({ 1: 1 })
    expect(shopper.error()).toMatchObject({
      message:
        'Your order wasn’t placed because some items are no longer available. Please check the new total and confirm.',
      changes: ['Product 2 is no longer available. We’ve removed it from your cart.'],
    })
    await shopper.submit()
    expect(shop.orders.map(({ lines }) => lines.map(({ productId }) => productId))).toEqual([[1]])
  })

  it('asks for no confirmation once every product was removed', async () => {
    const shopper = await openCheckoutWith(1)
    shop.nextOutcomes = [() => errorResponse(422, 'unknown_product', { productIds: [1] })]
    await shopper.submit()
    expect(shopper.cart()).toEqual({})
    expect(shopper.error()).toMatchObject({
      message: 'Your order wasn’t placed because some items are no longer available.',
      changes: ['Product 1 is no longer available. We’ve removed it from your cart.'],
    })
  })

  it('shows the units left and continues with them in one tap', async () => {
    const shopper = await openCheckoutWith(1, 1, 1, 2, 3)
    const short = [
      { id: 1, left: 2 },
      { id: 2, left: 0 },
    ]
    shop.nextOutcomes = [short.slice(0, 1), short].map(
      (lines) => () => errorResponse(409, 'out_of_stock', { short: lines }),
    )
    await shopper.submit()
    expect(shopper.error()?.message).toBe('We no longer have enough of some items.')
    await shopper.submit()
    expect(shopper.cart()).toEqual({ 1: 3, 2: 1, 3: 1 })
    expect(shopper.error()).toMatchObject({
      message: 'Some items are sold out.',
      changes: ['Product 1: only 2 left.', 'We’re sold out of Product 2.'],
      isOutOfStock: true,
    })
    shopper.store.set(limitOrderToStockAtom)
    expect([shopper.cart(), shopper.error()]).toEqual([{ 1: 2, 3: 1 }, undefined])
    await shopper.submit()
    expect(shop.orders[0]?.lines.map(({ productId, qty }) => [productId, qty])).toEqual([
      [1, 2],
      [3, 1],
    ])
  })

  it('removes a promo code rejected with the order', async () => {
    const shopper = await openCheckoutWith(1)
    shopper.store.set(promotionAtom, () => ({
      code: 'X',
      kind: 'fixed',
      value: 100,
      minimumSubtotalCents: 0,
    }))
    const lines = [{ ...product(1), qty: 1 }]
    shop.nextOutcomes = [
      () =>
        errorResponse(409, 'promotion_refused', {
          lines,
          totals: calculateCheckoutTotals(lines),
          delivery: DEFAULT_TERMS,
        }),
    ]
    await shopper.submit()
    expect(shopper.store.get(promotionAtom)).toBeNull()
    expect(stored.has('promotion')).toBe(false)
  })

  it("shows the server's field errors", async () => {
    const shopper = await openCheckoutWith(1)
    shop.nextOutcomes = [
      () => errorResponse(400, 'invalid_fields', { errors: { 'billing.zip': 'Zip code is required' } }),
    ]
    await shopper.submit()
    expect(shopper.error()?.fieldErrors).toEqual({ zip: 'Zip code is required' })
  })

  it("shows the server's error once it is certain that no order exists", async () => {
    const shopper = await openCheckoutWith(1)
    shop.nextOutcomes = [() => errorResponse(503, 'unavailable')]
    await shopper.submit()
    expect(shopper.error()).toMatchObject({ kind: 'rejected', message: 'Refused: unavailable.' })
    expect(console.error).toHaveBeenCalledWith('Checkout submission failed: 503 unavailable')
  })

  it('stores the whole billing address and clears a removed second line', async () => {
    const user = { name: 'Amina Wanjiru', email: 'account@shopper.test', address2: 'Floor 2' }
    const { store, submit } = openTab()
    store.set(storeSessionAtom, { token: 'a-token', user })
    store.set(addToCartAtom, product(1))
    await submit()
    const { email: _, ...address } = billing
    expect(JSON.parse(stored.get('user') ?? '')).toEqual({ ...user, ...address })
  })

  it('resends the order under the same key if storage is blocked', async () => {
    vi.stubGlobal('localStorage', undefined)
    const shopper = await openCheckoutWith(1)
    shop.nextOutcomes = [() => 'never arrived']
    await shopper.submit()
    await shopper.submit()
    expect(new Set(shop.submitted.map(({ key }) => key)).size).toBe(1)
    expect(shop.orders).toHaveLength(1)
  })
})
