import { href } from '#shared/routes.ts'
import type { OrderError } from '../../state/order-error.ts'
import { OrderErrorBanner } from './order-error-banner.tsx'

/** Checkout without anything to order (§ 2). */
export function EmptyCheckout({ error }: { error: OrderError | undefined }) {
  return (
    <div className="notice">
      <OrderErrorBanner error={error} />
      <img src="/images/empty-cart.svg" alt="" width="320" height="240" />
      <h2>No items in your cart</h2>
      <a className="button" href={href('home')}>
        Continue Shopping
      </a>
    </div>
  )
}
