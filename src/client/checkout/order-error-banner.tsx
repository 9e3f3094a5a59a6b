import { useAtomValue, useSetAtom } from 'jotai'
import { type MouseEvent, useEffect, useRef } from 'react'
import { unitsLeftAtom } from '#client/cart/stock.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { ErrorBanner } from '#client/ui/form-status.tsx'
import type { Cart } from '#shared/cart/cart.ts'
import { keepAmountsUnbroken } from '#shared/format.ts'
import { listShortages, type OrderError, shortageNoticeAtom } from './order-error.ts'
import { limitOrderToStockAtom } from './place-order.ts'

const CART_SAVED_MESSAGE = 'Your cart and details are saved.'
const NOT_CHARGED_MESSAGE = 'You haven’t been charged.'
const SAFE_TO_RETRY_MESSAGE = 'You can also press the button again: you won’t be charged twice.'

type OrderErrorBannerProps = {
  error: OrderError | undefined
  /** While the order is resent, the last error's space stays reserved, so that the button doesn't move. */
  isBusy?: boolean
  /** If true, the message mentions neither a saved cart nor the button, because the page has neither. */
  isCartEmpty?: boolean
}

export function OrderErrorBanner({ error, isBusy = false, isCartEmpty = false }: OrderErrorBannerProps) {
  const lastRef = useRef(error)
  useEffect(() => {
    if (!isBusy) lastRef.current = error
  }, [error, isBusy])
  const shown = error ?? (isBusy ? lastRef.current : undefined)
  return (
    <div role="alert">
      {shown && (
        <ErrorBanner key={error ? 'shown' : 'spacer'} isHidden={!error} isNotice={shown.isNotice}>
          <ErrorExplanation error={shown} isCartEmpty={isCartEmpty} />
        </ErrorBanner>
      )}
    </div>
  )
}

/** Shows shortages that are known before the order is sent. */
export function ShortageNotice({ isHidden }: { isHidden: boolean }) {
  const shortage = useAtomValue(shortageNoticeAtom)
  return (
    <div className="cart-changes" role="status">
      {shortage && !isHidden && (
        <ErrorBanner isNotice>
          <ErrorExplanation error={shortage} isCartEmpty={false} />
        </ErrorBanner>
      )}
    </div>
  )
}

type ErrorExplanationProps = { error: OrderError; isCartEmpty: boolean }

function ErrorExplanation({ error, isCartEmpty }: ErrorExplanationProps) {
  const { message, changes, isOutOfStock } = error
  const sentences = listReassurances(error, isCartEmpty)
  return (
    <>
      <p>{message}</p>
      {changes.length > 0 && (
        <ul>
          {changes.map((change) => (
            <li key={change}>{keepAmountsUnbroken(change)}</li>
          ))}
        </ul>
      )}
      {sentences.length > 0 && <p>{sentences.join(' ')}</p>}
      {isOutOfStock && <LimitToStock />}
    </>
  )
}

function listReassurances({ kind, message, isNotice }: OrderError, isCartEmpty: boolean): string[] {
  if (isNotice) return []
  const saysNotCharged = /haven’t been charged/i.test(message)
  return [
    ...(kind === 'rejected' && !saysNotCharged ? [NOT_CHARGED_MESSAGE] : []),
    ...(kind === 'unclear' && !isCartEmpty ? [SAFE_TO_RETRY_MESSAGE] : []),
    ...(isCartEmpty ? [] : [CART_SAVED_MESSAGE]),
  ]
}

function LimitToStock() {
  const limitOrderToStock = useSetAtom(limitOrderToStockAtom)
  const label = formatReduction(useAtomValue(cartAtom) ?? [], useAtomValue(unitsLeftAtom))
  const onClick = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    // The button disappears. Outside the form, it is above the summary.
    const next =
      currentTarget.form?.querySelector<HTMLElement>('[type=submit]') ??
      document.querySelector<HTMLElement>('.summary summary')
    limitOrderToStock()
    next?.focus()
  }
  return (
    <button type="button" className="button button--quiet" onClick={onClick}>
      {label}
    </button>
  )
}

function formatReduction(cart: Cart, unitsLeft: ReadonlyMap<number, number>): string {
  const shortages = listShortages(cart, unitsLeft)
  if (shortages.every(({ left }) => left <= 0)) return 'Remove the sold-out items'
  return shortages.length === 1 ? `Reduce to ${shortages[0]?.left}` : 'Reduce to what we have left'
}
