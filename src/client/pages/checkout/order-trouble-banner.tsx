import type { OrderTrouble } from '../../state/order-trouble.ts'

const KEPT = 'Your cart and your details are kept.'

type OrderTroubleBannerProps = {
  trouble: OrderTrouble | undefined
  /** What stood here before the order was sent again: its room is kept, so that the button stays where it is. */
  before?: OrderTrouble | undefined
}

/** Why the order was not placed and what to do (§ 8's silence is not good enough); empty, but there, while all is well. */
export function OrderTroubleBanner({ trouble, before }: OrderTroubleBannerProps) {
  return (
    <div role="alert">
      {trouble ? (
        <Trouble key="shown" trouble={trouble} />
      ) : (
        before && <Trouble key="room" trouble={before} isHidden />
      )}
    </div>
  )
}

function Trouble({ trouble, isHidden }: { trouble: OrderTrouble; isHidden?: boolean }) {
  return (
    <div className="banner banner--error" aria-hidden={isHidden}>
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
  )
}

function reassurance({ kind, message }: OrderTrouble): string {
  return kind === 'unclear' || /nothing was charged/i.test(message) ? KEPT : `Nothing was charged. ${KEPT}`
}
