import { useAtom, useAtomValue, useSetAtom, useStore } from 'jotai'
import { type ReactNode, useEffect } from 'react'
import { messageBarAtom, viewAtom } from '#client/app/router/page.ts'
import { sessionAtom } from '#client/app/session.ts'
import { CloseButton } from '#client/app/toast-area.tsx'
import { href } from '#shared/routes.ts'
import { lookUpSubmittedOrderAtom, placementAtom, recheckCheckoutAttemptAtom } from './attempt-outcome.ts'
import { hasOpenOrderAtom } from './has-open-order.ts'
import { resetPlacementAtom } from './place-order.ts'
import { isClosed, isPlaced, shownOrderAtom } from './shown-order.ts'
import { checkoutAttemptAtom } from './stored-attempt.ts'
import { watchPayment } from './watch-payment.ts'

/** Hidden on checkout and on the order's own page, which show the outcome themselves. */
export function OrderNotice() {
  const store = useStore()
  const session = useAtomValue(sessionAtom).status
  const isSignedIn = session === 'signed-in'
  const page = useAtomValue(viewAtom)?.location
  const flashMessage = useAtomValue(messageBarAtom)
  const isAtCheckout = page?.name === 'checkout'
  const placement = useAtomValue(placementAtom)
  const checkoutAttempt = useAtomValue(checkoutAttemptAtom)
  const { order, payment } = useAtomValue(shownOrderAtom) ?? {}
  const [hasOpenOrder, setHasOpenOrder] = useAtom(hasOpenOrderAtom)
  const resetPlacement = useSetAtom(resetPlacementAtom)
  const lookUpSubmittedOrder = useSetAtom(lookUpSubmittedOrderAtom)
  const recheck = useSetAtom(recheckCheckoutAttemptAtom)

  const isBeingPlaced = placement.status === 'submitting' || placement.status === 'checking'
  const error = placement.status === 'editing' ? placement.error : undefined
  const isResolved = order !== undefined && (isPlaced(order) || isClosed(order))
  const numberInUrl = page?.params.number?.toUpperCase()
  const isOnOrderPage = order !== undefined && numberInUrl === order.number
  const hasSeenOutcome =
    !isBeingPlaced && ((isAtCheckout && (isResolved || error?.kind === 'rejected')) || isOnOrderPage)
  const isPaymentPending = hasOpenOrder && !isAtCheckout && payment?.status === 'waiting'

  useEffect(() => {
    if (session === 'signed-out') releaseReservedSpace()
    if (isSignedIn && !isAtCheckout) void lookUpSubmittedOrder().finally(releaseReservedSpace)
  }, [session, isSignedIn, isAtCheckout, lookUpSubmittedOrder])

  useEffect(() => {
    const onOnline = () => void recheck()
    addEventListener('online', onOnline)
    return () => removeEventListener('online', onOnline)
  }, [recheck])

  useEffect(() => {
    if (hasSeenOutcome) setHasOpenOrder(false)
  }, [hasSeenOutcome, setHasOpenOrder])

  // The cart may change before checkout opens, so checkout must look up an unpaid order again.
  const isUnpaidElsewhere =
    placement.status === 'ordered' && !isAtCheckout && order !== undefined && !isPlaced(order)
  useEffect(() => {
    if (isOnOrderPage || isUnpaidElsewhere) resetPlacement()
  }, [isOnOrderPage, isUnpaidElsewhere, resetPlacement])

  useEffect(() => (isPaymentPending ? watchPayment(store) : undefined), [isPaymentPending, store])

  const isShownByPage =
    isOnOrderPage || (checkoutAttempt?.number !== undefined && numberInUrl === checkoutAttempt.number)
  if (!hasOpenOrder || !isSignedIn || isAtCheckout || isShownByPage) return null
  if (isBeingPlaced) {
    const { number, content = '', sentAtMs } = checkoutAttempt ?? {}
    const isSubmitting = placement.status === 'submitting' && sentAtMs !== undefined
    return (
      <NoticeBar>
        <p>{isSubmitting ? formatSubmission(content) : formatCheck(number)}</p>
      </NoticeBar>
    )
  }
  const close = () => {
    resetPlacement()
    setHasOpenOrder(false)
  }
  if (error && !error.isNotice) {
    return (
      <NoticeBar onClose={close}>
        <p>{error.message}</p>
        {error.kind === 'unclear' && checkoutAttempt?.number !== undefined ? (
          <CheckoutLink number={checkoutAttempt.number} label={`View order ${checkoutAttempt.number}`} />
        ) : (
          <a className="checkout__follow" href={href('checkout')}>
            Back to checkout
          </a>
        )}
      </NoticeBar>
    )
  }
  // An offline message takes the place of this notice.
  if (!order || isClosed(order) || (flashMessage && typeof flashMessage === 'string')) return null
  const { number } = order
  if (isPlaced(order))
    return (
      <NoticeBar isSuccess onClose={close}>
        <p>Order Placed Successfully!</p>
        <a className="checkout__follow" href={href('order', { number })}>{`View order ${number}`}</a>
      </NoticeBar>
    )
  return (
    <NoticeBar onClose={close}>
      <p>
        {'Order '}
        <span className="unbroken">{number}</span>
        {' isn’t paid.'}
      </p>
      <CheckoutLink number={number} label={payment?.status === 'waiting' ? 'Continue' : 'Pay now'} />
    </NoticeBar>
  )
}

function formatSubmission(content: string): string {
  return `We’re placing your order${content && `: ${content}`}. Changes you make to your cart now won’t be part of it.`
}

function formatCheck(number: string | undefined): string {
  return number === undefined
    ? 'Checking whether your last order was placed...'
    : `Checking order ${number}...`
}

/** `start.ts` reserved it. */
function releaseReservedSpace() {
  delete document.documentElement.dataset.order
}

function CheckoutLink({ number, label }: { number: string; label: string }) {
  return (
    <a className="checkout__follow" href={href('checkout', {}, { order: number })}>
      {label}
    </a>
  )
}

type NoticeBarProps = { children: ReactNode; isSuccess?: boolean; onClose?: () => void }

function NoticeBar({ children, isSuccess, onClose }: NoticeBarProps) {
  return (
    <div className={`order-notice banner${isSuccess ? ' banner--success' : ''}`}>
      <div className="order-notice__text">{children}</div>
      {onClose && <CloseButton onClick={onClose} />}
    </div>
  )
}
