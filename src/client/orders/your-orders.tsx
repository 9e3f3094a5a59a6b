import { useCallback, useEffect, useRef, useState } from 'react'
import { callApi } from '#client/app/api.ts'
import { ErrorBanner } from '#client/ui/form-status.tsx'
import { Picture } from '#client/ui/picture.tsx'
import { sendVerificationLinkCall } from '#shared/accounts/contract.ts'
import { formatItemCount } from '#shared/cart/cart-lines.ts'
import { THUMBNAIL_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { formatMoney, keepAmountsUnbroken } from '#shared/format.ts'
import { type ListedOrder, listOrdersCall } from '#shared/orders/contract.ts'
import { getOrderStatusLabel } from '#shared/orders/order-status.ts'
import { listBalanceLines } from '#shared/orders/payment-status.ts'
import { href } from '#shared/routes.ts'
import { formatDate } from '#shared/time.ts'

type OrderList = { orders: readonly ListedOrder[]; next: string | null }

export function YourOrders({ isEmailVerified }: { isEmailVerified: boolean }) {
  const [list, setList] = useState<OrderList>()
  const [hasFailed, setHasFailed] = useState(false)
  const isLoadingRef = useRef(false)

  const load = useCallback(async (before: OrderList | undefined) => {
    if (isLoadingRef.current) return
    isLoadingRef.current = true
    setHasFailed(false)
    const page = before?.next ? `?before=${encodeURIComponent(before.next)}` : ''
    const result = await callApi({ ...listOrdersCall, path: listOrdersCall.path + page })
    isLoadingRef.current = false
    if (!result.ok) return setHasFailed(true)
    setList({ orders: [...(before?.orders ?? []), ...result.data.orders], next: result.data.next })
  }, [])

  useEffect(() => void load(undefined), [load])

  return (
    <section className="stack" aria-labelledby="your-orders">
      <h2 id="your-orders">Your orders</h2>
      {!list && !hasFailed && (
        <>
          <OrdersLoading />
          <noscript>
            <p>
              We can’t show your orders here without JavaScript. You’ll find a link to each one in our emails.
            </p>
          </noscript>
        </>
      )}
      {list?.orders.length === 0 && (
        <p>
          {'You haven’t ordered anything yet. '}
          <a href={href('shop')}>Browse the shop</a>
        </p>
      )}
      {list && list.orders.length > 0 && (
        <>
          <OrderTable orders={list.orders} />
          {!isEmailVerified && <ConfirmEmail />}
        </>
      )}
      {hasFailed && (
        <ErrorBanner role="alert">
          <p>We couldn’t load your orders. They’re safe. Please check your connection and try again.</p>
          <button type="button" className="text-button" onClick={() => load(list)}>
            Try again
          </button>
        </ErrorBanner>
      )}
      {list?.next && !hasFailed && (
        <button type="button" className="button button--quiet" onClick={() => load(list)}>
          Show older orders
        </button>
      )}
    </section>
  )
}

function ConfirmEmail() {
  const [status, setStatus] = useState('')
  async function send() {
    setStatus('Sending...')
    const result = await callApi(sendVerificationLinkCall)
    setStatus(
      result.ok
        ? 'We’ve sent the link again. Please check your inbox and your spam folder.'
        : (result.message ?? 'We couldn’t send the email. Please try again.'),
    )
  }
  return (
    <div className="banner">
      <div>
        <p>
          Please confirm your email address with the link we’ve emailed you, so that you keep your saved
          details if you ever reset your password.
        </p>
        <button type="button" className="text-button" onClick={send}>
          Resend the link
        </button>
        <p role="status">{status}</p>
      </div>
    </div>
  )
}

function OrdersLoading() {
  return (
    <div className="stack stack--s only-hydrating" role="status" aria-label="Loading your orders">
      <span className="line" />
      <span className="line line--short" />
    </div>
  )
}

function OrderTable({ orders }: { orders: readonly ListedOrder[] }) {
  return (
    <table className="orders">
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">Status</th>
          <th scope="col">Total</th>
        </tr>
      </thead>
      <tbody>
        {orders.map((order) => (
          <OrderRow key={order.number} order={order} />
        ))}
      </tbody>
    </table>
  )
}

export function OrderRow({ order }: { order: ListedOrder }) {
  const { number, placedAtMs, status, lines, totals, balance, returnStatus } = order
  const isAwaitingPayment = status === 'awaiting_payment'
  const isPaidOnDelivery =
    !isAwaitingPayment && status !== 'delivered' && balance.dueCents > 0 && balance.paidCents === 0
  const notes = [
    ...(isPaidOnDelivery ? ['To pay on delivery'] : []),
    ...(returnStatus ? [returnStatus] : []),
    ...listBalanceLines(balance),
  ]
  return (
    <tr>
      <th scope="row">
        <a className="orders__number" href={href('order', { number })}>
          {lines[0] && (
            <Picture
              className="thumb"
              image={lines[0].image}
              size={THUMBNAIL_PICTURE_SIZE}
              width="32"
              height="40"
              loading="lazy"
            />
          )}
          {number}
        </a>{' '}
        <time dateTime={new Date(placedAtMs).toISOString()}>{formatDate(placedAtMs)}</time>
      </th>
      <td>
        {getOrderStatusLabel(status, order)}
        {notes.map((note) => (
          <div key={note} className="note">
            {note}
          </div>
        ))}
        {balance.dueCents > 0 && (
          <>
            {' '}
            <a
              className="orders__pay"
              href={isAwaitingPayment ? href('checkout', {}, { order: number }) : href('order', { number })}
            >
              {isPaidOnDelivery ? 'Pay now instead' : 'Pay now'}
            </a>
          </>
        )}
      </td>
      <td>
        {keepAmountsUnbroken(formatMoney(totals.totalCents))}
        <div className="note">{formatItemCount(lines)}</div>
      </td>
    </tr>
  )
}
