import { href } from '#shared/routes.ts'
import type { OrderTrouble } from '../../state/order-trouble.ts'
import { OrderTroubleBanner } from './order-trouble-banner.tsx'

/** Checkout without anything to order (§ 2). */
export function EmptyCheckout({ trouble }: { trouble: OrderTrouble | undefined }) {
  return (
    <div className="notice">
      <OrderTroubleBanner trouble={trouble} />
      <img src="/images/empty-cart.svg" alt="" width="320" height="240" />
      <h2>No items in your cart</h2>
      <a className="button" href={href('home')}>
        Continue Shopping
      </a>
    </div>
  )
}
