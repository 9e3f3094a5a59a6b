import type { OrderTrouble } from '../../state/order-trouble.ts'

const KEPT = 'Your cart and your details are kept.'

/** Why the order was not placed and what to do (§ 8's silence is not good enough); empty, but there, while all is well. */
export function OrderTroubleBanner({ trouble }: { trouble: OrderTrouble | undefined }) {
  return (
    <div role="alert">
      {trouble && (
        <div className="banner banner--error">
          <span className="banner__mark" aria-hidden="true">
            ✕
          </span>
          <div className="stack stack--s">
            <p>{trouble.message}</p>
            {trouble.changes.length > 0 && (
              <ul>
                {trouble.changes.map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
            )}
            <p>{reassurance(trouble)}</p>
          </div>
        </div>
      )}
    </div>
  )
}

function reassurance({ kind, message }: OrderTrouble): string {
  return kind === 'unclear' || /nothing was charged/i.test(message) ? KEPT : `Nothing was charged. ${KEPT}`
}
