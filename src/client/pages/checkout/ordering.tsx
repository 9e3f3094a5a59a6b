import { useAtomValue, useSetAtom } from 'jotai'
import { useEffect } from 'react'
import { checkoutTotals, kshOf } from '#shared/rules/pricing.ts'
import { cartAtom } from '../../state/cart.ts'
import { openCheckoutAtom, type Placing } from '../../state/order.ts'
import { promotionAtom } from '../../state/promotion.ts'
import { WithoutScripts } from '../../ui/without-scripts.tsx'
import { CheckoutForm } from './checkout-form.tsx'
import { CheckoutSummary } from './checkout-summary.tsx'
import { EmptyCheckout } from './empty-checkout.tsx'
import { Waiting } from './waiting.tsx'

/** From opening checkout to the server's confirmation: "No items in your cart", or the summary beside the form (§ 2). */
export function Ordering({ placing }: { placing: Placing }) {
  const cart = useAtomValue(cartAtom)
  const promotion = useAtomValue(promotionAtom)
  const open = useSetAtom(openCheckoutAtom)
  const isRead = cart !== undefined

  useEffect(() => {
    if (isRead) void open()
  }, [isRead, open])

  if (cart === undefined) {
    return (
      <>
        <WithoutScripts
          what="Checkout"
          why="Your cart is kept in your own browser, and your card is checked there and goes no further."
        />
        <Waiting words="Loading..." />
      </>
    )
  }
  if (placing.status === 'checking') return <Waiting words="Looking whether your last order went through…" />
  if (cart.length === 0 && placing.status !== 'submitting')
    return <EmptyCheckout error={placing.status === 'editing' ? placing.error : undefined} />

  const totals = checkoutTotals(cart, promotion)
  return (
    <div className="with-summary">
      <CheckoutForm totalKsh={kshOf(totals.totalCents)} />
      <CheckoutSummary cart={cart} totals={totals} promotion={promotion} />
    </div>
  )
}
