import { atom } from 'jotai'
import { callApi } from '#client/app/api.ts'
import { delay } from '#client/app/wait.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import type { Cart } from '#shared/cart/cart.ts'
import { removeUnits } from '#shared/cart/cart-lines.ts'
import { IDEMPOTENCY_KEY_HEADER, listOrdersCall, type Order } from '#shared/orders/contract.ts'
import { hasOpenOrderAtom } from './has-open-order.ts'
import {
  createUncheckedPaymentError,
  notSentError,
  type OrderError,
  unconfirmedError,
} from './order-error.ts'
import {
  applyOrderAtom,
  isClosed,
  isPlaced,
  refreshOrderAtom,
  type ShownOrder,
  type ShownOrderContext,
  shownOrderAtom,
} from './shown-order.ts'
import { checkoutAttemptAtom, createIdempotencyKey } from './stored-attempt.ts'

export type PlacementState =
  | { status: 'editing'; error?: OrderError }
  /** An earlier attempt is being looked up. */
  | { status: 'checking' }
  | { status: 'submitting' }
  | { status: 'ordered'; number: string }

export const placementAtom = atom<PlacementState>({ status: 'editing' })

/** How long a request without a response may still become an order. The simulated provider takes 2 s (§ 4). */
const MAX_IN_FLIGHT_MS = 5000
const RECHECK_AFTER_MS = 1000

export const showOrderAtom = atom(
  null,
  async (_get, set, data: Pick<ShownOrder, 'order' | 'payment'>, context: ShownOrderContext = {}) => {
    await set(applyOrderAtom, data, { isNew: true, ...context })
    set(placementAtom, { status: 'ordered', number: data.order.number })
  },
)

const showUncheckedPaymentAtom = atom(null, (_get, set, number: string) =>
  set(placementAtom, { status: 'editing', error: createUncheckedPaymentError(number) }),
)

type UnclearCheckoutAttempt = { key: string; sentAtMs: number; error?: OrderError }

/** Polls while the request may still reach the server. Ends in `ordered`, or in `editing` with an error. */
export const resolveCheckoutAttemptAtom = atom(
  null,
  async (_get, set, { key, sentAtMs, error = notSentError }: UnclearCheckoutAttempt) => {
    for (;;) {
      const result = await callApi(listOrdersCall, undefined, { headers: { [IDEMPOTENCY_KEY_HEADER]: key } })
      if (!result.ok) return set(placementAtom, { status: 'editing', error: unconfirmedError })
      const order = result.data.orders.find((candidate) => candidate.key === key)
      if (order && isPlaced(order))
        return set(showOrderAtom, { order, payment: null }, { isFromEarlierAttempt: true })
      if (order && !isClosed(order)) {
        const failure = await set(refreshOrderAtom, order.number, { isNew: true, isFromEarlierAttempt: true })
        if (failure) return set(showUncheckedPaymentAtom, order.number)
        return set(placementAtom, { status: 'ordered', number: order.number })
      }
      if (order || Date.now() > sentAtMs + MAX_IN_FLIGHT_MS) {
        set(checkoutAttemptAtom, (now) =>
          now?.key === key ? { key: order ? createIdempotencyKey() : key } : now,
        )
        return set(placementAtom, { status: 'editing', error })
      }
      await delay(RECHECK_AFTER_MS)
    }
  },
)

const resumeOrderAtom = atom(null, async (get, set, number: string) => {
  const failure = await set(refreshOrderAtom, number)
  if (failure === 'failed') return set(showUncheckedPaymentAtom, number)
  const { order, payment } = get(shownOrderAtom) ?? {}
  if (failure === 'unknown') set(checkoutAttemptAtom, () => null)
  if (failure === 'unknown' || !order || isClosed(order)) return set(placementAtom, { status: 'editing' })
  if (isPlaced(order) || payment?.status === 'waiting' || matchesCart(get(cartAtom) ?? [], order))
    return set(placementAtom, { status: 'ordered', number })
  const message = `Order ${number} isn’t paid. If you order again, the new order replaces it.`
  set(placementAtom, { status: 'editing', error: { ...notSentError, message, isNotice: true } })
})

function matchesCart(cart: Cart, { lines }: Order): boolean {
  const orderedItems = lines.map(({ productId, qty }) => ({ id: productId, qty }))
  const count = (units: readonly { qty: number }[]) => units.reduce((sum, { qty }) => sum + qty, 0)
  return count(cart) === count(orderedItems) && removeUnits(cart, orderedItems).length === 0
}

/** Resolves to false if there is no submitted attempt or unpaid order. */
export const lookUpCheckoutAttemptAtom = atom(
  null,
  async (_get, set, pendingStatus: 'checking' | 'submitting') => {
    const { key, sentAtMs, number } = set(checkoutAttemptAtom) ?? {}
    if (key === undefined || (sentAtMs === undefined && number === undefined)) return false
    set(placementAtom, { status: pendingStatus })
    if (sentAtMs !== undefined) await set(resolveCheckoutAttemptAtom, { key, sentAtMs })
    else if (number !== undefined) await set(resumeOrderAtom, number)
    return true
  },
)

export const recheckCheckoutAttemptAtom = atom(null, async (get, set) => {
  const placement = get(placementAtom)
  if (placement.status === 'editing' && placement.error?.kind === 'unclear')
    await set(lookUpCheckoutAttemptAtom, 'submitting')
})

/** Used on pages other than checkout, for example after a reload. */
export const lookUpSubmittedOrderAtom = atom(null, async (get, set) => {
  const placement = get(placementAtom)
  const shown = get(shownOrderAtom)
  const isLoaded = shown !== undefined && shown.order.number === set(checkoutAttemptAtom)?.number
  if (placement.status !== 'editing' || placement.error || isLoaded) return
  const wasLookedUp = await set(lookUpCheckoutAttemptAtom, 'checking')
  if (!wasLookedUp && !shown) set(hasOpenOrderAtom, false)
})
