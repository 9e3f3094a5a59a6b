import { useAtomValue, useSetAtom } from 'jotai'
import { useEffect, useState } from 'react'
import { type PageProps, replaceUrlAtom, viewAtom } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { loadCartCatalogueAtom } from '#client/cart/cart-actions.ts'
import { CartChangesNotice } from '#client/cart/price-changes-notice.tsx'
import { promotionAtom, promotionNoticeAtom } from '#client/cart/promotion.ts'
import { checkStockAtom } from '#client/cart/stock.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { formatCentsAsKsh, OrderTotals } from '#client/cart/totals.tsx'
import { NoScriptNotice } from '#client/ui/no-script-notice.tsx'
import type { Cart } from '#shared/cart/cart.ts'
import { formatItemCount } from '#shared/cart/cart-lines.ts'
import { formatDeliveryTime } from '#shared/checkout/delivery.ts'
import { VAT_PERCENT } from '#shared/checkout/fees.ts'
import {
  type OrderTotals as Amounts,
  calculateCheckoutTotals,
  calculateLineTotalCents,
} from '#shared/checkout/pricing.ts'
import { centsToKsh, formatNameWithSize, keepAmountsUnbroken } from '#shared/format.ts'
import type { Promotion } from '#shared/promotions/contract.ts'
import { href } from '#shared/routes.ts'
import { type PlacementState, placementAtom } from './attempt-outcome.ts'
import { deliveryChoiceAtom } from './billing.ts'
import { CheckoutForm } from './checkout-form.tsx'
import { CheckoutLoading, CheckoutOrder } from './checkout-order.tsx'
import type { OrderError } from './order-error.ts'
import { OrderErrorBanner, ShortageNotice } from './order-error-banner.tsx'
import { openCheckoutAtom, resetPlacementAtom } from './place-order.ts'

/** Orders have their own URL, which works after a reload and on other devices (§ 2). */
function CheckoutPage({ data }: PageProps<'checkout'>) {
  const placement = useAtomValue(placementAtom)
  const resetPlacement = useSetAtom(resetPlacementAtom)
  const replaceUrl = useSetAtom(replaceUrlAtom)
  const numberInUrl = useAtomValue(viewAtom)?.location.search.get('order')?.toUpperCase()
  const placedOrderNumber = placement.status === 'ordered' ? placement.number : undefined

  useEffect(() => {
    if (placedOrderNumber && placedOrderNumber === numberInUrl) resetPlacement()
    else if (placedOrderNumber) replaceUrl(href('checkout', {}, { order: placedOrderNumber }))
  }, [placedOrderNumber, numberInUrl, resetPlacement, replaceUrl])

  const number = placedOrderNumber ?? numberInUrl
  return (
    <div className="page checkout">
      <h1>Checkout</h1>
      {number ? (
        <WithData source={data} fallback={<CheckoutLoading>Loading...</CheckoutLoading>}>
          {(serverData) => <CheckoutOrder number={number} serverData={serverData} />}
        </WithData>
      ) : (
        <CheckoutContent placement={placement} />
      )}
    </div>
  )
}

function CheckoutContent({ placement }: { placement: PlacementState }) {
  const cart = useAtomValue(cartAtom)
  const promotion = useAtomValue(promotionAtom)
  const { quote } = useAtomValue(deliveryChoiceAtom)
  const open = useSetAtom(openCheckoutAtom)
  const isCartLoaded = cart !== undefined
  const loadCartCatalogue = useSetAtom(loadCartCatalogueAtom)
  const checkStock = useSetAtom(checkStockAtom)

  useEffect(() => void loadCartCatalogue(), [loadCartCatalogue])

  // biome-ignore lint/correctness/useExhaustiveDependencies: sending the order checks the stock again
  useEffect(() => {
    if (!cart) return
    void checkStock(cart.map(({ id }) => id))
    void open()
  }, [isCartLoaded, open, checkStock])

  if (cart === undefined) {
    return (
      <>
        <NoScriptNotice
          feature="Checkout"
          explanation="Your cart is stored in your browser, so we can’t take an order without JavaScript."
        />
        <CheckoutLoading>Loading...</CheckoutLoading>
      </>
    )
  }
  if (placement.status === 'checking')
    return <CheckoutLoading>Checking whether your last order was placed...</CheckoutLoading>
  if (cart.length === 0 && placement.status !== 'submitting')
    return <EmptyCheckout error={placement.status === 'editing' ? placement.error : undefined} />

  const totals = calculateCheckoutTotals(cart, promotion, quote.feeKsh)
  return (
    <>
      <CartChangesNotice />
      <ShortageNotice isHidden={placement.status === 'editing' && placement.error?.isOutOfStock === true} />
      <div className="with-summary">
        <CheckoutSummary cart={cart} totals={totals} promotion={promotion} />
        <CheckoutForm cart={cart} totalKsh={centsToKsh(totals.totalCents)} />
      </div>
    </>
  )
}

function EmptyCheckout({ error }: { error: OrderError | undefined }) {
  return (
    <div className="notice">
      <OrderErrorBanner error={error} isCartEmpty />
      <img src="/images/empty-cart.svg" alt="" width="320" height="240" />
      <h2>No items in your cart</h2>
      <a className="button" href={href('home')}>
        Continue Shopping
      </a>
    </div>
  )
}

export { CheckoutPage as Page }

type CheckoutSummaryProps = {
  cart: Cart
  totals: Amounts
  promotion: Promotion | null | undefined
}

function CheckoutSummary({ cart, totals, promotion }: CheckoutSummaryProps) {
  const notice = useAtomValue(promotionNoticeAtom)
  const { quote, terms, zoneNotice } = useAtomValue(deliveryChoiceAtom)
  const [isOpen, setIsOpen] = useState(() => matchMedia('(width >= 60rem)').matches)
  return (
    <section className="panel panel--stitched stack summary checkout__summary" aria-labelledby="summary">
      <h2 id="summary">Order Summary</h2>
      <details
        className="stack"
        open={isOpen}
        onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      >
        <summary>
          <b>{`${formatItemCount(cart)} · ${formatCentsAsKsh(totals.totalCents)}`}</b>{' '}
          <u>{isOpen ? 'Hide summary' : 'View summary'}</u>
        </summary>
        <ul className="checkout__lines">
          {cart.map((line) => (
            <li key={line.id} className="totals__row">
              <span>{keepAmountsUnbroken(`${line.qty} × ${formatNameWithSize(line.title, line.size)}`)}</span>
              <span>{formatCentsAsKsh(calculateLineTotalCents(line))}</span>
            </li>
          ))}
        </ul>
        <OrderTotals
          totals={totals}
          vatPercent={VAT_PERCENT}
          promoCode={promotion?.code}
          lines={cart}
          delivery={quote}
        />
        {totals.shippingCents === 0 && quote.pickup === null && (
          <p className="banner banner--success">You qualify for free shipping!</p>
        )}
        {terms.time && quote.pickup === null && <p>{formatDeliveryTime(terms.time)}</p>}
      </details>
      {zoneNotice !== undefined && <p role="status">{totals.shippingCents > 0 && zoneNotice}</p>}
      <p className="field__error" role="status">
        {notice}
      </p>
    </section>
  )
}
