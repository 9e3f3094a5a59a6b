import { createStore, Provider } from 'jotai'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { bootAtom } from '#client/app/boot.ts'
import type { PaymentMethod } from '#shared/payments/providers.ts'
import { OrderSummary } from './order-summary.tsx'

function listLogos(payments: readonly PaymentMethod[]) {
  const store = createStore()
  store.set(bootAtom, (boot) => ({ ...boot, payments }))
  const html = renderToStaticMarkup(
    <Provider store={store}>
      <OrderSummary cart={[]} />
    </Provider>,
  )
  return [...html.matchAll(/alt="([^"]+)"/g)].map(([, name]) => name)
}

it('the cart lists the logo of M-Pesa first if it is the first way to pay', () => {
  const cards = ['Visa', 'Mastercard', 'American Express']
  expect(listLogos(['mpesa', 'paystack'])).toEqual(['M-Pesa', ...cards])
  expect(listLogos(['paystack', 'mpesa'])).toEqual([...cards, 'M-Pesa'])
})
