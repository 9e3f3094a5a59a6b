import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { ListedOrder } from '#shared/orders/contract.ts'
import { OrderRow } from './your-orders.tsx'

const order: ListedOrder = {
  key: 'key',
  number: 'P-ABC234',
  status: 'placed',
  placedAtMs: 0,
  lines: [],
  totals: {
    subtotalCents: 0,
    discountCents: 0,
    shippingCents: 0,
    vatCents: 0,
    roundingCents: 0,
    totalCents: 66_800,
  },
  vatPercent: 16,
  deliveryZone: null,
  pickup: null,
  promoCode: null,
  email: '',
  card: null,
  payment: null,
  balance: { status: 'unpaid', paidCents: 0, refundedCents: 0, refundDueCents: 0, dueCents: 66_800 },
}

it.each<[string, Partial<ListedOrder>, note: string, link: string]>([
  ['that awaits payment', { status: 'awaiting_payment' }, '', 'Pay now'],
  ['with cash on delivery', {}, 'To pay on delivery', 'Pay now instead'],
  ['with cash on delivery that was delivered unpaid', { status: 'delivered' }, '', 'Pay now'],
  ['that is partly paid', { balance: { ...order.balance, paidCents: 100 } }, '', 'Pay now'],
])('the row of an order %s says how to pay', (_, changes, note, link) => {
  const html = renderToStaticMarkup(<OrderRow order={{ ...order, ...changes }} />)
  expect([html.includes('To pay on delivery'), html.includes(`>${link}</a>`)]).toEqual([note !== '', true])
})
