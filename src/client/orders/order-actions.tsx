import { useAtomValue, useSetAtom } from 'jotai'
import { type ReactNode, useState } from 'react'
import { bootAtom } from '#client/app/boot.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { CancelOrder } from '#client/checkout/cancel-order.tsx'
import type { OrderView } from '#shared/orders/contract.ts'
import { type OrderRef, orderQuestionHref, receiptHref } from '#shared/orders/order-link.ts'
import type { ReorderResult } from '#shared/orders/reorder.ts'
import { RETURNS_ID } from '#shared/orders/return-form.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { orderAgainAtom } from './order-view.ts'

const DOUBLE_TAP_MS = 600

const ACTIONS_ID = 'order-actions'

export function OrderLinks({ view }: { view: OrderView }) {
  const { returns, returnable } = view
  const links = [
    ...(returnable || returns.length > 0 ? [[RETURNS_ID, 'Returns and exchanges']] : []),
    [ACTIONS_ID, 'Manage this order'],
  ]
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
  const { number, balance } = view.order
  const contact = useAtomValue(bootAtom).contact ?? shop
  return (
    <section className="order__actions stack" aria-labelledby={ACTIONS_ID}>
      <h2 id={ACTIONS_ID}>Manage this order</h2>
      <OrderAgain view={view}>
        {balance.paidCents > 0 && (
          <>
            <button type="button" className="button button--quiet order__print" onClick={() => print()}>
              Print receipt
            </button>
            <a className="button button--quiet" href={receiptHref(orderRef)} download>
              Download receipt
            </a>
          </>
        )}
        <a className="button button--quiet" href={orderQuestionHref(number, contact)}>
          {contact.whatsapp ? 'Ask on WhatsApp' : 'Email us'}
        </a>
      </OrderAgain>
      {view.isCancellable && <CancelOrder order={view.order} />}
    </section>
  )
}

type OrderAgainProps = { view: OrderView; children: ReactNode }

function OrderAgain({ view: { order }, children }: OrderAgainProps) {
  const isCartRead = useAtomValue(cartAtom) !== undefined
  const orderAgain = useSetAtom(orderAgainAtom)
  const [done, setDone] = useState<ReorderResult | 'failed'>()
  const [isBusy, setBusy] = useState(false)

  async function addLines() {
    if (isBusy || !isCartRead) return
    setBusy(true)
    setDone((await orderAgain(order.lines)) ?? 'failed')
    setTimeout(setBusy, DOUBLE_TAP_MS, false)
  }

  return (
    <>
      <div className="order__buttons">
        {order.status !== 'awaiting_payment' && (
          <button
            type="button"
            className="button button--quiet order__again"
            aria-busy={isBusy}
            onClick={addLines}
          >
            Order again
          </button>
        )}
        {children}
      </div>
      <div role="status">
        {done === 'failed' && (
          <p className="banner banner--error">We couldn’t load the products. Please try again in a minute.</p>
        )}
        {done && done !== 'failed' && <OrderAgainResult done={done} />}
      </div>
    </>
  )
}

function OrderAgainResult({ done: { hasLinesInCart, sentences } }: { done: ReorderResult }) {
  return (
    <div className="banner">
      <div className="stack stack--s">
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        {hasLinesInCart && (
          <a className="button" href={href('cart')}>
            Go to Cart
          </a>
        )}
      </div>
    </div>
  )
}
