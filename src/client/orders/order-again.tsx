import { useSetAtom } from 'jotai'
import { type ReactNode, useState } from 'react'
import { useCart } from '#client/cart/stored-cart.ts'
import { isClosed } from '#client/checkout/shown-order.ts'
import type { Cart } from '#shared/cart/cart.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import type { ReorderResult } from '#shared/orders/reorder.ts'
import { href } from '#shared/routes.ts'
import { orderAgainAtom } from './order-view.ts'

const DOUBLE_TAP_MS = 600

type OrderAgainProps = { order: OrderView['order']; children?: ReactNode }

export function OrderAgain({ order, children }: OrderAgainProps) {
  const cart = useCart()
  // On a delivered order, the button follows the page's links.
  const isChip = order.status === 'delivered'
  const leadsToCart = isClosed(order) && isInCart(order, cart)
  const orderAgain = useSetAtom(orderAgainAtom)
  const [done, setDone] = useState<ReorderResult | 'failed'>()
  const [isBusy, setBusy] = useState(false)

  async function addLines() {
    if (isBusy || !cart) return
    setBusy(true)
    setDone((await orderAgain(order.lines)) ?? 'failed')
    setTimeout(setBusy, DOUBLE_TAP_MS, false)
  }

  return (
    <>
      {leadsToCart && !done && <p>Your items are still in your cart.</p>}
      <div className={isChip ? 'account-links' : 'order__buttons'}>
        {isChip && children}
        {leadsToCart && !done ? (
          <a className="button button--quiet" href={href('cart')}>
            Go to Cart
          </a>
        ) : (
          <button
            type="button"
            className={`${isChip ? 'chip' : 'button button--quiet'} order__again`}
            aria-busy={isBusy}
            onClick={addLines}
          >
            Order again
          </button>
        )}
        {!isChip && children}
      </div>
      <div role="status">
        {done === 'failed' && (
          <p className="banner banner--error">We couldn’t load the products. Please try again in a minute.</p>
        )}
        {done && done !== 'failed' && <OrderAgainResult done={done} />}
      </div>
    </>
  )
}

export function isInCart({ lines }: Pick<OrderView['order'], 'lines'>, cart: Cart = []): boolean {
  return lines.every(({ productId }) => cart.some(({ id }) => id === productId))
}

function OrderAgainResult({ done: { hasLinesInCart, sentences } }: { done: ReorderResult }) {
  return (
    <div className="banner">
      <div className="stack stack--s">
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {hasLinesInCart && (
          <a className="button" href={href('cart')}>
            Go to Cart
          </a>
        )}
      </div>
    </div>
  )
}
