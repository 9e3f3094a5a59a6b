import { useAtomValue, useSetAtom } from 'jotai'
import { useEffect } from 'react'
import { href } from '#shared/routes.ts'
import { kshOf } from '#shared/rules/format.ts'
import { checkoutTotals } from '#shared/rules/pricing.ts'
import { navigate, type PageProps } from '../../router/page.ts'
import { WithData } from '../../router/page-data.tsx'
import { chosenDeliveryAtom } from '../../state/billing.ts'
import { cartAtom } from '../../state/cart.ts'
import { loadSizesAtom } from '../../state/cart-lines.ts'
import { closeOrderedAtom, openCheckoutAtom, type Placing, placingAtom } from '../../state/order.ts'
import type { OrderError } from '../../state/order-error.ts'
import { promotionAtom } from '../../state/promotion.ts'
import { CartChanges } from '../../ui/cart-changes.tsx'
import { WithoutScripts } from '../../ui/without-scripts.tsx'
import { CheckoutForm } from './checkout-form.tsx'
import { CheckoutSummary } from './checkout-summary.tsx'
import { CheckoutLoading, OrderDetail } from './order-detail.tsx'
import { OrderErrorBanner } from './order-error-banner.tsx'

/**
 * Checkout (§ 2): an order, placed or awaiting its payment, or that the cart is empty, or the order summary beside the
 * form. An order has an address of its own, so that a reload, another tab or another device shows it again.
 */
function CheckoutPage({ location, data }: PageProps<'checkout'>) {
  const placing = useAtomValue(placingAtom)
  const closeOrdered = useSetAtom(closeOrderedAtom)
  const addressed = location.search.get('order')?.toUpperCase()
  const ordered = placing.status === 'ordered' ? placing.number : undefined

  useEffect(() => {
    if (ordered && ordered === addressed) closeOrdered()
    else if (ordered) navigate(href('checkout', {}, { order: ordered }), { replace: true })
  }, [ordered, addressed, closeOrdered])

  const number = ordered ?? addressed
  return (
    <div className="page checkout">
      <h1>Checkout</h1>
      {number ? (
        <WithData source={data} fallback={<CheckoutLoading>Loading...</CheckoutLoading>}>
          {(sent) => <OrderDetail number={number} sent={sent} />}
        </WithData>
      ) : (
        <Ordering placing={placing} />
      )}
    </div>
  )
}

/** From opening checkout to the server's confirmation: "No items in your cart", or the summary beside the form (§ 2). */
function Ordering({ placing }: { placing: Placing }) {
  const cart = useAtomValue(cartAtom)
  const promotion = useAtomValue(promotionAtom)
  const { agreed } = useAtomValue(chosenDeliveryAtom)
  const open = useSetAtom(openCheckoutAtom)
  const isRead = cart !== undefined
  const loadSizes = useSetAtom(loadSizesAtom)

  useEffect(() => void loadSizes(), [loadSizes])

  useEffect(() => {
    if (isRead) void open()
  }, [isRead, open])

  if (cart === undefined) {
    return (
      <>
        <WithoutScripts
          what="Checkout"
          why="Your cart is stored in your browser, and your card is checked there and never sent."
        />
        <CheckoutLoading>Loading...</CheckoutLoading>
      </>
    )
  }
  if (placing.status === 'checking')
    return <CheckoutLoading>Checking whether your last order was placed…</CheckoutLoading>
  if (cart.length === 0 && placing.status !== 'submitting')
    return <EmptyCheckout error={placing.status === 'editing' ? placing.error : undefined} />

  const totals = checkoutTotals(cart, promotion, agreed.feeKsh)
  return (
    <>
      <CartChanges />
      <div className="with-summary">
        <CheckoutForm totalKsh={kshOf(totals.totalCents)} />
        <CheckoutSummary cart={cart} totals={totals} promotion={promotion} />
      </div>
    </>
  )
}

/** Checkout without anything to order (§ 2). */
function EmptyCheckout({ error }: { error: OrderError | undefined }) {
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

export { CheckoutPage as Page }
