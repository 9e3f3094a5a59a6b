import { DateTime, TimeOfDay } from '#office/platform/date-time.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import type { OrderDetails } from '#server/orders/office-order.ts'
import { calculateBalance, type OrderRow } from '#server/orders/order-record.ts'
import { formatMoney } from '#shared/format.ts'
import {
  listNextStatuses,
  ORDER_STATUS_LABELS,
  type OrderStatus,
  STATUS_NOTE_MAX_CHARACTERS,
} from '#shared/orders/order-status.ts'

const STATUS_ACTION_LABELS: Partial<Record<OrderStatus, string>> = {
  packed: 'Mark as packed',
  shipped: 'Mark as sent',
  ready: 'Mark as ready for pickup',
  delivered: 'Mark as delivered',
}

export function getStatusActionLabel(from: OrderStatus, to: OrderStatus): string | undefined {
  return from === 'ready' && to === 'delivered' ? 'Mark as picked up' : STATUS_ACTION_LABELS[to]
}

const UNDO_LABELS: Partial<Record<OrderStatus, string>> = {
  packed: 'Undo packing',
  shipped: 'Undo sending',
  ready: 'Undo “Ready for pickup”',
  delivered: 'Undo delivery',
}

function getUndoLabel({ status, pickup }: Pick<OrderRow, 'status' | 'pickup'>): string | undefined {
  return status === 'delivered' && pickup !== null ? 'Undo pickup' : UNDO_LABELS[status]
}

export function getNextFulfilmentStatus({
  status,
  pickup,
}: Pick<OrderRow, 'status' | 'pickup'>): OrderStatus | undefined {
  return listNextStatuses({ status, pickup }).find((status) => status !== 'cancelled')
}

type StatusButtonsProps = {
  order: OrderDetails
  entered: { note?: string; trackingUrl?: string }
  isPacker: boolean
}

export function StatusButtons({ order, entered, isPacker }: StatusButtonsProps) {
  const { status, number, revision } = order.row
  const nextStatus = getNextFulfilmentStatus(order.row)
  const collectCents = order.row.isCashOnDelivery ? calculateBalance(order).dueCents : 0
  return (
    <section className="steps" aria-label="Next step">
      {nextStatus ? (
        <form method="post" action={`${getOrderPath(number)}/status`}>
          <input type="hidden" name="from" value={status} />
          <input type="hidden" name="revision" value={revision} />
          {collectCents > 0 ? <input type="hidden" name="to" value={nextStatus} /> : null}
          {collectCents > 0 ? <input type="hidden" name="seen" value={collectCents} /> : null}
          {['shipped', 'ready', 'delivered'].includes(nextStatus) ? (
            <CustomerNote entered={entered} isPickup={order.row.pickup !== null} />
          ) : null}
          <div className="actions">
            {nextStatus === 'delivered' && collectCents > 0 ? (
              <button className="button" type="submit" name="collected" value="yes">
                Mark as delivered and paid, {formatMoney(collectCents)}
              </button>
            ) : null}
            <button
              className={collectCents > 0 && nextStatus === 'delivered' ? 'button button--quiet' : 'button'}
              type="submit"
              name="to"
              value={nextStatus}
            >
              {getStatusActionLabel(status, nextStatus)}
            </button>
          </div>
        </form>
      ) : null}
      <div className="actions actions--small">
        {order.previous.map((to) => (
          <form key={to} method="post" action={`${getOrderPath(number)}/status`}>
            <input type="hidden" name="from" value={status} />
            <button className="button button--quiet" type="submit" name="to" value={to}>
              {getUndoLabel(order.row)}
              {order.previous.length > 1 ? ` (back to “${ORDER_STATUS_LABELS[to]}”)` : ''}
            </button>
          </form>
        ))}
        {listNextStatuses(order.row).includes('cancelled') && !isPacker ? (
          <a className="button button--quiet" href={`${getOrderPath(number)}/cancel`}>
            {status === 'shipped' ? 'Cancel undelivered order' : 'Cancel order'}
          </a>
        ) : null}
      </div>
      {order.undo ? <UndoNotice {...order.undo} /> : null}
    </section>
  )
}

type CustomerNoteProps = Pick<StatusButtonsProps, 'entered'> & { isPickup: boolean }

function CustomerNote({ entered, isPickup }: CustomerNoteProps) {
  return (
    <details open={Boolean(entered.note || entered.trackingUrl)}>
      <summary>
        {isPickup ? 'Add a note for the customer' : 'Add a note or tracking link for the customer'}
      </summary>
      <div className="field">
        <label htmlFor="note">{isPickup ? 'Note' : 'Note (rider, time, place)'}</label>
        <textarea
          id="note"
          name="note"
          rows={2}
          maxLength={STATUS_NOTE_MAX_CHARACTERS}
          defaultValue={entered.note}
        />
      </div>
      {isPickup ? null : (
        <div className="field">
          <label htmlFor="tracking">Tracking link</label>
          <input
            id="tracking"
            name="trackingUrl"
            type="url"
            defaultValue={entered.trackingUrl}
            placeholder="https://"
            inputMode="url"
          />
        </div>
      )}
    </details>
  )
}

function UndoNotice({ isOpen, untilMs, email }: NonNullable<OrderDetails['undo']>) {
  if (isOpen)
    return (
      <p className="note">
        You can undo this until <TimeOfDay atMs={untilMs} />.{email ? ' Then we’ll email the customer.' : ''}
      </p>
    )
  if (!email || email.status === 'failed')
    return <p className="note">You can’t undo this step because more than a minute has passed.</p>
  return (
    <p className="note">
      You can’t undo this step because{' '}
      {email.sentAtMs === null ? (
        'we’re emailing the customer about it.'
      ) : (
        <>
          we emailed the customer about it <DateTime atMs={email.sentAtMs} isInline />.
        </>
      )}
    </p>
  )
}
