import { useAtomValue } from 'jotai'
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { bootAtom } from '#client/app/boot.ts'
import { isDocumentLoad, type PageLocation, type PageProps, viewAtom } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { userAtom } from '#client/app/session.ts'
import { OrderTotals, Totals } from '#client/cart/totals.tsx'
import { PAYMENT_HEADING_ID, PaymentMessage } from '#client/checkout/pay-with.tsx'
import { isClosed } from '#client/checkout/shown-order.ts'
import { Picture } from '#client/ui/picture.tsx'
import { useShownHeading } from '#client/ui/use-shown-heading.ts'
import { THUMBNAIL_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { formatDeliveryTime } from '#shared/checkout/delivery.ts'
import { formatMoney, formatNameWithSize, keepAmountsUnbroken } from '#shared/format.ts'
import type { OrderView, ViewedOrder } from '#shared/orders/contract.ts'
import { ORDER_KEY_PARAM, type OrderRef } from '#shared/orders/order-link.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import { isFullyRefunded } from '#shared/orders/payment-status.ts'
import { getReturnElementId, isReturnForm } from '#shared/orders/return-form.ts'
import { formatReturnStatus, RETURN_DECISION_PROMISE } from '#shared/orders/returns.ts'
import type { FormResult, OrderPageView } from '#shared/page-data.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import { href, routes } from '#shared/routes.ts'
import { formatDateTime } from '#shared/time.ts'
import { hasOrderAgainFirst, OrderActions, OrderLinks } from './order-actions.tsx'
import { OrderAgain } from './order-again.tsx'
import { OrderLoading, OrderOffline, UnknownOrder } from './order-placeholders.tsx'
import { OrderReturns } from './order-returns.tsx'
import { OrderSteps } from './order-steps.tsx'
import { fetchOrderView } from './order-view.ts'
import { PayByLink } from './pay-by-link.tsx'

const RETRY_MS = 15_000

function OrderPage({ location, data }: PageProps<'order'>) {
  const { storedAtMs, isSlow } = useAtomValue(bootAtom)
  const view = useAtomValue(viewAtom)
  const isFromServiceWorker = storedAtMs !== null && view !== null && isDocumentLoad(view)
  const loading = isFromServiceWorker && !isSlow ? <OrderOffline /> : <OrderLoading />
  const fallback = isFromServiceWorker ? (
    <StoredOrder orderRef={parseOrderRef(location)}>{loading}</StoredOrder>
  ) : (
    loading
  )
  return (
    <WithData source={data} fallback={fallback}>
      {(serverData) =>
        serverData ? (
          <OrderContent serverData={serverData} orderRef={parseOrderRef(location)} />
        ) : (
          <UnknownOrder {...parseOrderRef(location)} />
        )
      }
    </WithData>
  )
}

function parseOrderRef({ params, search }: PageLocation): OrderRef {
  return { number: params.number ?? '', key: search.get(ORDER_KEY_PARAM) }
}

async function loadViewedOrders() {
  const { loadOffline } = await import('#client/app/after-hydration.ts')
  const { viewedOrders } = await loadOffline()
  return viewedOrders
}

/** Shows the order as it was when the shopper last opened it on this device, or else the children. */
function StoredOrder({ orderRef, children }: { orderRef: OrderRef; children: ReactNode }) {
  const account = useAtomValue(userAtom)?.email
  const number = orderRef.number.toUpperCase()
  const [stored, setStored] = useState<ViewedOrder>()
  useEffect(() => {
    if (!account) return
    loadViewedOrders()
      .then(({ readViewedOrder }) => readViewedOrder(number, account))
      .then(setStored, () => {})
  }, [number, account])
  if (!account || !stored) return children
  return <OrderContent serverData={stored.view} orderRef={orderRef} savedAtMs={stored.savedAtMs} />
}

function useStoredView(view: OrderView, isStored: boolean): void {
  const account = useAtomValue(userAtom)?.email
  useEffect(() => {
    if (isStored || !account || !view.isOwner) return
    const savedAtMs = Date.now()
    let isOutdated = false
    // Waits for the service worker, because orders can't be opened offline without it.
    void navigator.serviceWorker?.ready.then(loadViewedOrders).then(({ storeViewedOrder }) => {
      if (!isOutdated) void storeViewedOrder({ view, savedAtMs }, account)
    })
    return () => {
      isOutdated = true
    }
  }, [view, isStored, account])
}

type OrderContentProps = {
  serverData: OrderPageView
  orderRef: OrderRef
  /** When the order was stored in the browser. Undefined if it comes from the server. */
  savedAtMs?: number
}

function OrderContent({ serverData, orderRef, savedAtMs }: OrderContentProps) {
  const { view, setView, isOffline } = usePolledOrder(serverData, orderRef)
  useStoredView(view, savedAtMs !== undefined)
  const { order, placedOn, steps, payment } = view
  const isOpen = payment.status === 'waiting' || payment.status === 'failed'
  const isPayable = isOpen && (savedAtMs === undefined || order.status === 'awaiting_payment')
  const isDelivered = order.status === 'delivered'
  const headingRef = useShownHeading(isOpen ? 'open' : payment.status)
  const { posted } = serverData
  const isReturnPosted = posted !== undefined && isReturnForm(Object.keys(posted.values))
  return (
    <article className="page order stack stack--l">
      <header className="stack stack--s">
        <p className="eyebrow">{`Ordered on ${placedOn}`}</p>
        <h1 ref={headingRef} tabIndex={-1}>
          {'Order '}
          <span className="unbroken">{order.number}</span>
        </h1>
        <p className="lead" role="status">
          <StatusMessage view={view} />
        </p>
        {savedAtMs !== undefined && <p>{`Last updated ${formatDateTime(savedAtMs)}.`}</p>}
        {isPayable && isDelivered && (
          <div className="order__buttons">
            <a className="button" href={`#${PAYMENT_HEADING_ID}`}>
              {`Pay ${formatMoney(payment.dueCents)}`}
            </a>
          </div>
        )}
        {hasOrderAgainFirst(order) && (
          <OrderAgain order={order}>{isDelivered && <OrderLinks view={view} />}</OrderAgain>
        )}
        {!isDelivered && <OrderLinks view={view} />}
      </header>
      {steps.length > 0 && <OrderSteps steps={steps} order={order} />}
      <div className="with-summary">
        <div className="stack">
          {isPayable && (
            <PayNow
              view={view}
              isOffline={isOffline}
              orderRef={orderRef}
              posted={isReturnPosted ? undefined : posted}
              onChange={setView}
            />
          )}
          <OrderLines view={view} />
        </div>
        <OrderSummary view={view} />
      </div>
      <OrderReturns view={view} orderRef={orderRef} posted={isReturnPosted ? posted : undefined} />
      <OrderActions view={view} orderRef={orderRef} />
    </article>
  )
}

const STATUS_MESSAGES: Partial<Record<OrderStatus, string>> = {
  placed: 'We’ve received your order and we’re packing it with care.',
  packed: 'Your order is packed and waiting for the rider.',
  shipped: 'Your order is on its way.',
  ready: 'Your order is ready for pickup at our shop.',
  delivered: 'Your order has been delivered. We hope you love it.',
  cancelled: 'This order was cancelled.',
  expired: 'This order has expired.',
}

const PICKUP_MESSAGES: Partial<Record<OrderStatus, string>> = {
  packed: 'Your order is packed. We’ll let you know when you can pick it up.',
  delivered: 'You’ve picked up your order. We hope you love it.',
}

function StatusMessage({
  view: { order, payment, returns, currentReturn, expectedBy, isOwner },
}: {
  view: OrderView
}) {
  const { time } = useAtomValue(bootAtom).delivery
  if (isClosed(order)) return `${STATUS_MESSAGES[order.status]} ${payment.message}`
  if (order.status === 'shipped' && time)
    return `${getStatusMessage(order)} ${formatExpectation(expectedBy) || formatDeliveryTime(time)}`
  const current = currentReturn === null ? undefined : returns[currentReturn]
  if (order.status !== 'delivered' || currentReturn === null || !current)
    return `${getStatusMessage(order)}${isOwner ? getEmailMessage(order) : ''}`
  if (isReceivedExchange(current)) return current.nextSteps[0]
  return (
    <>
      <a href={`#${getReturnElementId(currentReturn, returns.length)}`}>{formatReturnStatus(current)}</a>
      {current.state === 'requested' && `. ${RETURN_DECISION_PROMISE}`}
    </>
  )
}

function getStatusMessage({ status, pickup, balance, email }: OrderView['order']): string {
  const isOnItsWay = status === 'shipped' || status === 'ready'
  const isRefundDue = status === 'delivered' && balance.refundDueCents > 0
  if (isRefundDue || (!isOnItsWay && isFullyRefunded(balance)))
    return balance.refundDueCents > 0
      ? `We’ve started a refund of ${formatMoney(balance.refundDueCents)} for this order.${email ? ' We’ll email you when it’s complete.' : ''}`
      : `We’ve refunded ${formatMoney(balance.refundedCents)} for this order.`
  return (pickup === null ? undefined : PICKUP_MESSAGES[status]) ?? STATUS_MESSAGES[status] ?? ''
}

function getEmailMessage({ status, email, balance }: OrderView['order']): string {
  const isConfirmed = status === 'placed' && email !== '' && !isFullyRefunded(balance)
  return isConfirmed ? ` We’ve emailed your confirmation to ${email}.` : ''
}

function usePolledOrder(serverData: OrderView, { number, key }: OrderRef) {
  // After a navigation, `serverData` may belong to another order or be newer than the last poll.
  const [latest, setLatest] = useState({ serverData, view: serverData })
  const view = latest.serverData === serverData ? latest.view : serverData
  const { pollInMs } = view.payment
  const [failures, setFailures] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each response and each failure
  useEffect(() => {
    if (pollInMs === null) return
    let isUnmounted = false
    async function poll() {
      if (document.hidden) return
      const latestView = await fetchOrderView({ number, key })
      if (isUnmounted) return
      if (latestView) setLatest({ serverData, view: latestView })
      setFailures((count) => (latestView ? 0 : count + 1))
    }
    const timer = setTimeout(poll, failures > 0 ? RETRY_MS : pollInMs)
    document.addEventListener('visibilitychange', poll)
    return () => {
      isUnmounted = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', poll)
    }
  }, [view, failures, number, key])

  const setView = (next: OrderView) => setLatest({ serverData, view: next })
  return { view, setView, isOffline: failures > 0 }
}

type PayNowProps = {
  view: OrderView
  isOffline: boolean
  orderRef: OrderRef
  posted: FormResult | undefined
  onChange: (view: OrderView) => void
}

function PayNow({ view, isOffline, orderRef, posted, onChange }: PayNowProps) {
  const { order, isOwner, payment, reservedUntil } = view
  const isUnplaced = order.status === 'awaiting_payment'
  const isPayOnDelivery = hasFlow(payment.provider, 'on-delivery') && !isUnplaced
  const { number } = order
  const headingRef = useShownHeading([payment.status, payment.provider, payment.message].join())
  return (
    <section className="panel panel--stitched stack payment" aria-labelledby={PAYMENT_HEADING_ID}>
      <div className="stack stack--s" role="status">
        <h2 id={PAYMENT_HEADING_ID} ref={headingRef} tabIndex={-1}>
          {getPayHeading(view, isPayOnDelivery)}
        </h2>
        <PaymentMessage payment={payment} isOffline={isOffline} />
        {isPayOnDelivery && <p>You can also pay now.</p>}
      </div>
      <Totals rows={[{ label: 'Amount due', value: formatMoney(payment.dueCents), isStrong: true }]} />
      {isOwner && reservedUntil && <p className="note">{`We’ll hold your items until ${reservedUntil}.`}</p>}
      {isOwner && isUnplaced ? (
        <a className="button button--wide" href={href('checkout', {}, { order: number })}>
          {payment.status === 'waiting' ? 'Continue payment' : 'Pay now'}
        </a>
      ) : (
        <PayByLink payment={payment} orderRef={orderRef} posted={posted} onChange={onChange} />
      )}
    </section>
  )
}

const isReceivedExchange = ({ kind, state }: OrderView['returns'][number]) =>
  kind === 'exchange' && state === 'received'

function getPayHeading({ order, payment, returns, isOwner }: OrderView, isPayOnDelivery: boolean): string {
  if (isPayOnDelivery) return 'Pay on delivery'
  if (order.balance.paidCents > 0)
    return returns.some(isReceivedExchange) ? 'Pay for your exchange' : 'Still to pay'
  if (payment.status === 'waiting') return 'Waiting for your payment'
  return isOwner ? 'Not paid yet' : 'Pay for this order'
}

function OrderLines({ view: { order, lineNotes } }: { view: OrderView }) {
  return (
    <section className="panel stack" aria-labelledby="order-lines">
      <h2 id="order-lines">Items in this order</h2>
      <ul className="order__lines">
        {order.lines.map(({ productId, title, size, image, qty, unitPriceCents }, index) => (
          <li key={`${productId} ${unitPriceCents}`} className="order__line">
            <Picture
              className="thumb"
              image={image}
              size={THUMBNAIL_PICTURE_SIZE}
              width="80"
              height="100"
              loading="lazy"
            />
            <p className="order__title item-title">
              <a href={href('product', { id: productId })}>
                {keepAmountsUnbroken(formatNameWithSize(title, size))}
              </a>
            </p>
            <p className="order__unit-price note">
              {keepAmountsUnbroken(`${qty} × ${formatMoney(unitPriceCents)}`)}
              {lineNotes[index] && (
                <>
                  <br />
                  {lineNotes[index]}
                </>
              )}
            </p>
            <p>{formatMoney(qty * unitPriceCents)}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function OrderSummary({ view: { order, address, extras, payments, expectedBy } }: { view: OrderView }) {
  const { delivery } = useAtomValue(bootAtom)
  const { totals, vatPercent, promoCode, lines } = order
  return (
    <section className="panel panel--stitched stack summary" aria-labelledby="order-sums">
      <h2 id="order-sums">{order.balance.paidCents > 0 ? 'Receipt' : 'Order summary'}</h2>
      <OrderTotals
        format={formatMoney}
        totals={totals}
        vatPercent={vatPercent}
        promoCode={promoCode}
        lines={lines}
        delivery={order}
      />
      {payments.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <h3>{order.pickup === null ? 'Delivery address' : 'Pickup at our shop'}</h3>
      <address className="order__address">
        {address.map((line) => (
          <span key={line}>{line}</span>
        ))}
      </address>
      {delivery.time && order.status !== 'shipped' && expectsDelivery(order) && (
        <p>{`${formatDeliveryTime(delivery.time)} ${formatExpectation(expectedBy)}`.trim()}</p>
      )}
      {extras.map(({ heading, text }) => (
        <Fragment key={heading}>
          <h3>{heading}</h3>
          <p className="order__extra">{text}</p>
        </Fragment>
      ))}
    </section>
  )
}

const formatExpectation = (expectedBy: string | null) =>
  expectedBy === null ? '' : `Expect it by ${expectedBy}.`

function expectsDelivery(order: OrderView['order']): boolean {
  const { status, pickup, balance } = order
  return pickup === null && status !== 'delivered' && !isClosed(order) && !isFullyRefunded(balance)
}

export { OrderPage as Page }

export async function load(location: PageLocation): Promise<OrderView | null> {
  const view = await fetchOrderView(parseOrderRef(location))
  if (view === undefined) throw new TypeError('We couldn’t load this order.')
  return view
}

export function title(view: OrderView | null): string {
  return view ? `Order ${view.order.number}` : routes.order.title
}
