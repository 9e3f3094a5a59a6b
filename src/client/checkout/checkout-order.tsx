import { useAtomValue, useSetAtom } from 'jotai'
import { type ReactNode, useEffect, useState } from 'react'
import { bootAtom } from '#client/app/boot.ts'
import { OrderTotals } from '#client/cart/totals.tsx'
import { useShownHeading } from '#client/ui/use-shown-heading.ts'
import { formatDeliveryTime } from '#shared/checkout/delivery.ts'
import { formatMoney, formatNameWithSize, keepAmountsUnbroken } from '#shared/format.ts'
import type { Order } from '#shared/orders/contract.ts'
import { isFullyRefunded, listPaymentLines } from '#shared/orders/payment-status.ts'
import type { CheckoutView, FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { loadWithRetries } from './load-with-retries.ts'
import { listMessageParagraphs } from './pay-with.tsx'
import { PaymentPanel } from './payment-panel.tsx'
import { applyOrderAtom, isPlaced, loadOrderAtom, type ShownOrder, shownOrderAtom } from './shown-order.ts'

type CheckoutOrderProps = {
  number: string
  /** Null after in-app navigation, or if the server couldn't find or read the order. */
  serverData: CheckoutView
}

export function CheckoutOrder({ number, serverData }: CheckoutOrderProps) {
  const { nowMs } = useAtomValue(bootAtom)
  const shown = useAtomValue(shownOrderAtom)
  const applyOrder = useSetAtom(applyOrderAtom)
  const load = useSetAtom(loadOrderAtom)
  const [error, setError] = useState<'failed' | 'unknown'>()
  const initial = serverData?.order.number === number ? serverData : null
  const isLoaded = shown?.order.number === number

  // biome-ignore lint/correctness/useExhaustiveDependencies: the server's data is used once
  useEffect(() => {
    if (isLoaded) return
    if (initial) return void applyOrder(initial)
    return loadWithRetries(() => load(number), setError)
  }, [number, applyOrder, load])

  if (isLoaded) {
    // The result of a posted form belongs to the payment state that the server sent with it.
    const posted = initial && initial.payment === shown.payment ? initial.posted : null
    return <ShownOrderView {...shown} posted={posted} />
  }
  if (initial) return <ShownOrderView {...initial} {...DEFAULT_CONTEXT} receivedAtMs={nowMs} />
  if (!error) return <CheckoutLoading>Loading...</CheckoutLoading>
  return (
    <div className="notice">
      <h2>{error === 'unknown' ? `We can’t find order ${number}` : `We couldn’t load order ${number}`}</h2>
      <p>
        {error === 'unknown'
          ? 'It may have been placed with a different account. Check your orders, or log in with that account.'
          : 'Please check your connection. You’ll see the order here as soon as it loads.'}
      </p>
      <a className="button" href={href('dashboard')}>
        Your orders
      </a>
    </div>
  )
}

const DEFAULT_CONTEXT = { isNew: false, isFromEarlierAttempt: false, replacedNumber: undefined } as const

function ShownOrderView({ posted, ...shown }: ShownOrder & { posted: FormResult | null }) {
  const { order, payment, replacedNumber } = shown
  return (
    <div className="checkout__placed stack">
      {isPlaced(order) || !payment ? (
        <OrderPlaced {...shown} />
      ) : (
        <PaymentPanel key={order.number} shown={shown} payment={payment} posted={posted} />
      )}
      {replacedNumber && (
        <p className="banner">
          {`Your earlier order ${replacedNumber} wasn’t paid, so we cancelled it. This order replaces it.`}
        </p>
      )}
      <OrderDetails order={order} />
    </div>
  )
}

function OrderPlaced({ order, payment, isNew, isFromEarlierAttempt }: ShownOrder) {
  const { number, status, pickup, balance, email } = order
  const { time } = useAtomValue(bootAtom).delivery
  const headingRef = useShownHeading('placed', isNew)
  return (
    <div className="notice">
      <svg viewBox="0 0 64 64" width="72" height="72" aria-hidden="true">
        <circle cx="32" cy="32" r="29" />
        <path d="M20 33l9 9 16-19" />
      </svg>
      <h2 ref={headingRef} tabIndex={-1}>
        Order Placed Successfully!
      </h2>
      <p className="lead">Thank you for your purchase. You will receive a confirmation email shortly.</p>
      {email && <p>{`We’ll send it to ${email}.`}</p>}
      {isFromEarlierAttempt && <p>Your first attempt went through, so we placed this order only once.</p>}
      {status === 'placed' && !isFullyRefunded(balance) && (
        <p>
          {pickup === null
            ? `We’ll pack it now and email you when it’s on its way.${time ? ` ${formatDeliveryTime(time)}` : ''}`
            : 'We’ll pack it now and email you when it’s ready for pickup.'}
        </p>
      )}
      {balance.dueCents > 0 &&
        payment &&
        listMessageParagraphs(payment).map((paragraph) => <p key={paragraph}>{paragraph}</p>)}
      <div className="order__buttons">
        <a className="button" href={href('order', { number })}>
          View your order
        </a>
        <a className="button button--quiet" href={href('home')}>
          Continue Shopping
        </a>
      </div>
    </div>
  )
}

function OrderDetails({ order }: { order: Order }) {
  const { number, lines, totals, vatPercent, promoCode } = order
  return (
    <section className="panel panel--stitched stack" aria-labelledby="order-number">
      <h3 id="order-number">
        {'Order '}
        <span className="unbroken">{number}</span>
      </h3>
      <ul className="checkout__lines">
        {lines.map(({ productId, title, size, qty, unitPriceCents }) => (
          <li key={`${productId} ${unitPriceCents}`} className="totals__row">
            <span>{keepAmountsUnbroken(`${qty} × ${formatNameWithSize(title, size)}`)}</span>
            <span>{formatMoney(qty * unitPriceCents)}</span>
          </li>
        ))}
      </ul>
      <OrderTotals
        format={formatMoney}
        totals={totals}
        vatPercent={vatPercent}
        promoCode={promoCode}
        lines={lines}
        delivery={order}
      />
      {order.pickup !== null && <p>{`Pickup at our shop: ${order.pickup}`}</p>}
      {listPaymentLines(order).map((line) => (
        <p key={line}>{line}</p>
      ))}
      {!isPlaced(order) && (
        <a className="checkout__follow" href={href('order', { number })}>
          View your order
        </a>
      )}
    </section>
  )
}

export function CheckoutLoading({ children }: { children: ReactNode }) {
  return (
    <div className="panel stack only-hydrating" role="status">
      <p>{children}</p>
      <span className="line" aria-hidden="true" />
      <span className="line line--short" aria-hidden="true" />
    </div>
  )
}
