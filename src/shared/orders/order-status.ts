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

type Transitions = Partial<Record<OrderStatus, readonly OrderStatus[]>>

/** Every change of an order's status: the transition, the status it leads to, and the statuses it may start from. */
const ORDER_TRANSITIONS = {
  /** Money arrived, possibly after the order expired. */
  settle: { placed: ['awaiting_payment', 'expired'] },
  expire: { expired: ['awaiting_payment'] },
  fulfil: { packed: ['placed'], shipped: ['packed'], ready: ['packed'], delivered: ['shipped', 'ready'] },
  /** Takes back a fulfilment step that the shopper hasn't been emailed about. */
  undo: { placed: ['packed'], packed: ['shipped', 'ready'], shipped: ['delivered'], ready: ['delivered'] },
  cancelByShopper: { cancelled: ['awaiting_payment', 'placed'] },
  cancelByOperator: { cancelled: ['awaiting_payment', 'placed', 'packed'] },
  /** The account is deleted. */
  cancelUnpaid: { cancelled: ['awaiting_payment', 'expired'] },
} as const satisfies Record<string, Transitions>

export type OrderTransition = keyof typeof ORDER_TRANSITIONS

/** The statuses that a transition to a status may start from; none where there is no such transition. */
export function statusesBefore(transition: OrderTransition, to: OrderStatus): readonly OrderStatus[] {
  const transitions: Transitions = ORDER_TRANSITIONS[transition]
  return transitions[to] ?? []
}

function statusesAfter(transition: OrderTransition, from: OrderStatus): OrderStatus[] {
  return ORDER_STATUSES.filter((to) => statusesBefore(transition, to).includes(from))
}

/** The statuses that the operator may give an order next; none at the end of its life. */
export function nextStatuses(status: OrderStatus): readonly OrderStatus[] {
  return [...statusesAfter('fulfil', status), ...statusesAfter('cancelByOperator', status)]
}

/** The statuses that a fulfilment step can be undone to; none where it can't. */
export function previousStatuses(status: OrderStatus): readonly OrderStatus[] {
  return statusesAfter('undo', status)
}

/** How long what the operator writes to the shopper about a step can be. */
export const STATUS_NOTE_MAX_CHARACTERS = 300
const TRACKING_ADDRESS_MAX_CHARACTERS = 500

/** What is wrong with a note for the shopper, which may be left out; undefined when nothing is. */
export function statusNoteProblem(text: string): string | undefined {
  return text.trim().length > STATUS_NOTE_MAX_CHARACTERS
    ? `Note must be at most ${STATUS_NOTE_MAX_CHARACTERS} characters`
    : undefined
}

/** What is wrong with the address of a page that tracks a parcel, which may be left out; undefined when nothing is. */
export function trackingAddressProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined
  const isHttps = URL.parse(text.trim())?.protocol === 'https:'
  return isHttps && text.length <= TRACKING_ADDRESS_MAX_CHARACTERS
    ? undefined
    : 'Tracking link must start with https://'
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
  expired: 'Expired',
}

/** What the shopper reads of a status: an order with a place of pickup is picked up in the end. */
export function orderStatusLabel(status: OrderStatus, { pickup }: { pickup: string | null }): string {
  return status === 'delivered' && pickup !== null ? 'Picked up' : ORDER_STATUS_LABELS[status]
}
