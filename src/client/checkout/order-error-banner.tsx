import { useSetAtom } from 'jotai'
import { type MouseEvent, useEffect, useRef } from 'react'
import { ErrorBanner } from '#client/ui/form-status.tsx'
import type { OrderError } from './order-error.ts'
import { orderAvailableUnitsAtom } from './place-order.ts'

const CART_SAVED_MESSAGE = 'Your cart and details are saved.'

type OrderErrorBannerProps = {
  error: OrderError | undefined
  /** While the order is resent, the last error's space stays reserved, so that the button doesn't move. */
  isBusy?: boolean
}

export function OrderErrorBanner({ error, isBusy = false }: OrderErrorBannerProps) {
  const lastRef = useRef(error)
  useEffect(() => {
    if (!isBusy) lastRef.current = error
  }, [error, isBusy])
  return (
    <div role="alert">
      {error ? (
        <ErrorBanner key="shown">
          <ErrorExplanation error={error} />
        </ErrorBanner>
      ) : (
        isBusy &&
        lastRef.current && (
          <ErrorBanner key="spacer" isHidden>
            <ErrorExplanation error={lastRef.current} />
          </ErrorBanner>
        )
      )}
    </div>
  )
}

function ErrorExplanation({ error }: { error: OrderError }) {
  const { kind, message, changes, isOutOfStock } = error
  const mentionsCharge = kind === 'unclear' || /haven’t been charged/i.test(message)
  return (
    <>
      <p>{message}</p>
      {changes.length > 0 && (
        <ul>
          {changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      )}
      <p>{mentionsCharge ? CART_SAVED_MESSAGE : `You haven’t been charged. ${CART_SAVED_MESSAGE}`}</p>
      {isOutOfStock && <ContinueWithAvailable />}
    </>
  )
}

function ContinueWithAvailable() {
  const orderAvailableUnits = useSetAtom(orderAvailableUnitsAtom)
  const onClick = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    const submit = currentTarget.form?.querySelector<HTMLButtonElement>('[type=submit]')
    orderAvailableUnits()
    submit?.focus()
  }
  return (
    <button type="button" className="button button--quiet" onClick={onClick}>
      Order the remaining items
    </button>
  )
}
