import { vi } from 'vitest'
import { calculateCheckoutTotals } from '#shared/checkout/pricing.ts'
import type { Order } from '#shared/orders/contract.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import type { PaymentProviderName } from '#shared/payments/providers.ts'

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
export const cardPayment = { token: 'tok_simulated', card: { brand: 'Visa', lastFour: '1111' } } as const

export const mpesaPayment = { provider: 'mpesa', phone: '0712 345 678' } as const

const PAGE_SIZE = 20

type SubmittedOrder = {
  key: string
  lines: { id: number; qty: number }[]
  promoCode?: string
  deliveryMethod?: string
  payment?: { provider?: PaymentProviderName }
}

/**
 * M-Pesa payments stay pending until the test changes them. Each of `nextOutcomes` applies to one of the next orders.
 */
export function stubShopApi() {
  const orders: Order[] = []
  const submitted: SubmittedOrder[] = []
  const states = new Map<string, Partial<PaymentState>>()
  const stub = {
    orders,
    submitted,
    /** Payment requests, such as `GET P-1/payment`. */
    calls: [] as string[],
    nextOutcomes: [] as (() => Response | 'lost' | 'never arrived')[],
    isReachable: true,
    changeOrder(number: string, status: Order['status'], state: Partial<PaymentState> = {}) {
      const order = orders.find((candidate) => candidate.number === number)
      if (!order) throw new Error(`We can’t find order ${number}.`)
      order.status = status
      states.set(number, { ...states.get(number), ...state })
    },
  }

  const respond = (order: Order, status = 200) =>
    Response.json(
      { order, payment: { ...createPaymentState(order), ...states.get(order.number) } },
      { status },
    )

  function post({ key, lines, payment: details }: SubmittedOrder): Response {
    const existing = orders.find((order) => order.key === key)
    const requestedLines = JSON.stringify(lines)
    if (existing) {
      const orderedLines = JSON.stringify(
        existing.lines.map(({ productId, qty }) => ({ id: productId, qty })),
      )
      if (orderedLines !== requestedLines) return errorResponse(409, 'key_reused', { order: existing })
      return respond(existing, existing.status === 'awaiting_payment' ? 202 : 200)
    }
    const isPaid = details?.provider !== 'mpesa'
    const order: Order = {
      key,
      number: `P-${orders.length + 1}`,
      status: isPaid ? 'placed' : 'awaiting_payment',
      placedAtMs: 0,
      lines: lines.map(({ id, qty }) => ({
        productId: id,
        title: `Product ${id}`,
        size: null,
        image: '/x.svg',
        unitPriceCents: 100_00,
        qty,
      })),
      totals: calculateCheckoutTotals(lines.map(({ qty }) => ({ price: 100, qty }))),
      vatPercent: 16,
      deliveryZone: null,
      pickup: null,
      promoCode: null,
      email: billing.email,
      card: null,
      payment: null,
      balance: { status: 'unpaid', paidCents: 0, refundedCents: 0, refundDueCents: 0, dueCents: 0 },
    }
    orders.unshift(order)
    return respond(order, isPaid ? 201 : 202)
  }

  function handlePayment(method: string, path: string): Response {
    stub.calls.push(`${method} ${path}`)
    const [number = '', what] = path.split('/')
    const order = orders.find((candidate) => candidate.number === number)
    if (!order) return errorResponse(404, 'not_found')
    if (what === 'cancel') stub.changeOrder(number, 'cancelled')
    else if (method === 'POST')
      stub.changeOrder(number, 'awaiting_payment', { status: 'waiting', pollInMs: 2000 })
    return respond(order)
  }

  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    await Promise.resolve()
    if (!stub.isReachable) throw new TypeError('Failed to fetch')
    const [, orderPath] = path.split('/api/orders/')
    if (orderPath) return handlePayment(String(init.method), orderPath)
    if (path !== '/api/orders') return errorResponse(503, 'unavailable')
    const key = new Headers(init.headers).get('Idempotency-Key')
    if (init.method === 'GET') {
      const matchingOrders =
        key === null ? orders.slice(0, PAGE_SIZE) : orders.filter((order) => order.key === key)
      return Response.json({ orders: matchingOrders, next: null })
    }
    const body = JSON.parse(String(init.body)) as SubmittedOrder
    const request = { ...body, key: key ?? '' }
    submitted.push(request)
    const nextOutcome = stub.nextOutcomes.shift()?.()
    if (nextOutcome === 'never arrived') throw new TypeError('Failed to fetch')
    if (nextOutcome instanceof Response) return nextOutcome
    const response = post(request)
    if (nextOutcome === 'lost') throw new TypeError('Failed to fetch')
    return response
  })
  return stub
}

export function errorResponse(status: number, code: string, overrides: object = {}) {
  return Response.json({ message: `Refused: ${code}.`, code, ...overrides }, { status })
}

function createPaymentState({ number, status, totals: { totalCents } }: Order): PaymentState {
  const isOpen = status === 'awaiting_payment'
  return {
    number,
    totalCents,
    dueCents: isOpen ? totalCents : 0,
    problem: null,
    redirectTo: null,
    provider: isOpen ? 'mpesa' : 'simulated',
    phone: isOpen ? '254712345678' : null,
    status: isOpen ? 'waiting' : status === 'cancelled' || status === 'expired' ? status : 'paid',
    message: `It is ${status}.`,
    methods: isOpen ? ['simulated', 'mpesa'] : [],
    pollInMs: isOpen ? 2000 : null,
    promptAgainInMs: isOpen ? 120_000 : null,
    expiresInMs: isOpen ? 1_800_000 : null,
  }
}
