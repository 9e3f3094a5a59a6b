import { useEffect, useRef } from 'react'
import type { Order } from '#shared/contract/orders.ts'
import { href } from '#shared/routes.ts'
import { formatKsh } from '#shared/rules/format.ts'
import { kshOf } from '#shared/rules/pricing.ts'
import { Totals } from '../../ui/totals.tsx'
import { rowsOf } from './checkout-summary.tsx'

type OrderPlacedProps = {
  order: Order
  /** It was placed a moment ago: focus moves here. */
  isNew: boolean
  /** It came from an earlier try whose answer was lost. */
  isEarlier: boolean
}

/** "Order Placed Successfully!", with the order's number, lines and total (§ 2). */
export function OrderPlaced({ order, isNew, isEarlier }: OrderPlacedProps) {
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
        {isEarlier && (
          <p>Your earlier try had gone through after all, so this is that order. It was placed only once.</p>
        )}
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
