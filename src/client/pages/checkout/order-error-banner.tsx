import type { OrderError } from '../../state/order-error.ts'

const KEPT = 'Your cart and your details are kept.'

type OrderErrorBannerProps = {
  error: OrderError | undefined
  /** What stood here before the order was sent again: its room is kept, so that the button stays where it is. */
  before?: OrderError | undefined
}

/** Why the order was not placed and what to do (§ 8's silence is not good enough); empty, but there, while all is well. */
export function OrderErrorBanner({ error, before }: OrderErrorBannerProps) {
  return (
    <div role="alert">
      {error ? (
        <Trouble key="shown" error={error} />
      ) : (
        before && <Trouble key="room" error={before} isHidden />
      )}
    </div>
  )
}

function Trouble({ error, isHidden }: { error: OrderError; isHidden?: boolean }) {
  return (
    <div className="banner banner--error" aria-hidden={isHidden}>
      <span className="banner__mark" aria-hidden="true">
        ✕
      </span>
      <div className="stack stack--s">
        <p>{error.message}</p>
        {error.changes.length > 0 && (
          <ul>
            {error.changes.map((change) => (
              <li key={change}>{change}</li>
            ))}
          </ul>
        )}
        <p>{reassurance(error)}</p>
      </div>
    </div>
  )
}

function reassurance({ kind, message }: OrderError): string {
  return kind === 'unclear' || /nothing was charged/i.test(message) ? KEPT : `Nothing was charged. ${KEPT}`
}
