import { atom } from 'jotai'
import { callApi } from '#client/app/api.ts'
import type { ApiResult } from '#client/app/send-request.ts'
import { createStoredAtom } from '#client/app/stored-atom.ts'
import { dismissUndoAtom } from '#client/cart/cart-actions.ts'
import { promotionAtom } from '#client/cart/promotion.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { withParams } from '#shared/api-call.ts'
import { removeUnits } from '#shared/cart/cart-lines.ts'
import { cancelOrderCall, getPaymentCall, type Order, payOrderCall } from '#shared/orders/contract.ts'
import { paymentFailedBodySchema } from '#shared/orders/error-bodies.ts'
import { getPaymentMethod, type Payment, type PaymentState } from '#shared/payments/contract.ts'
import {
  hasFlow,
  type PaymentMethod,
  type PaymentProviderName,
  PROMPT_PHONE_FIELD,
} from '#shared/payments/providers.ts'
import { billingDraftAtom } from './billing.ts'
import { checkoutAttemptAtom, updateCheckoutAttemptAtom } from './stored-attempt.ts'

type OrderAndPayment = { order: Order; payment: PaymentState }

export type ShownOrder = {
  order: Order
  /** Null if only the order was loaded, which happens only for placed orders. */
  payment: PaymentState | null
  /** The time by the browser's clock from which the durations in `payment` count. */
  receivedAtMs: number
  isNew: boolean
  isFromEarlierAttempt: boolean
  replacedNumber: string | undefined
}
export type ShownOrderContext = Partial<Pick<ShownOrder, 'isNew' | 'isFromEarlierAttempt' | 'replacedNumber'>>

export const shownOrderAtom = atom<ShownOrder | undefined>(undefined)

export const isConnectionLostAtom = atom(false)

export const selectedProviderAtom = atom<PaymentMethod | undefined>(undefined)

export const lastPaymentMethodAtom = createStoredAtom<string>({
  key: 'pay-with',
  empty: '',
  parse: String,
  serialize: String,
})

/** True while an order waits for the URL of the provider's payment page. */
export const isRedirectingToPayAtom = atom(false)

export function isPlaced(order: Order): boolean {
  return order.status !== 'awaiting_payment' && !isClosed(order)
}

export function isClosed({ status }: Order): boolean {
  return status === 'cancelled' || status === 'expired'
}

/**
 * If the order came from the stored attempt, also updates the attempt and, once the order is placed, removes its
 * units from the cart.
 */
export const applyOrderAtom = atom(
  null,
  async (
    get,
    set,
    { order, payment }: Omit<OrderAndPayment, 'payment'> & Pick<ShownOrder, 'payment'>,
    context: ShownOrderContext = {},
  ) => {
    const { key, number } = order
    if (isPlaced(order)) await set(removeOrderedUnitsAtom, order, payment?.provider)
    else if (isClosed(order)) set(checkoutAttemptAtom, (now) => (now?.key === key ? null : now))
    else set(updateCheckoutAttemptAtom, { key, number })
    const shown = get(shownOrderAtom)
    const previous = shown?.order.number === number ? shown : undefined
    const isNew = previous !== undefined && previous.order.status !== order.status
    set(isConnectionLostAtom, false)
    set(shownOrderAtom, {
      order,
      payment,
      receivedAtMs: Date.now(),
      isNew: context.isNew ?? (isNew || (previous?.isNew ?? false)),
      isFromEarlierAttempt: context.isFromEarlierAttempt ?? previous?.isFromEarlierAttempt ?? false,
      replacedNumber: context.replacedNumber ?? previous?.replacedNumber,
    })
  },
)

/** The first tab to run this also deletes the attempt, so that other tabs leave the cart alone. */
const removeOrderedUnitsAtom = atom(
  null,
  async (_get, set, { key, lines, totals }: Order, provider?: PaymentProviderName) => {
    const orderedItems = lines.map(({ productId, qty }) => ({ id: productId, qty }))
    let isFirst: boolean | undefined
    await set(cartAtom, (cart) => {
      isFirst ??= set(checkoutAttemptAtom)?.key === key
      const rest = isFirst ? removeUnits(cart, orderedItems) : cart
      return rest.length > 0 ? rest : null
    })
    if (!isFirst) return
    if (provider && totals.totalCents > 0) set(lastPaymentMethodAtom, () => provider)
    set(billingDraftAtom, () => null)
    set(dismissUndoAtom)
    set(promotionAtom, () => null)
    set(checkoutAttemptAtom, () => null)
  },
)

const MIN_RELOAD_INTERVAL_MS = 30_000

/** Reloads the page if it can't read the response, which a newer build has sent. Returns whether it can't. */
export function reloadIfOutdated(result: ApiResult<unknown>): boolean {
  const isOutdated = !result.ok && result.status >= 200 && result.status < 300
  if (isOutdated && performance.now() >= MIN_RELOAD_INTERVAL_MS) location.reload()
  return isOutdated
}

export const refreshOrderAtom = atom(null, async (_get, set, number: string, context?: ShownOrderContext) => {
  const result = await callApi(withParams(getPaymentCall, { number }))
  if (result.ok) {
    await set(applyOrderAtom, result.data, context)
    return undefined
  }
  if (result.status === 404) return 'unknown'
  if (reloadIfOutdated(result)) return 'failed'
  set(isConnectionLostAtom, true)
  return 'failed'
})

export const loadOrderAtom = atom(null, async (get, set, number: string) => {
  if (get(shownOrderAtom)?.order.number === number) return undefined
  return set(refreshOrderAtom, number)
})

export type PaymentFailure = { message: string; fieldErrors: Record<string, string> }

export const PAYMENT_UNCONFIRMED_MESSAGE =
  'We lost the connection. If you get a prompt on your phone, it’s safe to enter your PIN: you won’t be charged twice. Otherwise, please try again.'

export const payAgainAtom = atom(null, async (get, set, number: string, payment: Payment) => {
  const result = await callApi(withParams(payOrderCall, { number }), { payment })
  const failure = await set(applyOrderResultAtom, number, result)
  const isWaiting = get(shownOrderAtom)?.payment?.status === 'waiting'
  set(isRedirectingToPayAtom, isWaiting && hasFlow(getPaymentMethod(payment), 'redirect'))
  return failure
})

export const cancelOrderAtom = atom(null, async (_get, set, number: string) => {
  return set(applyOrderResultAtom, number, await callApi(withParams(cancelOrderCall, { number }), {}))
})

const applyOrderResultAtom = atom(
  null,
  async (
    _get,
    set,
    number: string,
    result: ApiResult<OrderAndPayment>,
  ): Promise<PaymentFailure | undefined> => {
    if (result.ok) {
      await set(applyOrderAtom, result.data)
      return undefined
    }
    const { message = PAYMENT_UNCONFIRMED_MESSAGE, errors, body } = result
    const failed = paymentFailedBodySchema.safeParse(body)
    // After a lost or unreadable response or a server error, the payment may still have started.
    if (failed.success) await set(applyOrderAtom, failed.data)
    else if (result.status < 400 || result.status >= 500) await set(refreshOrderAtom, number)
    if (failed.success && failed.data.payment.message === message) return undefined
    const phone = errors['payment.phone']
    return { message, fieldErrors: phone ? { [PROMPT_PHONE_FIELD]: phone } : {} }
  },
)
