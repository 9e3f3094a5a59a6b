import { createStore, Provider } from 'jotai'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { setUnitsLeftAtom } from '#client/cart/stock.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { errorDefinitions } from '#shared/errors.ts'
import { notSentError, type OrderError, unconfirmedError } from './order-error.ts'
import { OrderErrorBanner } from './order-error-banner.tsx'

function countChargeNotices(error: OrderError): number {
  return renderToStaticMarkup(<OrderErrorBanner error={error} />).split('been charged').length - 1
}

describe('the error banner of an order', () => {
  it('says once that nothing was charged, whether or not the message does', () => {
    const { message } = errorDefinitions.payment_declined
    expect(countChargeNotices({ ...notSentError, message })).toBe(1)
    expect(countChargeNotices(notSentError)).toBe(1)
  })

  it('makes no claim about a charge while the outcome is unknown', () => {
    expect(countChargeNotices(unconfirmedError)).toBe(0)
  })

  it('mentions the button and the saved cart only if there are any', () => {
    const explanation = /press the button again|cart and details are saved/
    expect(renderToStaticMarkup(<OrderErrorBanner error={unconfirmedError} />)).toMatch(explanation)
    const withoutCart = renderToStaticMarkup(<OrderErrorBanner error={unconfirmedError} isCartEmpty />)
    expect(withoutCart).toContain(unconfirmedError.message)
    expect(withoutCart).not.toMatch(explanation)
  })

  it.each([
    [[0], 'Remove the sold-out items'],
    [[2], 'Reduce to 2'],
    [[2, 1], 'Reduce to what we have left'],
    [[2, 0], 'Reduce to what we have left'],
  ])('says what can be ordered if %j units are left', (unitsLeft, label) => {
    const store = createStore()
    const product = { title: 'Romper', description: '', price: 900, image: '', qty: 3 }
    void store.set(cartAtom, () => [1, 2, 3].map((id) => ({ ...product, id })))
    store.set(
      setUnitsLeftAtom,
      unitsLeft.map((left, index) => ({ id: index + 1, left })),
    )
    const html = renderToStaticMarkup(
      <Provider store={store}>
        <OrderErrorBanner error={{ ...notSentError, isOutOfStock: true }} />
      </Provider>,
    )
    expect(html).toContain(`>${label}</button>`)
  })
})
