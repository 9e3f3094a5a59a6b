import { atom } from 'jotai'
import { callApi } from '#client/app/api.ts'
import { createStoredAtom } from '#client/app/stored-atom.ts'
import type { Cart } from '#shared/cart/cart.ts'
import { calculateSubtotalCents } from '#shared/checkout/pricing.ts'
import { centsToKsh, formatKsh, formatNameWithSize } from '#shared/format.ts'
import { unknownProductBodySchema } from '#shared/orders/error-bodies.ts'
import { checkPromotionCall, type Promotion, promotionSchema } from '#shared/promotions/contract.ts'

export const promotionAtom = createStoredAtom<Promotion | null>({
  key: 'promotion',
  empty: null,
  parse: (text) => promotionSchema.parse(JSON.parse(text)),
})

export const promotionNoticeAtom = atom('')

/** Changing the cart can't resolve these errors. */
const FINAL_ERROR_CODES = [
  'promotion_unknown',
  'promotion_expired',
  'promotion_exhausted',
  'promotion_not_started',
]

export const toLineRequests = (cart: Cart) => cart.map(({ id, qty }) => ({ id, qty }))

/** Resolves to an error message, or to undefined on success. */
export const applyPromotionAtom = atom(null, async (_get, set, code: string, cart: Cart) => {
  if (code.trim() === '') return 'Please enter a promo code.'
  const result = await callApi(checkPromotionCall, { code, lines: toLineRequests(cart) })
  set(promotionNoticeAtom, '')
  if (result.ok) {
    set(promotionAtom, () => result.data.promotion)
    return undefined
  }
  const unknown = unknownProductBodySchema.safeParse(result.body)
  const line = unknown.success && cart.find(({ id }) => unknown.data.productIds.includes(id))
  if (line)
    return `${formatNameWithSize(line.title, line.size)} is no longer available. Please remove it from your cart and try again.`
  if (result.message) return result.message
  return 'We couldn’t check the code. You seem to be offline. Please try again once you’re back online.'
})

export const recheckPromotionAtom = atom(null, async (get, set, cart: Cart) => {
  const promotion = get(promotionAtom)
  if (!promotion || cart.length === 0) return
  const result = await callApi(checkPromotionCall, { code: promotion.code, lines: toLineRequests(cart) })
  if (get(promotionAtom)?.code !== promotion.code) return
  if (result.ok) set(promotionAtom, () => result.data.promotion)
  else if (FINAL_ERROR_CODES.includes(result.code)) {
    set(promotionAtom, () => null)
    set(promotionNoticeAtom, result.message ?? `${promotion.code} can no longer be used.`)
  }
})

export function describePromotionEffect({ code, minimumSubtotalCents }: Promotion, cart: Cart): string {
  const missingCents = minimumSubtotalCents - calculateSubtotalCents(cart)
  return missingCents > 0
    ? `Add ${formatKsh(centsToKsh(missingCents))} more to use ${code}.`
    : `${code} applied.`
}
