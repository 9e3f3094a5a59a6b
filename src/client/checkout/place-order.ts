import { atom } from 'jotai'
import { callApi } from '#client/app/api.ts'
import type { ApiFailure } from '#client/app/send-request.ts'
import { saveUserAtom, userAtom } from '#client/app/session.ts'
import { promotionAtom, recheckPromotionAtom, toLineRequests } from '#client/cart/promotion.ts'
import { limitCartToStockAtom } from '#client/cart/stock.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { getSessionCall } from '#shared/accounts/contract.ts'
import { withParams } from '#shared/api-call.ts'
import type { Cart } from '#shared/cart/cart.ts'
import { calculateDiscountCents, calculateSubtotalCents } from '#shared/checkout/pricing.ts'
import { formatNameWithSize } from '#shared/format.ts'
import {
  type Billing,
  cancelOrderCall,
  IDEMPOTENCY_KEY_HEADER,
  type Order,
  placeOrderCall,
} from '#shared/orders/contract.ts'
import { keyReusedBodySchema, paymentFailedBodySchema } from '#shared/orders/error-bodies.ts'
import { REMEMBERED_ORDER_FIELDS } from '#shared/orders/fields.ts'
import { getPaymentMethod, type Payment } from '#shared/payments/contract.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import {
  lookUpCheckoutAttemptAtom,
  placementAtom,
  resolveCheckoutAttemptAtom,
  showOrderAtom,
} from './attempt-outcome.ts'
import { deliveryChoiceAtom } from './billing.ts'
import { hasOpenOrderAtom } from './has-open-order.ts'
import { handleRejectionAtom, notSentError, offlineError } from './order-error.ts'
import { isClosed, isPlaced, isRedirectingToPayAtom } from './shown-order.ts'
import {
  type CheckoutAttempt,
  checkoutAttemptAtom,
  createIdempotencyKey,
  updateCheckoutAttemptAtom,
} from './stored-attempt.ts'

export const resetPlacementAtom = atom(null, (get, set) => {
  if (get(placementAtom).status === 'ordered') set(placementAtom, { status: 'editing' })
})

/** An earlier attempt is resolved first, because it may have become an order. */
export const openCheckoutAtom = atom(null, async (get, set) => {
  if (get(placementAtom).status !== 'editing') return
  const wasLookedUp = await set(lookUpCheckoutAttemptAtom, 'checking')
  const placement = get(placementAtom)
  if (placement.status !== 'editing') return
  if (!wasLookedUp) set(placementAtom, { status: 'editing' })
  const cart = get(cartAtom) ?? []
  if (cart.length === 0) return
  set(checkoutAttemptAtom, (now) => now ?? { key: createIdempotencyKey() })
  await Promise.all([set(recheckPromotionAtom, cart), set(refreshUserAtom)])
})

/** If the request fails, the stored user prefills the form (§ 3). */
const refreshUserAtom = atom(null, async (_get, set) => {
  const result = await callApi(getSessionCall)
  if (result.ok) set(saveUserAtom, result.data.user)
})

type Submission = { billing: Billing; payment: Payment; expectedTotalKsh: number }

type SentAttempt = {
  checkoutAttempt: CheckoutAttempt
  submission: Submission
  replacedNumber: string | undefined
  sentAtMs: number
  wasOffline: boolean
}

/** Ends in `ordered`, or in `editing`, usually with an error. */
export const placeOrderAtom = atom(null, async (get, set, submission: Submission) => {
  if (get(placementAtom).status !== 'editing') return
  set(placementAtom, { status: 'submitting' })
  set(hasOpenOrderAtom, true)
  await set(sendOrderAtom, submission, undefined)
})

const sendOrderAtom = atom(
  null,
  async (get, set, submission: Submission, replacedNumber: string | undefined): Promise<void> => {
    // The cart is reread from storage, because another tab may have ordered it.
    const cart = (await set(cartAtom)) ?? []
    if (cart.length === 0) return set(placementAtom, { status: 'editing' })

    const { key, number } = set(checkoutAttemptAtom) ?? { key: createIdempotencyKey() }
    const checkoutAttempt = number === undefined ? { key } : { key, number }
    const sentAttempt = {
      checkoutAttempt,
      submission,
      replacedNumber,
      sentAtMs: Date.now(),
      wasOffline: !navigator.onLine,
    }
    set(checkoutAttemptAtom, () => ({
      ...checkoutAttempt,
      sentAtMs: sentAttempt.sentAtMs,
      content: describeCart(cart),
    }))
    const { billing, payment, expectedTotalKsh } = submission
    const promotion = get(promotionAtom)
    const { method } = get(deliveryChoiceAtom)
    const isUsed = calculateDiscountCents(calculateSubtotalCents(cart), promotion) > 0
    const result = await callApi(
      placeOrderCall,
      {
        lines: toLineRequests(cart),
        billing,
        payment,
        expectedTotal: expectedTotalKsh,
        ...(method === 'pickup' ? { deliveryMethod: method } : {}),
        ...(isUsed && promotion ? { promoCode: promotion.code } : {}),
      },
      { headers: { [IDEMPOTENCY_KEY_HEADER]: checkoutAttempt.key } },
    )
    if (!result.ok) return set(handleFailedAttemptAtom, result, sentAttempt)

    set(isRedirectingToPayAtom, hasFlow(getPaymentMethod(payment), 'redirect'))
    await set(showOrderAtom, result.data, { isFromEarlierAttempt: false, replacedNumber })
    const user = get(userAtom)
    if (user && isPlaced(result.data.order)) set(saveUserAtom, { ...user, ...pickRememberedFields(billing) })
  },
)

const handleFailedAttemptAtom = atom(
  null,
  async (
    _get,
    set,
    failure: ApiFailure,
    { checkoutAttempt, submission, replacedNumber, sentAtMs, wasOffline }: SentAttempt,
  ): Promise<void> => {
    // § 8 requires this log entry. It contains no card data.
    console.error(`Checkout submission failed: ${failure.status} ${failure.code}`)
    const keyReused = keyReusedBodySchema.safeParse(failure.body)
    if (keyReused.success) return set(replaceOrderAtom, keyReused.data.order, submission)
    // The request is sent even when offline, because a shop on localhost is still reachable.
    if (failure.status === 0 && wasOffline) {
      set(updateCheckoutAttemptAtom, checkoutAttempt)
      return set(placementAtom, { status: 'editing', error: offlineError })
    }
    const error = set(handleRejectionAtom, failure)
    const paymentFailure = paymentFailedBodySchema.safeParse(failure.body)
    if (paymentFailure.success) {
      const { order, payment: state } = paymentFailure.data
      if (state.status === 'waiting') {
        set(isRedirectingToPayAtom, hasFlow(getPaymentMethod(submission.payment), 'redirect'))
        return set(showOrderAtom, paymentFailure.data, { replacedNumber })
      }
      set(checkoutAttemptAtom, () =>
        isClosed(order)
          ? { key: createIdempotencyKey() }
          : { key: checkoutAttempt.key, number: order.number },
      )
      return set(placementAtom, { status: 'editing', error })
    }
    if (isOutcomeUnclear(failure)) {
      const hasResponse = failure.status > 0
      return set(resolveCheckoutAttemptAtom, {
        key: checkoutAttempt.key,
        sentAtMs: hasResponse ? 0 : sentAtMs,
        error,
      })
    }
    set(updateCheckoutAttemptAtom, checkoutAttempt)
    set(placementAtom, { status: 'editing', error })
  },
)

/** Handles `key_reused`: the key already belongs to an order with other contents (docs/decisions/003). */
const replaceOrderAtom = atom(null, async (_get, set, earlier: Order, submission: Submission) => {
  if (isPlaced(earlier))
    return set(showOrderAtom, { order: earlier, payment: null }, { isFromEarlierAttempt: true })
  if (!isClosed(earlier)) {
    const { number } = earlier
    set(checkoutAttemptAtom, () => ({ key: earlier.key, number }))
    const cancelled = await callApi(withParams(cancelOrderCall, { number }), {})
    if (!cancelled.ok) {
      const message = `We couldn’t cancel your earlier unpaid order ${number}. Please press the button again.`
      return set(placementAtom, { status: 'editing', error: { ...notSentError, message } })
    }
  }
  set(checkoutAttemptAtom, () => ({ key: createIdempotencyKey() }))
  return set(sendOrderAtom, submission, isClosed(earlier) ? undefined : earlier.number)
})

export const limitOrderToStockAtom = atom(null, (get, set) => {
  set(limitCartToStockAtom)
  set(placementAtom, { status: 'editing' })
  void set(recheckPromotionAtom, get(cartAtom) ?? [])
})

const MAX_LISTED_LINES = 3

function describeCart(cart: Cart): string {
  const listedLines = cart
    .slice(0, MAX_LISTED_LINES)
    .map(({ qty, title, size }) => `${qty} × ${formatNameWithSize(title, size)}`)
  const more = cart.length - MAX_LISTED_LINES
  return more > 0 ? `${listedLines.join(', ')} and ${more} more` : listedLines.join(', ')
}

/** Leaves out the email, because the account keeps its own. */
function pickRememberedFields(billing: Billing): Partial<Billing> {
  return Object.fromEntries(REMEMBERED_ORDER_FIELDS.map((field) => [field, billing[field]]))
}

/** The order may have been placed despite the failure. Below 400, the response was unreadable. */
function isOutcomeUnclear({ status }: ApiFailure): boolean {
  return status === 0 || status >= 500 || status < 400
}
