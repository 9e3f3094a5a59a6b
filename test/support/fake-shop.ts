import { vi } from 'vitest'
import type { Order, PaymentState } from '#shared/contract/orders.ts'
import { checkoutTotals } from '#shared/rules/pricing.ts'

/** A product at 100 KSH, unless said otherwise. */
export const product = (id: number, price = 100) => ({
  id,
  title: `Product ${id}`,
  description: 'Soft.',
  price,
  image: '/x.svg',
})
export const billing = {
  firstName: 'Amina',
  lastName: 'Wanjiru',
  email: 'amina@shopper.test',
  address: 'Moi Avenue 4',
  address2: '',
  country: 'Kenya',
  state: 'Nairobi',
  zip: '00100',
}
export const payment = { token: 'tok_simulated', card: { brand: 'Visa', lastFour: '1111' } } as const

type Sent = { key: string; lines: { id: number; qty: number }[]; promoCode?: string }

/** A shop behind `fetch` that keeps the contract: one key, one order. `fate` decides what becomes of the next posts. */
export function fakeShop() {
  const orders: Order[] = []
  const sent: Sent[] = []
  const shop = { orders, sent, fate: [] as (() => Response | 'lost' | 'never arrived')[], isReachable: true }

  function post({ key, lines }: Sent): Response {
    const known = orders.find((order) => order.key === key)
    const content = JSON.stringify(lines)
    if (known) {
      const same = JSON.stringify(known.lines.map(({ productId, qty }) => ({ id: productId, qty })))
      return same === content
        ? Response.json({ order: known, payment: paidState(known) })
        : refusal(409, 'key_reused', { order: known })
    }
    const order: Order = {
      key,
      number: `P-${orders.length + 1}`,
      status: 'placed',
      placedAtMs: 0,
      lines: lines.map(({ id, qty }) => ({
        productId: id,
        title: `Product ${id}`,
        image: '/x.svg',
        unitPriceCents: 100_00,
        qty,
      })),
      totals: checkoutTotals(lines.map(({ qty }) => ({ price: 100, qty }))),
      promoCode: null,
      email: billing.email,
      card: null,
      payment: null,
    }
    orders.unshift(order)
    return Response.json({ order, payment: paidState(order) }, { status: 201 })
  }

  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    await Promise.resolve()
    if (!shop.isReachable) throw new TypeError('Failed to fetch')
    if (path !== '/api/orders') return refusal(503, 'unavailable')
    if (init.method === 'GET') return Response.json({ orders, next: null })
    const body = JSON.parse(String(init.body)) as Sent
    const request = { ...body, key: new Headers(init.headers).get('Idempotency-Key') ?? '' }
    sent.push(request)
    const fate = shop.fate.shift()?.()
    if (fate === 'never arrived') throw new TypeError('Failed to fetch')
    if (fate instanceof Response) return fate
    const response = post(request)
    if (fate === 'lost') throw new TypeError('Failed to fetch')
    return response
  })
  return shop
}

/** An answer of the shop that refuses. */
export function refusal(status: number, code: string, more: object = {}) {
  return Response.json({ message: `Refused: ${code}.`, code, ...more }, { status })
}

function paidState({ number, totals: { totalCents } }: Order): PaymentState {
  const nothing = { problem: null, phone: null, redirectTo: null, pollInMs: null, promptAgainInMs: null }
  const message = 'Your payment has arrived. Thank you!'
  return {
    ...nothing,
    number,
    status: 'paid',
    provider: 'simulated',
    message,
    totalCents,
    ways: [],
    expiresInMs: null,
  }
}
