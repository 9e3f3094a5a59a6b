import { atom } from 'jotai'
import { callApi } from '#client/app/api.ts'
import type { ApiResult } from '#client/app/send-request.ts'
import { saveUserAtom, userAtom } from '#client/app/session.ts'
import { promotionAtom, recheckPromotionAtom } from '#client/cart/promotion.ts'
import { reduceToStockAtom } from '#client/cart/stock.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { session } from '#shared/accounts/contract.ts'
import { withParams } from '#shared/api-call.ts'
import type { Cart } from '#shared/cart/cart.ts'
import { discountCentsOf, subtotalCentsOf } from '#shared/checkout/pricing.ts'
import { nameWithSize } from '#shared/format.ts'
import {
  type Billing,
  cancelOrder,
  IDEMPOTENCY_KEY_HEADER,
  type Order,
  placeOrder,
} from '#shared/orders/contract.ts'
import { keyReusedBodySchema, paymentFailedBodySchema } from '#shared/orders/error-bodies.ts'
import { REMEMBERED_ORDER_FIELDS } from '#shared/orders/fields.ts'
import { methodOf, type Payment } from '#shared/payments/contract.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import { lookUpAttemptAtom, placementAtom, resolveAttemptAtom, showOrderAtom } from './attempt-outcome.ts'
import { deliveryChoiceAtom } from './billing.ts'
import { hasOpenOrderAtom } from './has-open-order.ts'
import { notSentError, offlineError, rejectedOrderAtom } from './order-error.ts'
import { isClosed, isPlaced, isRedirectingToPayAtom } from './shown-order.ts'
import { attemptAtom, createIdempotencyKey, markAttemptAtom } from './stored-attempt.ts'

/** The order has been shown; the next visit to checkout starts a new one. */
export const closeOrderedAtom = atom(null, (get, set) => {
  if (get(placementAtom).status === 'ordered') set(placementAtom, { status: 'editing' })
})

/** Checkout opens: an earlier attempt that is not settled is looked up first; then there is a key from now on. */
export const openCheckoutAtom = atom(null, async (get, set) => {
  if (get(placementAtom).status !== 'editing') return
  const wasLookedUp = await set(lookUpAttemptAtom, 'checking')
  const placing = get(placementAtom)
  if (placing.status !== 'editing') return
  if (!wasLookedUp) set(placementAtom, { status: 'editing' })
  const cart = get(cartAtom) ?? []
  if (cart.length === 0) return
  set(attemptAtom, (now) => now ?? { key: createIdempotencyKey() })
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
  if (get(placementAtom).status !== 'editing') return
  set(placementAtom, { status: 'submitting' })
  set(hasOpenOrderAtom, true)
  await set(sendOrderAtom, submission, undefined)
})

const sendOrderAtom = atom(
  null,
  async (get, set, submission: Submission, replaced: string | undefined): Promise<void> => {
    // As it is stored now: another tab may have ordered it meanwhile.
    const cart = (await set(cartAtom)) ?? []
    if (cart.length === 0) return set(placementAtom, { status: 'editing' })

    const { key, number } = set(attemptAtom) ?? { key: createIdempotencyKey() }
    const attempt = number === undefined ? { key } : { key, number }
    const sentAtMs = Date.now()
    const wasOffline = !navigator.onLine
    set(attemptAtom, () => ({ ...attempt, sentAtMs, content: contentOf(cart) }))
    const { billing, payment, expectedTotalKsh } = submission
    const promotion = get(promotionAtom)
    const { method } = get(deliveryChoiceAtom)
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
      set(isRedirectingToPayAtom, hasFlow(methodOf(payment), 'redirect'))
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
      return set(placementAtom, { status: 'editing', error: offlineError })
    }
    const error = set(rejectedOrderAtom, result)
    const failed = paymentFailedBodySchema.safeParse(result.body)
    if (failed.success) {
      const { order, payment: state } = failed.data
      if (state.status === 'waiting') {
        set(isRedirectingToPayAtom, hasFlow(methodOf(payment), 'redirect'))
        return set(showOrderAtom, failed.data, { replaced })
      }
      set(attemptAtom, () =>
        isClosed(order) ? { key: createIdempotencyKey() } : { key: attempt.key, number: order.number },
      )
      return set(placementAtom, { status: 'editing', error })
    }
    if (isUnclear(result)) {
      const hasEnded = result.status > 0
      return set(resolveAttemptAtom, { key: attempt.key, sentAtMs: hasEnded ? 0 : sentAtMs, error })
    }
    set(markAttemptAtom, attempt)
    set(placementAtom, { status: 'editing', error })
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
      const message = `We couldn’t cancel your earlier unpaid order ${number}. Please press the button again.`
      return set(placementAtom, { status: 'editing', error: { ...notSentError, message } })
    }
  }
  set(attemptAtom, () => ({ key: createIdempotencyKey() }))
  return set(sendOrderAtom, submission, isClosed(earlier) ? undefined : earlier.number)
})

/** After an order for more than there is: takes what is left, and goes on with that. */
export const orderAvailableUnitsAtom = atom(null, (get, set) => {
  set(reduceToStockAtom)
  set(placementAtom, { status: 'editing' })
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
function rememberedOf(billing: Billing): Partial<Billing> {
  return Object.fromEntries(REMEMBERED_ORDER_FIELDS.map((field) => [field, billing[field]]))
}

/** Without a response, or with one that is the server's own fault, an order may have been made. */
function isUnclear({ status }: Extract<ApiResult<unknown>, { ok: false }>): boolean {
  return status === 0 || status >= 500 || status < 400
}
