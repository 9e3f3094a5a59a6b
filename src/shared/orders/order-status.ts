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

/** What a step is taken back to, where the shopper has not been told of it yet. */
const PREVIOUS: Partial<Record<OrderStatus, readonly OrderStatus[]>> = {
  packed: ['placed'],
  shipped: ['packed'],
  ready: ['packed'],
  delivered: ['shipped', 'ready'],
}

/** The statuses that a mistaken step can be taken back to; none where it cannot. */
export function previousStatuses(status: OrderStatus): readonly OrderStatus[] {
  return PREVIOUS[status] ?? []
}

/** How long what the operator writes to the shopper about a step can be. */
export const STATUS_NOTE_MAX_CHARACTERS = 300
const TRACKING_ADDRESS_MAX_CHARACTERS = 500

/** What is wrong with a note for the shopper, which may be left out; undefined when nothing is. */
export function statusNoteProblem(text: string): string | undefined {
  return text.trim().length > STATUS_NOTE_MAX_CHARACTERS
    ? `Keep the note to ${STATUS_NOTE_MAX_CHARACTERS} characters`
    : undefined
}

/** What is wrong with the address of a page that tracks a parcel, which may be left out; undefined when nothing is. */
export function trackingAddressProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined
  const isHttps = URL.parse(text.trim())?.protocol === 'https:'
  return isHttps && text.length <= TRACKING_ADDRESS_MAX_CHARACTERS
    ? undefined
    : 'The tracking link is an https address'
}

/** What people read of a status. */
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

/** What the shopper reads of a status: an order with a place of pickup is picked up in the end. */
export function orderStatusLabel(status: OrderStatus, { pickup }: { pickup: string | null }): string {
  return status === 'delivered' && pickup !== null ? 'Picked up' : ORDER_STATUS_LABELS[status]
}
