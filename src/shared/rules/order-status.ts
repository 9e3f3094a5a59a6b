/** The life of an order: where its goods are. `cancelled` and `expired` end it early. */
export const ORDER_STATUSES = [
  'awaiting_payment',
  'placed',
  'packed',
  'shipped',
  'ready',
  'delivered',
  'cancelled',
  'expired',
] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

const NEXT: Record<OrderStatus, readonly OrderStatus[]> = {
  awaiting_payment: ['cancelled'],
  placed: ['packed', 'cancelled'],
  packed: ['shipped', 'ready', 'cancelled'],
  shipped: ['delivered'],
  ready: ['delivered'],
  delivered: [],
  cancelled: [],
  expired: [],
}

/** The statuses that the operator may give an order next; none at the end of its life. Money alone makes it `placed`. */
export function nextStatuses(status: OrderStatus): readonly OrderStatus[] {
  return NEXT[status]
}

/** What the shopper reads in "Your orders". */
export const ORDER_STATUS_LABELS: Record<OrderStatus, string> = {
  awaiting_payment: 'Awaiting payment',
  placed: 'Placed',
  packed: 'Packed',
  shipped: 'On its way',
  ready: 'Ready for pickup',
  delivered: 'Delivered',
  cancelled: 'Cancelled',
  expired: 'Expired, not paid',
}
