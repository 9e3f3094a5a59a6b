import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { OrderView } from '#shared/orders/contract.ts'
import { OrderSteps } from './order-steps.tsx'

it.each([
  ['Rider Otieno, 0722 111 222.', 'Rider Otieno, <a href="tel:0722111222">0722 111 222</a>.'],
  [
    '+254722111222 or 0110-222-333',
    '<a href="tel:+254722111222">+254722111222</a> or <a href="tel:0110222333">',
  ],
  ['Parcel 0722 111 2223, <b>KSH 0</b>', 'Parcel 0722 111 2223, &lt;b&gt;KSH 0&lt;/b&gt;'],
])('phone numbers in the shop’s note can be called: %s', (note, markup) => {
  const step = { status: 'shipped', at: 'today', atMs: 0, note, trackingAddress: null } as const
  const order = { status: 'shipped', pickup: null } as OrderView['order']
  expect(renderToStaticMarkup(<OrderSteps steps={[step]} order={order} />)).toContain(markup)
})
