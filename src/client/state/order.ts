import { atom } from 'jotai'
import * as z from 'zod/mini'
import { session } from '#shared/contract/auth.ts'
import {
  type Billing,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_HEADER,
  keyReusedBodySchema,
  listOrders,
  type Order,
  type Payment,
  placeOrder,
} from '#shared/contract/orders.ts'
import { href } from '#shared/routes.ts'
import { withoutUnits } from '#shared/rules/cart-lines.ts'
import { discountCentsOf, subtotalCentsOf } from '#shared/rules/pricing.ts'
import { callApi } from '../api.ts'
import type { ApiResult } from '../make-call.ts'
import { cartAtom } from './cart.ts'
import { type OrderError, offlineError, rejectedOrderAtom, unclearError, unsentError } from './order-error.ts'
import { promotionAtom, recheckPromotionAtom } from './promotion.ts'
import { saveUserAtom, userAtom } from './session.ts'
import { storedAtom } from './stored-atom.ts'
import { showToastAtom } from './toasts.ts'

/** Placing an order, step by step. `checking`: checkout has opened and looks up an earlier attempt. */
export type Placing =
  | { status: 'editing'; error?: OrderError }
  | { status: 'checking' }
  | { status: 'submitting' }
  | { status: 'placed'; number: string }

export const placingAtom = atom<Placing>({ status: 'editing' })

/** An order that checkout shows as placed. */
export type PlacedOrder = {
  order: Order
  /** It was confirmed on this page, a moment ago. */
  isNew: boolean
  /** It came from an earlier attempt whose response was lost. */
  isEarlier: boolean
}

/** The order that was placed or loaded last; undefined before. */
export const placedOrderAtom = atom<PlacedOrder | undefined>(undefined)

/** `sentAtMs`: when it was last sent without a clear response; such an attempt may have become an order. */
const attemptSchema = z.object({
  key: z.string().check(z.regex(IDEMPOTENCY_KEY)),
  sentAtMs: z.optional(z.number()),
})
type Attempt = z.infer<typeof attemptSchema>

/*
 * One key lives from the first opening of checkout until the server confirms an order under it, through reloads, other
 * tabs and changes of the cart alike, so that there is never more than one order. docs/decisions/013 has the reasoning.
 */
const attemptAtom = storedAtom<Attempt | null>({
  key: 'order',
  empty: null,
  parse: (text) => attemptSchema.parse(JSON.parse(text)),
})

/** The attempt that was sent without a clear response; undefined when there is none. */
const unclearAttemptAtom = atom(null, (_get, set): UnclearAttempt | undefined => {
  const { key, sentAtMs } = set(attemptAtom) ?? {}
  return key !== undefined && sentAtMs !== undefined ? { key, sentAtMs } : undefined
})

/** Stores whether an attempt is unclear, unless it has been settled meanwhile. */
const markAttemptAtom = atom(null, (_get, set, attempt: Attempt) => {
  set(attemptAtom, (now) => (now?.key === attempt.key ? attempt : now))
})

/** `crypto.randomUUID` exists in secure contexts only; a shop on plain http needs keys too. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** How long an order without a response may still reach the server, in milliseconds; the provider takes 2 s (§ 4). */
const IN_FLIGHT_MS = 5000
const CHECK_AGAIN_MS = 1000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * The server has confirmed an order: what was ordered leaves the cart, then the key is deleted. Of several tabs that
 * learn of it, the first does so.
 */
const settleAtom = atom(null, async (_get, set, order: Order, isEarlier: boolean) => {
  const ordered = order.lines.map(({ productId, qty }) => ({ id: productId, qty }))
  let isFirst: boolean | undefined
  await set(cartAtom, (cart) => {
    isFirst ??= set(attemptAtom)?.key === order.key
    const rest = isFirst ? withoutUnits(cart, ordered) : cart
    return rest.length > 0 ? rest : null
  })
  if (isFirst) {
    set(promotionAtom, () => null)
    set(attemptAtom, () => null)
  }
  set(placedOrderAtom, { order, isNew: true, isEarlier })
  set(placingAtom, { status: 'placed', number: order.number })
  if (location.pathname !== href('checkout')) void set(showToastAtom, 'success', 'Order Placed Successfully!')
})

/** An attempt without a clear response; `error` is shown when it has not become an order. */
type UnclearAttempt = { key: string; sentAtMs: number; error?: OrderError }

/**
 * Looks up whether an unclear attempt has become an order, waiting as long as it may still reach the server.
 * Leaves the status at `placed`, or at `editing` with an error.
 */
const resolveAttemptAtom = atom(
  null,
  async (_get, set, { key, sentAtMs, error = unsentError }: UnclearAttempt) => {
    for (;;) {
      const result = await callApi(listOrders)
      if (!result.ok) return set(placingAtom, { status: 'editing', error: unclearError })
      const order = result.data.orders.find((candidate) => candidate.key === key)
      if (order && isPlaced(order)) return set(settleAtom, order, true)
      if (Date.now() > sentAtMs + IN_FLIGHT_MS) break
      await pause(CHECK_AGAIN_MS)
    }
    set(markAttemptAtom, { key })
    set(placingAtom, { status: 'editing', error })
  },
)

/** The connection is back: looks up an attempt whose outcome is unknown. */
export const recheckAttemptAtom = atom(null, async (get, set) => {
  const placing = get(placingAtom)
  const unclear = set(unclearAttemptAtom)
  if (placing.status !== 'editing' || placing.error?.kind !== 'unclear' || !unclear) return
  set(placingAtom, { status: 'submitting' })
  await set(resolveAttemptAtom, unclear)
})

/** The placed order has been shown; the next visit to checkout starts a new one. */
export const closePlacedAtom = atom(null, (get, set) => {
  if (get(placingAtom).status === 'placed') set(placingAtom, { status: 'editing' })
})

/** Checkout opens: an attempt without a response is looked up first, otherwise there is a key from now on. */
export const openCheckoutAtom = atom(null, async (get, set) => {
  if (get(placingAtom).status !== 'editing') return
  const unclear = set(unclearAttemptAtom)
  if (unclear) {
    set(placingAtom, { status: 'checking' })
    return set(resolveAttemptAtom, unclear)
  }
  set(placingAtom, { status: 'editing' })
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
 * `placed`, or at `editing` with its error; cart and form stay until the server has confirmed.
 */
export const placeOrderAtom = atom(null, async (get, set, submission: Submission) => {
  if (get(placingAtom).status !== 'editing') return
  set(placingAtom, { status: 'submitting' })
  // As it is stored now: another tab may have ordered it meanwhile.
  const cart = (await set(cartAtom)) ?? []
  if (cart.length === 0) return set(placingAtom, { status: 'editing' })

  const attempt = set(attemptAtom) ?? { key: newKey() }
  const sentAtMs = Date.now()
  const wasOffline = !navigator.onLine
  set(attemptAtom, () => ({ ...attempt, sentAtMs }))
  const { billing, payment, expectedTotalKsh } = submission
  const promotion = get(promotionAtom)
  // A code whose minimum is not reached is left for another order.
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

  if (result.ok && result.data.payment.status !== 'paid') {
    const { message } = result.data.payment
    return set(placingAtom, { status: 'editing', error: { ...unsentError, message } })
  }
  if (result.ok) {
    await set(settleAtom, result.data.order, false)
    const user = get(userAtom)
    if (user) set(saveUserAtom, { ...user, ...rememberedOf(billing) })
    return
  }
  // § 8; nothing of the card is in it.
  console.error(`Checkout submission failed: ${result.status} ${result.code}`)
  const reused = keyReusedBodySchema.safeParse(result.body)
  if (reused.success && isPlaced(reused.data.order)) return set(settleAtom, reused.data.order, true)
  // That order came to nothing: this one gets a key of its own.
  if (reused.success || result.code === 'order_closed') {
    set(attemptAtom, () => ({ key: newKey() }))
    return set(placingAtom, { status: 'editing', error: unsentError })
  }
  // It was sent all the same: a browser that is offline still reaches a shop on its own machine.
  if (result.status === 0 && wasOffline) {
    set(markAttemptAtom, attempt)
    return set(placingAtom, { status: 'editing', error: offlineError })
  }
  const error = set(rejectedOrderAtom, result)
  if (isUnclear(result)) {
    const hasEnded = result.status > 0
    return set(resolveAttemptAtom, { key: attempt.key, sentAtMs: hasEnded ? 0 : sentAtMs, error })
  }
  set(markAttemptAtom, attempt)
  set(placingAtom, { status: 'editing', error })
})

/** Whether an order is paid for, or was. */
function isPlaced({ status }: Order): boolean {
  return !['awaiting_payment', 'expired', 'cancelled'].includes(status)
}

/** The part of the billing details that becomes the user's; the account keeps its own e-mail. */
function rememberedOf({ email: _, ...address }: Billing) {
  return address
}

/** Without a response, or with one that is the server's own fault, an order may have been made. */
function isUnclear({ status }: Extract<ApiResult<unknown>, { ok: false }>): boolean {
  return status === 0 || status >= 500 || status < 400
}

/** Loads one of the user's orders into {@link placedOrderAtom}. Resolves to why it could not, or to undefined. */
export const loadOrderAtom = atom(null, async (get, set, number: string) => {
  if (get(placedOrderAtom)?.order.number === number) return undefined
  const result = await callApi(listOrders)
  if (!result.ok) return 'failed'
  const order = result.data.orders.find((candidate) => candidate.number === number)
  if (!order) return 'unknown'
  set(placedOrderAtom, { order, isNew: false, isEarlier: false })
  return undefined
})
