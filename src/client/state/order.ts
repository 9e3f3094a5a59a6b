import { atom } from 'jotai'
import { session } from '#shared/contract/auth.ts'
import { withParams } from '#shared/contract/call.ts'
import {
  type Billing,
  cancelOrder,
  IDEMPOTENCY_KEY_HEADER,
  keyReusedBodySchema,
  listOrders,
  type Order,
  type Payment,
  paymentFailedBodySchema,
  placeOrder,
} from '#shared/contract/orders.ts'
import type { Cart } from '#shared/rules/cart.ts'
import { withoutUnits } from '#shared/rules/cart-lines.ts'
import { nameWithSize } from '#shared/rules/format.ts'
import { discountCentsOf, subtotalCentsOf } from '#shared/rules/pricing.ts'
import { callApi } from '../api.ts'
import type { ApiResult } from '../send-request.ts'
import { chosenDeliveryAtom } from './billing.ts'
import { cartAtom } from './cart.ts'
import { hasOpenOrderAtom } from './open-order.ts'
import { type OrderError, offlineError, rejectedOrderAtom, unclearError, unsentError } from './order-error.ts'
import { attemptAtom, markAttemptAtom, newKey } from './order-key.ts'
import {
  isClosed,
  isLeavingToPayAtom,
  isPlaced,
  receiveOrderAtom,
  refreshOrderAtom,
  type ShownOrder,
  shownOrderAtom,
} from './payment.ts'
import { promotionAtom, recheckPromotionAtom } from './promotion.ts'
import { saveUserAtom, userAtom } from './session.ts'
import { takeWhatIsLeftAtom } from './stock.ts'

/** Placing an order, step by step. `checking`: checkout has opened and looks up an earlier attempt. */
export type Placing =
  | { status: 'editing'; error?: OrderError }
  | { status: 'checking' }
  | { status: 'submitting' }
  /** The order exists: it is paid, or awaits its payment. */
  | { status: 'ordered'; number: string }

export const placingAtom = atom<Placing>({ status: 'editing' })

/** How long an order without a response may still reach the server, in milliseconds; the provider takes 2 s (§ 4). */
const IN_FLIGHT_MS = 5000
const CHECK_AGAIN_MS = 1000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The server has an order: checkout shows it, paid or awaiting its payment. */
const showOrderAtom = atom(
  null,
  async (_get, set, data: Pick<ShownOrder, 'order' | 'payment'>, origin: Partial<ShownOrder> = {}) => {
    await set(receiveOrderAtom, data, { isNew: true, ...origin })
    set(placingAtom, { status: 'ordered', number: data.order.number })
  },
)

/** An attempt without a clear response; `error` is shown when it has not become an order. */
type UnclearAttempt = { key: string; sentAtMs: number; error?: OrderError }

/**
 * Looks up whether an unclear attempt has become an order, waiting as long as it may still reach the server.
 * Leaves the status at `ordered`, or at `editing` with an error.
 */
const resolveAttemptAtom = atom(
  null,
  async (_get, set, { key, sentAtMs, error = unsentError }: UnclearAttempt) => {
    for (;;) {
      const result = await callApi(listOrders, undefined, { headers: { [IDEMPOTENCY_KEY_HEADER]: key } })
      if (!result.ok) return set(placingAtom, { status: 'editing', error: unclearError })
      const order = result.data.orders.find((candidate) => candidate.key === key)
      if (order && isPlaced(order)) return set(showOrderAtom, { order, payment: null }, { isEarlier: true })
      if (order && !isClosed(order)) {
        const failure = await set(refreshOrderAtom, order.number, { isNew: true, isEarlier: true })
        if (failure) return set(placingAtom, { status: 'editing', error: unclearError })
        return set(placingAtom, { status: 'ordered', number: order.number })
      }
      if (order || Date.now() > sentAtMs + IN_FLIGHT_MS) {
        set(attemptAtom, (now) => (now?.key === key ? { key: order ? newKey() : key } : now))
        return set(placingAtom, { status: 'editing', error })
      }
      await pause(CHECK_AGAIN_MS)
    }
  },
)

/**
 * Looks up what became of the order that has not been paid yet. Leaves the status at `ordered` where it can be paid and
 * is what the cart still holds; otherwise at `editing`, with an error where there is something to know.
 */
const resumeOrderAtom = atom(null, async (get, set, number: string) => {
  const failure = await set(refreshOrderAtom, number)
  if (failure === 'failed') return set(placingAtom, { status: 'editing', error: unclearError })
  const { order, payment } = get(shownOrderAtom) ?? {}
  if (failure === 'unknown') set(attemptAtom, () => null)
  if (failure === 'unknown' || !order || isClosed(order)) return set(placingAtom, { status: 'editing' })
  if (isPlaced(order) || payment?.status === 'waiting' || isCart(get(cartAtom) ?? [], order))
    return set(placingAtom, { status: 'ordered', number })
  const message = `Your order ${number} is not paid, and your cart has changed since. What you order now replaces it.`
  set(placingAtom, { status: 'editing', error: { ...unsentError, message } })
})

/** Whether an order is of what is in the cart. */
function isCart(cart: Cart, { lines }: Order): boolean {
  const ordered = lines.map(({ productId, qty }) => ({ id: productId, qty }))
  const count = (units: readonly { qty: number }[]) => units.reduce((sum, { qty }) => sum + qty, 0)
  return count(cart) === count(ordered) && withoutUnits(cart, ordered).length === 0
}

/** Looks up an attempt of which the server may know more; false when there is none. */
const lookUpAttemptAtom = atom(null, async (_get, set, whileAsking: 'checking' | 'submitting') => {
  const { key, sentAtMs, number } = set(attemptAtom) ?? {}
  if (key === undefined || (sentAtMs === undefined && number === undefined)) return false
  set(placingAtom, { status: whileAsking })
  if (sentAtMs !== undefined) await set(resolveAttemptAtom, { key, sentAtMs })
  else if (number !== undefined) await set(resumeOrderAtom, number)
  return true
})

/** The connection is back: looks up an attempt whose outcome is unknown. */
export const recheckAttemptAtom = atom(null, async (get, set) => {
  const placing = get(placingAtom)
  if (placing.status === 'editing' && placing.error?.kind === 'unclear')
    await set(lookUpAttemptAtom, 'submitting')
})

/** Away from checkout, as after a reload in the middle: looks up what became of the order that was sent. */
export const followOrderAtom = atom(null, async (get, set) => {
  const placing = get(placingAtom)
  const shown = get(shownOrderAtom)
  const isKnown = shown !== undefined && shown.order.number === set(attemptAtom)?.number
  if (placing.status !== 'editing' || placing.error || isKnown) return
  const wasLookedUp = await set(lookUpAttemptAtom, 'checking')
  if (!wasLookedUp && !shown) set(hasOpenOrderAtom, false)
})

/** The order has been shown; the next visit to checkout starts a new one. */
export const closeOrderedAtom = atom(null, (get, set) => {
  if (get(placingAtom).status === 'ordered') set(placingAtom, { status: 'editing' })
})

/** Checkout opens: an earlier attempt that is not settled is looked up first; then there is a key from now on. */
export const openCheckoutAtom = atom(null, async (get, set) => {
  if (get(placingAtom).status !== 'editing') return
  const wasLookedUp = await set(lookUpAttemptAtom, 'checking')
  const placing = get(placingAtom)
  if (placing.status !== 'editing') return
  if (!wasLookedUp) set(placingAtom, { status: 'editing' })
  const cart = get(cartAtom) ?? []
  if (cart.length === 0) return
  set(attemptAtom, (now) => now ?? { key: newKey() })
  await Promise.all([set(recheckPromotionAtom, cart), set(refreshUserAtom)])
})

/** Fetches what the server knows of the user, for the prefill (§ 3); on failure, the stored user serves. */
const refreshUserAtom = atom(null, async (_get, set) => {
  const result = await callApi(session)
  if (result.ok) set(saveUserAtom, result.data.user)
})

type Submission = { billing: Billing; payment: Payment; expectedTotalKsh: number }

/**
 * Sends the order under the attempt's key; a second call while one is under way does nothing. The status ends at
 * `ordered`, or at `editing` with its error; cart and form stay until the server has confirmed that it is paid.
 */
export const placeOrderAtom = atom(null, async (get, set, submission: Submission) => {
  if (get(placingAtom).status !== 'editing') return
  set(placingAtom, { status: 'submitting' })
  set(hasOpenOrderAtom, true)
  await set(sendOrderAtom, submission, undefined)
})

const sendOrderAtom = atom(
  null,
  async (get, set, submission: Submission, replaced: string | undefined): Promise<void> => {
    // As it is stored now: another tab may have ordered it meanwhile.
    const cart = (await set(cartAtom)) ?? []
    if (cart.length === 0) return set(placingAtom, { status: 'editing' })

    const { key, number } = set(attemptAtom) ?? { key: newKey() }
    const attempt = number === undefined ? { key } : { key, number }
    const sentAtMs = Date.now()
    const wasOffline = !navigator.onLine
    set(attemptAtom, () => ({ ...attempt, sentAtMs, content: contentOf(cart) }))
    const { billing, payment, expectedTotalKsh } = submission
    const promotion = get(promotionAtom)
    const { method } = get(chosenDeliveryAtom)
    // A code whose minimum is not reached is left for another order.
    const isUsed = discountCentsOf(subtotalCentsOf(cart), promotion) > 0
    const result = await callApi(
      placeOrder,
      {
        lines: cart.map(({ id, qty }) => ({ id, qty })),
        billing,
        payment,
        expectedTotal: expectedTotalKsh,
        ...(method === 'pickup' ? { deliveryMethod: method } : {}),
        ...(isUsed && promotion ? { promoCode: promotion.code } : {}),
      },
      { headers: { [IDEMPOTENCY_KEY_HEADER]: attempt.key } },
    )

    if (result.ok) {
      set(isLeavingToPayAtom, payment.provider === 'paystack')
      await set(showOrderAtom, result.data, { isEarlier: false, replaced })
      const user = get(userAtom)
      if (user && isPlaced(result.data.order)) set(saveUserAtom, { ...user, ...rememberedOf(billing) })
      return
    }
    // § 8; nothing of the card is in it.
    console.error(`Checkout submission failed: ${result.status} ${result.code}`)
    const reused = keyReusedBodySchema.safeParse(result.body)
    if (reused.success) return set(replaceOrderAtom, reused.data.order, submission)
    // It was sent all the same: a browser that is offline still reaches a shop on its own machine.
    if (result.status === 0 && wasOffline) {
      set(markAttemptAtom, attempt)
      return set(placingAtom, { status: 'editing', error: offlineError })
    }
    const error = set(rejectedOrderAtom, result)
    const failed = paymentFailedBodySchema.safeParse(result.body)
    if (failed.success) {
      const { order, payment: state } = failed.data
      if (state.status === 'waiting') {
        set(isLeavingToPayAtom, payment.provider === 'paystack')
        return set(showOrderAtom, failed.data, { replaced })
      }
      set(attemptAtom, () =>
        isClosed(order) ? { key: newKey() } : { key: attempt.key, number: order.number },
      )
      return set(placingAtom, { status: 'editing', error })
    }
    if (isUnclear(result)) {
      const hasEnded = result.status > 0
      return set(resolveAttemptAtom, { key: attempt.key, sentAtMs: hasEnded ? 0 : sentAtMs, error })
    }
    set(markAttemptAtom, attempt)
    set(placingAtom, { status: 'editing', error })
  },
)

/**
 * The key belongs to an order of another cart. One that is paid is shown; an unpaid one is cancelled, and this order
 * is sent again under a key of its own.
 */
const replaceOrderAtom = atom(null, async (_get, set, earlier: Order, submission: Submission) => {
  if (isPlaced(earlier)) return set(showOrderAtom, { order: earlier, payment: null }, { isEarlier: true })
  if (!isClosed(earlier)) {
    const { number } = earlier
    set(attemptAtom, () => ({ key: earlier.key, number }))
    const cancelled = await callApi(withParams(cancelOrder, { number }), {})
    if (!cancelled.ok) {
      const message = `Your earlier order ${number} is not paid yet and could not be cancelled. Please press the button again.`
      return set(placingAtom, { status: 'editing', error: { ...unsentError, message } })
    }
  }
  set(attemptAtom, () => ({ key: newKey() }))
  return set(sendOrderAtom, submission, isClosed(earlier) ? undefined : earlier.number)
})

/** After an order for more than there is: takes what is left, and goes on with that. */
export const orderWhatIsLeftAtom = atom(null, (get, set) => {
  set(takeWhatIsLeftAtom)
  set(placingAtom, { status: 'editing' })
  void set(recheckPromotionAtom, get(cartAtom) ?? [])
})

/** Lines that are named; the rest is counted. */
const NAMED_LINES = 3

/** What an order is of, in words: `2 × Romper, 1 × Shuka`. */
function contentOf(cart: Cart): string {
  const named = cart
    .slice(0, NAMED_LINES)
    .map(({ qty, title, size }) => `${qty} × ${nameWithSize(title, size)}`)
  const more = cart.length - NAMED_LINES
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ')
}

/** The part of the billing details that becomes the user's; the account keeps its own e-mail. */
function rememberedOf({ email: _, landmark: __, ...address }: Billing) {
  return address
}

/** Without a response, or with one that is the server's own fault, an order may have been made. */
function isUnclear({ status }: Extract<ApiResult<unknown>, { ok: false }>): boolean {
  return status === 0 || status >= 500 || status < 400
}
