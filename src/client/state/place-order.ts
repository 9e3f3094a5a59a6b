import { atom } from 'jotai'
import { session } from '#shared/contract/auth.ts'
import {
  type Billing,
  IDEMPOTENCY_KEY_HEADER,
  keyReusedBodySchema,
  type Order,
  type Payment,
  placeOrder,
} from '#shared/contract/orders.ts'
import { href } from '#shared/routes.ts'
import { type Cart, withoutUnits } from '#shared/rules/cart.ts'
import { discountCentsOf, subtotalCentsOf } from '#shared/rules/pricing.ts'
import { type ApiResult, callApi } from '../api.ts'
import { cartAtom } from './cart.ts'
import {
  currentAttempt,
  endAttempt,
  isCurrent,
  markAttempt,
  orderUnder,
  unclearAttempt,
} from './order-attempt.ts'
import { type OrderError, offlineError, takeRefusalAtom, unclearError, unsentError } from './order-error.ts'
import { placedAtom } from './placed-order.ts'
import { promotionAtom, recheckPromotionAtom } from './promotion.ts'
import { saveUserAtom, userAtom } from './session.ts'
import { showToastAtom } from './toasts.ts'

/** Where the order stands. `asking`: checkout has opened and finds out whether an earlier try went through. */
export type Placing =
  | { status: 'editing'; error?: OrderError }
  | { status: 'asking' }
  | { status: 'submitting' }
  | { status: 'placed'; number: string }

/** Where the order of this tab stands. */
export const placingAtom = atom<Placing>({ status: 'editing' })

/** An order sent without an answer may still be on its way for this long, in milliseconds; the provider takes 2 s (§ 4). */
const ON_ITS_WAY_MS = 5000
const ASK_AGAIN_MS = 1000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Makes a change of the stored cart; resolves to the cart before it, once the change stands. */
const changeCartAtom = atom(null, (_get, set, change: (cart: Cart) => Cart | null) => {
  return new Promise<Cart>((resolve) => {
    set(cartAtom, (cart) => {
      resolve(cart)
      return change(cart)
    })
  })
})

/**
 * The server has confirmed an order: what was ordered leaves the cart, then the key goes. Of several tabs that hear
 * of it, the first does so.
 */
const settleAtom = atom(null, async (_get, set, order: Order, isEarlier: boolean) => {
  const ordered = order.lines.map(({ productId, qty }) => ({ id: productId, qty }))
  let isFirst: boolean | undefined
  await set(changeCartAtom, (cart) => {
    isFirst ??= isCurrent(order.key)
    const rest = isFirst ? withoutUnits(cart, ordered) : cart
    return rest.length > 0 ? rest : null
  })
  if (isFirst) {
    set(promotionAtom, undefined)
    endAttempt()
  }
  set(placedAtom, { order, isNew: true, isEarlier })
  set(placingAtom, { status: 'placed', number: order.number })
  if (location.pathname !== href('checkout')) void set(showToastAtom, 'success', 'Order Placed Successfully!')
})

/** An attempt without a clear answer, and what to say when it has come to nothing. */
type Unclear = { key: string; sentAtMs: number; error?: OrderError }

/**
 * Finds out whether an unclear attempt has become an order, waiting as long as it may still be on its way.
 * Leaves the status at `placed`, or at `editing` with what to do.
 */
const clearUpAtom = atom(null, async (_get, set, { key, sentAtMs, error = unsentError }: Unclear) => {
  for (;;) {
    const order = await orderUnder(key)
    if (order) return set(settleAtom, order, true)
    if (order === undefined) return set(placingAtom, { status: 'editing', error: unclearError })
    if (Date.now() > sentAtMs + ON_ITS_WAY_MS) break
    await pause(ASK_AGAIN_MS)
  }
  markAttempt({ key })
  set(placingAtom, { status: 'editing', error })
})

/** The connection is back: an order whose fate is unknown is looked up. */
export const askAgainAtom = atom(null, async (get, set) => {
  const placing = get(placingAtom)
  const unclear = unclearAttempt()
  if (placing.status !== 'editing' || placing.error?.kind !== 'unclear' || !unclear) return
  set(placingAtom, { status: 'submitting' })
  await set(clearUpAtom, unclear)
})

/** The placed order has been shown; the next visit to checkout begins afresh. */
export const closePlacedAtom = atom(null, (get, set) => {
  if (get(placingAtom).status === 'placed') set(placingAtom, { status: 'editing' })
})

/** Checkout opens: the key is made, and an attempt that got no answer is cleared up first. */
export const openCheckoutAtom = atom(null, async (get, set) => {
  if (get(placingAtom).status !== 'editing') return
  const unclear = unclearAttempt()
  if (unclear) {
    set(placingAtom, { status: 'asking' })
    return set(clearUpAtom, unclear)
  }
  set(placingAtom, { status: 'editing' })
  const cart = get(cartAtom) ?? []
  if (cart.length === 0) return
  currentAttempt()
  await Promise.all([set(recheckPromotionAtom, cart), set(refreshUserAtom)])
})

/** Fetches what the shop remembers of the user, for the prefill (§ 3); without an answer, what is stored here serves. */
const refreshUserAtom = atom(null, async (_get, set) => {
  const result = await callApi(session)
  if (result.ok) set(saveUserAtom, result.data.user)
})

type Submission = { billing: Billing; payment: Payment; expectedTotalKsh: number }

/**
 * Sends the order under the attempt's key; a second call while one is under way does nothing. The status ends at
 * `placed`, or at `editing` with its error; cart and form stay until the server has confirmed.
 */
export const placeOrderAtom = atom(null, async (get, set, submission: Submission) => {
  if (get(placingAtom).status !== 'editing') return
  set(placingAtom, { status: 'submitting' })
  // As it is stored now: another tab may have ordered it meanwhile.
  const cart = await set(changeCartAtom, (now) => now)
  if (cart.length === 0) return set(placingAtom, { status: 'editing' })

  const attempt = currentAttempt()
  const sentAtMs = Date.now()
  const wasOffline = !navigator.onLine
  markAttempt({ ...attempt, sentAtMs })
  const { billing, payment, expectedTotalKsh } = submission
  const promotion = get(promotionAtom)
  // A code whose minimum is not reached took nothing off the total shown: it waits for another order.
  const isUsed = discountCentsOf(subtotalCentsOf(cart), promotion) > 0
  const result = await callApi(
    placeOrder,
    {
      lines: cart.map(({ id, qty }) => ({ id, qty })),
      billing,
      payment,
      expectedTotal: expectedTotalKsh,
      ...(isUsed && promotion ? { promoCode: promotion.code } : {}),
    },
    { headers: { [IDEMPOTENCY_KEY_HEADER]: attempt.key } },
  )

  if (result.ok) {
    await set(settleAtom, result.data.order, false)
    const user = get(userAtom)
    if (user) set(saveUserAtom, { ...user, ...rememberedOf(billing) })
    return
  }
  // The card is no part of this; § 8 wants the log line.
  console.error(`Checkout submission failed: ${result.status} ${result.code}`)
  const reused = keyReusedBodySchema.safeParse(result.body)
  if (reused.success) return set(settleAtom, reused.data.order, true)
  // Tried all the same: a browser that counts as offline still reaches a shop on its own machine.
  if (result.status === 0 && wasOffline) {
    markAttempt(attempt)
    return set(placingAtom, { status: 'editing', error: offlineError })
  }
  const error = set(takeRefusalAtom, result)
  if (isUnclear(result)) {
    const isOver = result.status > 0
    return set(clearUpAtom, { key: attempt.key, sentAtMs: isOver ? 0 : sentAtMs, error })
  }
  markAttempt(attempt)
  set(placingAtom, { status: 'editing', error })
})

function rememberedOf({ email: _, ...address }: Billing) {
  return address
}

/** Without an answer, or with one that is the server's own fault, an order may have been made. */
function isUnclear({ status }: Extract<ApiResult<unknown>, { ok: false }>): boolean {
  return status === 0 || status >= 500 || status < 400
}
