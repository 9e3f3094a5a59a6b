import { createStore, Provider } from 'jotai'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { cartAtom } from '#client/cart/stored-cart.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { OrderAgain } from './order-again.tsx'

function render(status: 'cancelled' | 'delivered', cartIds: readonly number[]) {
  const store = createStore()
  const product = { title: 'Romper', description: '', price: 900, image: '', qty: 1 }
  void store.set(cartAtom, () => cartIds.map((id) => ({ ...product, id })))
  const order = { status, lines: [{ productId: 1 }, { productId: 2 }] } as OrderView['order']
  return renderToStaticMarkup(
    <Provider store={store}>
      <OrderAgain order={order} />
    </Provider>,
  )
}

it('a cancelled order leads to the cart if the cart has all its items', () => {
  expect(render('cancelled', [2, 1])).toMatch(/href="\/cart">Go to Cart</)
  for (const html of [render('cancelled', [1]), render('delivered', [2, 1])]) {
    expect(html).toContain('>Order again</button>')
    expect(html).not.toContain('Go to Cart')
  }
})
