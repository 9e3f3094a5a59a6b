import type { OrderView } from '#shared/orders/contract.ts'
import { getOrderStatusLabel } from '#shared/orders/order-status.ts'

/** Matches Kenyan numbers, such as `0712 345 678` or `+254712345678`. */
const PHONE_PATTERN = /((?:\+254[\s-]?|\b0)\d{3}[\s-]?\d{3}[\s-]?\d{3}\b)/

function withPhoneLinks(text: string) {
  return text.split(PHONE_PATTERN).map((part, index) =>
    PHONE_PATTERN.test(part) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the text doesn't change
      <a key={index} href={`tel:${part.replace(/[\s-]/g, '')}`}>
        {part}
      </a>
    ) : (
      part
    ),
  )
}

type OrderStepsProps = Pick<OrderView, 'steps' | 'order'>

export function OrderSteps({ steps, order }: OrderStepsProps) {
  const { status } = order
  return (
    <section aria-labelledby="order-steps">
      <h2 id="order-steps" className="visually-hidden">
        Status
      </h2>
      <ol className="steps">
        {steps.map(({ status: step, at, atMs, note, trackingAddress }) => (
          <li
            key={step}
            className={step === 'cancelled' ? 'steps__step steps__step--cancelled' : 'steps__step'}
            data-reached={at !== null || step === status || undefined}
            aria-current={step === status ? 'step' : undefined}
          >
            <p className="item-title">{getOrderStatusLabel(step, order)}</p>
            {at !== null && atMs !== null && (
              <time className="steps__time" dateTime={new Date(atMs).toISOString()}>
                {at}
              </time>
            )}
            {at === null && step !== status && <span className="visually-hidden">not reached yet</span>}
            {note && <p className="steps__note">{withPhoneLinks(note)}</p>}
            {trackingAddress && (
              <p>
                <a className="steps__tracking" href={trackingAddress} rel="noreferrer">
                  Track your parcel
                </a>
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
