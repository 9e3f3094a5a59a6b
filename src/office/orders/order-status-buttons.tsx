import { orderPath } from '#office/platform/sections.ts'
import type { OrderDetails } from '#server/orders/office-order.ts'
import type { OrderRow } from '#server/orders/order-record.ts'
import {
  nextStatuses,
  ORDER_STATUS_LABELS,
  type OrderStatus,
  STATUS_NOTE_MAX_CHARACTERS,
} from '#shared/orders/order-status.ts'

const STEP_LABELS: Partial<Record<OrderStatus, string>> = {
  packed: 'Mark as packed',
  shipped: 'Mark as sent',
  ready: 'Mark as ready for pickup',
  delivered: 'Mark as delivered',
}

/** The button that moves an order to its next status. */
export function stepLabel(from: OrderStatus, to: OrderStatus): string | undefined {
  return from === 'ready' && to === 'delivered' ? 'Mark as picked up' : STEP_LABELS[to]
}

/** The button that undoes a status. */
const UNDO_LABELS: Partial<Record<OrderStatus, string>> = {
  packed: 'Undo packing',
  shipped: 'Undo sending',
  ready: 'Undo “Ready for pickup”',
  delivered: 'Undo delivery',
}

export function usualStep({ status, pickup }: Pick<OrderRow, 'status' | 'pickup'>): OrderStatus | undefined {
  const next = nextStatuses(status).filter((step) => step !== 'cancelled')
  return pickup !== null && next.includes('ready') ? 'ready' : next[0]
}

type StatusButtonsProps = {
  order: OrderDetails
  /** What was entered in a change that was refused. */
  entered: { note?: string; trackingAddress?: string }
}

export function StatusButtons({ order, entered }: StatusButtonsProps) {
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
          <div className="actions">
            {steps.map((to, index) => (
              <button
                key={to}
                className={index === 0 ? 'button' : 'button button--quiet'}
                type="submit"
                name="to"
                value={to}
              >
                {stepLabel(status, to)}
              </button>
            ))}
          </div>
          {takesNote ? (
            <details open={Boolean(entered.note || entered.trackingAddress)}>
              <summary>Add a note or tracking link for the customer</summary>
              <div className="field">
                <label htmlFor="note">Note (rider, time, place)</label>
                <textarea
                  id="note"
                  name="note"
                  rows={2}
                  maxLength={STATUS_NOTE_MAX_CHARACTERS}
                  defaultValue={entered.note}
                />
              </div>
              <div className="field">
                <label htmlFor="tracking">Tracking link</label>
                <input
                  id="tracking"
                  name="trackingAddress"
                  type="url"
                  defaultValue={entered.trackingAddress}
                  placeholder="https://"
                  inputMode="url"
                />
              </div>
            </details>
          ) : null}
        </form>
      ) : null}
      <div className="actions actions--small">
        {order.previous.map((to) => (
          <form key={to} method="post" action={`${orderPath(number)}/status`}>
            <input type="hidden" name="from" value={status} />
            <button className="button button--quiet" type="submit" name="to" value={to}>
              {UNDO_LABELS[status]}
              {order.previous.length > 1 ? ` (back to “${ORDER_STATUS_LABELS[to]}”)` : ''}
            </button>
          </form>
        ))}
        {next.includes('cancelled') ? (
          <a className="button button--quiet" href={`${orderPath(number)}/cancel`}>
            Cancel order
          </a>
        ) : null}
      </div>
    </section>
  )
}
