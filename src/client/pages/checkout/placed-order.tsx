import { useAtomValue, useSetAtom } from 'jotai'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { href } from '#shared/routes.ts'
import { formatKsh } from '#shared/rules/format.ts'
import { kshOf } from '#shared/rules/pricing.ts'
import { loadOrderAtom, type PlacedOrder as Placed, placedOrderAtom } from '../../state/order.ts'
import { Totals } from '../../ui/totals.tsx'
import { rowsOf } from './checkout-summary.tsx'

/** The order of `/checkout?order=…`: placed a moment ago, or read again after a reload. */
export function PlacedOrder({ number }: { number: string }) {
  const placed = useAtomValue(placedOrderAtom)
  const load = useSetAtom(loadOrderAtom)
  const [error, setError] = useState<'failed' | 'unknown'>()

  useEffect(() => {
    let isUnmounted = false
    void load(number).then((failure) => isUnmounted || setError(failure))
    return () => {
      isUnmounted = true
    }
  }, [number, load])

  if (placed?.order.number === number) return <OrderPlaced {...placed} />
  if (!error) return <CheckoutLoading>Loading...</CheckoutLoading>
  return (
    <div className="notice">
      <h2>{error === 'unknown' ? `There is no order ${number}` : 'Your order could not be shown'}</h2>
      <p>
        {error === 'unknown'
          ? 'It may have been placed with another account.'
          : 'There is no connection to the shop just now. Please reload this page in a moment.'}
      </p>
      <a className="button" href={href('dashboard')}>
        Your orders
      </a>
    </div>
  )
}

/** "Order Placed Successfully!", with the order's number, lines and total (§ 2). */
function OrderPlaced({ order, isNew, isEarlier }: Placed) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (!isNew) return
    heading.current?.focus({ preventScroll: true })
    scrollTo({ top: 0 })
  }, [isNew])

  const { number, lines, totals, promoCode, card } = order
  return (
    <div className="checkout__placed stack">
      <div className="notice">
        <svg viewBox="0 0 64 64" width="72" height="72" aria-hidden="true">
          <circle cx="32" cy="32" r="29" />
          <path d="M20 33l9 9 16-19" />
        </svg>
        <h2 ref={heading} tabIndex={-1}>
          Order Placed Successfully!
        </h2>
        <p className="lead">Thank you for your purchase. You will receive a confirmation email shortly.</p>
        {isEarlier && <p>Your first attempt had already placed this order. It was placed only once.</p>}
        <a className="button" href={href('home')}>
          Continue Shopping
        </a>
      </div>
      <section className="panel panel--stitched stack" aria-labelledby="order-number">
        <h3 id="order-number">{`Order ${number}`}</h3>
        <ul className="checkout__lines">
          {lines.map(({ productId, title, qty, unitPriceCents }) => (
            <li key={productId}>
              <span>{`${qty} × ${title}`}</span>
              <span>{formatKsh(kshOf(qty * unitPriceCents))}</span>
            </li>
          ))}
        </ul>
        <Totals rows={rowsOf(totals, promoCode, lines.length)} />
        {card && <p>{`Card: ${card.brand} ending in ${card.lastFour}`}</p>}
      </section>
    </div>
  )
}

/** While checkout loads what it shows. */
export function CheckoutLoading({ children }: { children: ReactNode }) {
  return (
    <div className="panel stack only-hydrating" role="status">
      <p>{children}</p>
      <span className="line" aria-hidden="true" />
      <span className="line line--short" aria-hidden="true" />
    </div>
  )
}
