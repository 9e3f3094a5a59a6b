import { orderPath } from '#office/platform/sections.ts'
import type { OrderDetails } from '#server/orders/details.ts'
import type { OrderRow } from '#server/orders/order-record.ts'
import { nextStatuses, type OrderStatus, STATUS_NOTE_MAX_CHARACTERS } from '#shared/orders/order-status.ts'

/** The label of the button that takes an order to a status. */
export const STEP_LABELS: Record<OrderStatus, string> = {
  awaiting_payment: 'Awaiting payment',
  placed: 'Not packed yet',
  packed: 'Packed',
  shipped: 'Sent with a rider',
  ready: 'Ready for pickup',
  delivered: 'Delivered',
  cancelled: 'Cancel',
  expired: 'Expired',
}

/** The step that is usually next. */
export function usualStep({ status, pickup }: Pick<OrderRow, 'status' | 'pickup'>): OrderStatus | undefined {
  const next = nextStatuses(status).filter((step) => step !== 'cancelled')
  return pickup !== null && next.includes('ready') ? 'ready' : next[0]
}

/** The buttons that change the status of an order, the usual next step first. */
export function StatusButtons({ order }: { order: OrderDetails }) {
  const { status, number } = order.row
  const next = nextStatuses(status)
  const usual = usualStep(order.row)
  const steps = next.filter((to) => to !== 'cancelled').toSorted((a, b) => +(b === usual) - +(a === usual))
  const takesNote = steps.some((to) => ['shipped', 'ready', 'delivered'].includes(to))
  return (
    <section className="steps" aria-label="Next step">
      {steps.length > 0 ? (
        <form method="post" action={`${orderPath(number)}/status`}>
          <input type="hidden" name="from" value={status} />
          <div className="acts">
            {steps.map((to, index) => (
              <button
                key={to}
                className={index === 0 ? 'button' : 'button button--quiet'}
                type="submit"
                name="to"
                value={to}
              >
                {STEP_LABELS[to]}
              </button>
            ))}
          </div>
          {takesNote ? (
            <details>
              <summary>Add a note or tracking link for the customer</summary>
              <div className="field">
                <label htmlFor="note">Note (rider, time, place)</label>
                <textarea id="note" name="note" rows={2} maxLength={STATUS_NOTE_MAX_CHARACTERS} />
              </div>
              <div className="field">
                <label htmlFor="tracking">Tracking link</label>
                <input
                  id="tracking"
                  name="trackingAddress"
                  type="url"
                  placeholder="https://"
                  inputMode="url"
                />
              </div>
            </details>
          ) : null}
        </form>
      ) : null}
      <div className="acts acts--small">
        {order.previous.map((to) => (
          <form key={to} method="post" action={`${orderPath(number)}/status`}>
            <input type="hidden" name="from" value={status} />
            <button className="button button--quiet" type="submit" name="to" value={to}>
              Undo: {STEP_LABELS[to].toLowerCase()}
            </button>
          </form>
        ))}
        {next.includes('cancelled') ? (
          <a className="button button--quiet" href={`${orderPath(number)}/cancel`}>
            Cancel order …
          </a>
        ) : null}
      </div>
    </section>
  )
}
