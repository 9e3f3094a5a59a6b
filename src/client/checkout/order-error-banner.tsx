import { useSetAtom } from 'jotai'
import { type MouseEvent, useEffect, useRef } from 'react'
import { ErrorBanner } from '#client/ui/form-status.tsx'
import type { OrderError } from './order-error.ts'
import { orderAvailableUnitsAtom } from './place-order.ts'

const CART_SAVED_MESSAGE = 'Your cart and details are saved.'
const NOT_CHARGED_MESSAGE = 'You haven’t been charged.'
const SAFE_TO_RETRY_MESSAGE = 'You can also press the button again: you won’t be charged twice.'

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
  const charge = kind === 'unclear' ? SAFE_TO_RETRY_MESSAGE : NOT_CHARGED_MESSAGE
  const sentences = [/haven’t been charged/i.test(message) ? [] : charge, CART_SAVED_MESSAGE].flat()
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
      <p>{sentences.join(' ')}</p>
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
