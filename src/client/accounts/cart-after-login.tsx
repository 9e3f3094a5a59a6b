import type { createStore } from 'jotai'
import { messageBarAtom, viewAtom } from '#client/app/router/page.ts'
import { cartItemCountAtom } from '#client/cart/stored-cart.ts'
import { href, type PageName } from '#shared/routes.ts'

const PAGES_WITH_CART: readonly PageName[] = ['cart', 'checkout']

/** The next page that opens links to the cart, until the shopper opens another one. */
export function offerCartOnNextPage(store: ReturnType<typeof createStore>): void {
  const items = store.get(cartItemCountAtom)
  if (items === 0) return
  const message = (
    <div className="order-notice__text">
      <p>{`Your cart has ${items === 1 ? '1 item' : `${items} items`}.`}</p>
      <a className="checkout__follow" href={href('cart')}>
        Open your cart
      </a>
    </div>
  )
  let isOffered = false
  const stop = store.sub(viewAtom, () => {
    const page = store.get(viewAtom)?.location.name
    if (isOffered || !page || PAGES_WITH_CART.includes(page)) {
      stop()
      store.set(messageBarAtom, (now) => (now === message ? '' : now))
    } else {
      isOffered = true
      store.set(messageBarAtom, (now) => now || message)
    }
  })
}
