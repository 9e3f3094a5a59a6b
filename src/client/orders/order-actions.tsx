import { useAtomValue } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import { CancelOrder } from '#client/checkout/cancel-order.tsx'
import { isClosed } from '#client/checkout/shown-order.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { type OrderRef, orderQuestionHref, receiptHref } from '#shared/orders/order-link.ts'
import { isFullyRefunded } from '#shared/orders/payment-status.ts'
import { RETURN_REQUEST_ID, RETURNS_ID } from '#shared/orders/return-form.ts'
import { shop } from '#shared/shop.ts'
import { OrderAgain } from './order-again.tsx'

const ACTIONS_ID = 'order-actions'

/** Whether "Order again" comes under the order's status rather than last. */
export function hasOrderAgainFirst(order: OrderView['order']): boolean {
  return order.status === 'delivered' || isClosed(order)
}

const hasOrderAgainLast = (order: OrderView['order']) =>
  order.status !== 'awaiting_payment' && !hasOrderAgainFirst(order)

const isTooLateToCancel = ({ status, balance }: OrderView['order']) =>
  ['packed', 'ready', 'shipped'].includes(status) && !isFullyRefunded(balance)

export function OrderLinks({ view }: { view: OrderView }) {
  const { order, returns, returnable, isCancellable } = view
  const hasSeveralActions = order.balance.paidCents > 0 || isCancellable || hasOrderAgainLast(order)
  const links = [
    ...(returnable || returns.length > 0
      ? [[returns.length > 0 ? RETURNS_ID : RETURN_REQUEST_ID, 'Returns and exchanges']]
      : []),
    ...(hasSeveralActions ? [[ACTIONS_ID, 'Manage this order']] : []),
  ]
  if (links.length === 0) return null
  return (
    <nav className="order__actions account-links" aria-label="On this page">
      {links.map(([id, label]) => (
        <a key={id} className="chip" href={`#${id}`}>
          {label}
        </a>
      ))}
    </nav>
  )
}

type OrderActionsProps = { view: OrderView; orderRef: OrderRef }

export function OrderActions({ view, orderRef }: OrderActionsProps) {
  const { order } = view
  const { number, balance } = order
  const contact = useAtomValue(bootAtom).contact ?? shop
  const buttons = (
    <>
      {balance.paidCents > 0 && (
        <>
          <button type="button" className="button button--quiet order__print" onClick={() => print()}>
            Print
          </button>
          <a className="button button--quiet" href={receiptHref(orderRef)} download>
            Download receipt
          </a>
        </>
      )}
      <a className="button button--quiet" href={orderQuestionHref(number, contact)}>
        {contact.whatsapp ? 'Ask on WhatsApp' : 'Email us'}
      </a>
    </>
  )
  return (
    <section className="order__actions stack" aria-labelledby={ACTIONS_ID}>
      <h2 id={ACTIONS_ID}>Manage this order</h2>
      {hasOrderAgainLast(order) ? (
        <OrderAgain order={order}>{buttons}</OrderAgain>
      ) : (
        <div className="order__buttons">{buttons}</div>
      )}
      {view.isCancellable && <CancelOrder order={order} />}
      {view.isOwner && isTooLateToCancel(order) && (
        <p className="note">
          We’ve packed this order, so you can’t cancel it here any more. You can ask us, or return the items
          once you have them.
        </p>
      )}
    </section>
  )
}
