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

export const PAID_STATUSES = [
  'placed',
  'packed',
  'shipped',
  'ready',
  'delivered',
] as const satisfies readonly OrderStatus[]

type Transitions = Partial<Record<OrderStatus, readonly OrderStatus[]>>

const ORDER_TRANSITIONS = {
  /** A payment can still place an order that has expired. */
  settle: { placed: ['awaiting_payment', 'expired'] },
  /** A payment below the total reopens an expired order, so that the rest can be paid. */
  payPart: { awaiting_payment: ['awaiting_payment', 'expired'] },
  expire: { expired: ['awaiting_payment'] },
  fulfil: { packed: ['placed'], shipped: ['packed'], ready: ['packed'], delivered: ['shipped', 'ready'] },
  /**
   * The operator can undo a step for a short time, unless the shopper has been emailed about it or the order has a
   * return.
   */
  undo: { placed: ['packed'], packed: ['shipped', 'ready'], shipped: ['delivered'], ready: ['delivered'] },
  cancelByShopper: { cancelled: ['awaiting_payment', 'placed'] },
  /** A parcel that is refused or not picked up comes back to the shop. */
  cancelByOperator: { cancelled: ['awaiting_payment', 'placed', 'packed', 'shipped', 'ready'] },
  cancelUnpaid: { cancelled: ['awaiting_payment', 'expired'] },
} as const satisfies Record<string, Transitions>

export type OrderTransition = keyof typeof ORDER_TRANSITIONS

export function listStatusesBefore(transition: OrderTransition, to: OrderStatus): readonly OrderStatus[] {
  const transitions: Transitions = ORDER_TRANSITIONS[transition]
  return transitions[to] ?? []
}

function listStatusesAfter(transition: OrderTransition, from: OrderStatus): OrderStatus[] {
  return ORDER_STATUSES.filter((to) => listStatusesBefore(transition, to).includes(from))
}

type Fulfilment = { status: OrderStatus; pickup: string | null }

export function listNextStatuses({ status, pickup }: Fulfilment): readonly OrderStatus[] {
  const otherMethodStatus = pickup === null ? 'ready' : 'shipped'
  const steps = listStatusesAfter('fulfil', status).filter((to) => to !== otherMethodStatus)
  return [...steps, ...listStatusesAfter('cancelByOperator', status)]
}

export function listPreviousStatuses(status: OrderStatus): readonly OrderStatus[] {
  return listStatusesAfter('undo', status)
}

const EDITABLE_STATUSES = {
  delivery: ['awaiting_payment', 'placed', 'packed'],
  /** Excludes `awaiting_payment`, because a payment of the old total may be under way. */
  lines: ['placed', 'packed'],
} as const satisfies Record<string, readonly OrderStatus[]>

export function listEditableStatuses(part: keyof typeof EDITABLE_STATUSES): readonly OrderStatus[] {
  return EDITABLE_STATUSES[part]
}

export const STATUS_NOTE_MAX_CHARACTERS = 300
const TRACKING_URL_MAX_CHARACTERS = 500

export function findStatusNoteProblem(text: string): string | undefined {
  return text.trim().length > STATUS_NOTE_MAX_CHARACTERS
    ? `Note must be at most ${STATUS_NOTE_MAX_CHARACTERS} characters`
    : undefined
}

export function findTrackingUrlProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined
  if (URL.parse(text.trim())?.protocol !== 'https:') return 'Tracking link must start with https://'
  return text.length > TRACKING_URL_MAX_CHARACTERS
    ? `Tracking link must be at most ${TRACKING_URL_MAX_CHARACTERS} characters`
    : undefined
}

export const ORDER_STATUS_LABELS: Record<OrderStatus, string> = {
  awaiting_payment: 'Not paid yet',
  placed: 'Placed',
  packed: 'Packed',
  shipped: 'On its way',
  ready: 'Ready for pickup',
  delivered: 'Delivered',
  cancelled: 'Cancelled',
  expired: 'Expired',
}

export function getOrderStatusLabel(status: OrderStatus, { pickup }: { pickup: string | null }): string {
  return status === 'delivered' && pickup !== null ? 'Picked up' : ORDER_STATUS_LABELS[status]
}
