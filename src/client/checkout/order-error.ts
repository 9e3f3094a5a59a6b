import { atom } from 'jotai'
import type { z } from 'zod/mini'
import { bootAtom } from '#client/app/boot.ts'
import type { ApiFailure } from '#client/app/send-request.ts'
import { dismissCartChangesAtom, formatPriceChange, formatUnavailable } from '#client/cart/price-changes.ts'
import { promotionAtom } from '#client/cart/promotion.ts'
import { setUnitsLeftAtom, unitsLeftAtom } from '#client/cart/stock.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { type Cart, type CartLine, toCartProduct, withProductFields } from '#shared/cart/cart.ts'
import { type DeliveryQuote, quoteDelivery } from '#shared/checkout/delivery.ts'
import { centsToKsh, formatKsh, formatNameWithSize, formatOutOfStock } from '#shared/format.ts'
import {
  cashRefusedBodySchema,
  changedBodySchema,
  outOfStockBodySchema,
  unknownProductBodySchema,
} from '#shared/orders/error-bodies.ts'
import { PROMPT_PHONE_FIELD } from '#shared/payments/providers.ts'
import { deliveryChoiceAtom } from './billing.ts'

export type OrderError = {
  /** With `unclear`, the order may exist; the idempotency key makes a retry safe. */
  kind: 'rejected' | 'unclear'
  message: string
  changes: readonly string[]
  isOutOfStock?: true
  /** Nothing failed, so the message needs no reassurance and isn't red. */
  isNotice?: true
  fieldErrors: Record<string, string>
}

const NO_DETAILS = { changes: [], fieldErrors: {} } as const

export const offlineError: OrderError = {
  ...NO_DETAILS,
  kind: 'rejected',
  message: 'You’re offline, so your order wasn’t sent. Reconnect, then press the button again.',
}

export const unconfirmedError: OrderError = {
  ...NO_DETAILS,
  kind: 'unclear',
  message:
    'We lost the connection before we could confirm your order. Once you’re back online, we’ll check whether it was placed.',
}

export function createUncheckedPaymentError(number: string): OrderError {
  const message = `Your order ${number} is waiting for payment. Once you’re back online, we’ll check whether it was paid.`
  return { ...unconfirmedError, message }
}

export const notSentError: OrderError = {
  ...NO_DETAILS,
  kind: 'rejected',
  message: 'Your order didn’t go through. Please try again.',
}

const UNAVAILABLE_MESSAGE = 'Your order wasn’t placed because some items are no longer available.'

/** Also updates the cart, stock, promo code and delivery terms from the error response. */
export const handleRejectionAtom = atom(
  null,
  (get, set, { code, message, errors, body }: ApiFailure): OrderError => {
    const cart = get(cartAtom) ?? []
    const toOrderError = (text: string | undefined, changes: string[] = []): OrderError => ({
      kind: 'rejected',
      message: text ?? notSentError.message,
      changes,
      fieldErrors: Object.fromEntries(
        Object.entries(errors).map(([path, text]) => [toFormField(path), text]),
      ),
    })

    const changed = changedBodySchema.safeParse(body)
    if (changed.success) {
      const { lines, totals, delivery } = changed.data
      const { quote, ...choice } = get(deliveryChoiceAtom)
      const fee = listFeeChange(quote, quoteDelivery(delivery, choice))
      const changes = [...listPriceChanges(cart, lines), ...(totals.shippingCents > 0 ? fee : [])]
      set(bootAtom, (boot) => ({ ...boot, delivery }))
      set(dismissCartChangesAtom)
      set(cartAtom, (now) => now.map((line) => withCurrentProduct(line, lines)))
      if (code === 'promotion_refused') set(promotionAtom, () => null)
      return toOrderError(message, [
        ...changes,
        `The total is now ${formatKsh(centsToKsh(totals.totalCents))}.`,
      ])
    }
    const outOfStock = outOfStockBodySchema.safeParse(body)
    if (outOfStock.success) {
      const { short } = outOfStock.data
      set(setUnitsLeftAtom, short)
      const shortage = describeShortage(cart, new Map(short.map(({ id, left }) => [id, left])))
      return { ...toOrderError(shortage.message, shortage.changes), isOutOfStock: true }
    }
    const unknown = unknownProductBodySchema.safeParse(body)
    if (unknown.success) {
      const { productIds } = unknown.data
      const removedLines = cart.filter(({ id }) => productIds.includes(id))
      set(dismissCartChangesAtom)
      set(cartAtom, (now) => now.filter(({ id }) => !productIds.includes(id)))
      const isCartEmpty = removedLines.length === cart.length
      return toOrderError(
        isCartEmpty ? UNAVAILABLE_MESSAGE : `${UNAVAILABLE_MESSAGE} Please check the new total and confirm.`,
        removedLines.map((line) => `${formatUnavailable(line)} We’ve removed it from your cart.`),
      )
    }
    const cashRefused = cashRefusedBodySchema.safeParse(body)
    if (cashRefused.success) set(bootAtom, (boot) => ({ ...boot, delivery: cashRefused.data.delivery }))
    return toOrderError(message)
  },
)

export function listShortages(cart: Cart, unitsLeft: ReadonlyMap<number, number>) {
  return cart.flatMap((line) => {
    const left = unitsLeft.get(line.id)
    return left !== undefined && left < line.qty ? [{ ...line, left }] : []
  })
}

function describeShortage(cart: Cart, unitsLeft: ReadonlyMap<number, number>) {
  const short = listShortages(cart, unitsLeft)
  const isSoldOut = short.some(({ left }) => left <= 0)
  return {
    message: isSoldOut ? 'Some items are sold out.' : 'We no longer have enough of some items.',
    changes: short.map(({ title, size, left }) => formatOutOfStock(formatNameWithSize(title, size), left)),
  }
}

/** What checkout says before the order is sent. Undefined if the stock covers the cart. */
export const shortageNoticeAtom = atom((get): OrderError | undefined => {
  const shortage = describeShortage(get(cartAtom) ?? [], get(unitsLeftAtom))
  if (shortage.changes.length === 0) return undefined
  return { ...NO_DETAILS, ...shortage, kind: 'rejected', isOutOfStock: true, isNotice: true }
})

function listFeeChange({ feeKsh: shownKsh, pickup }: DeliveryQuote, { feeKsh }: DeliveryQuote): string[] {
  if (feeKsh === shownKsh) return []
  const shown = pickup === null ? ` (was ${formatKsh(shownKsh)})` : ''
  return [`Shipping is now ${formatKsh(feeKsh)}${shown}.`]
}

function toFormField(path: string): string {
  return path === 'payment.phone' ? PROMPT_PHONE_FIELD : path.replace(/^billing\./, '')
}

type ShopLine = z.infer<typeof changedBodySchema>['lines'][number]

function withCurrentProduct(line: CartLine, lines: readonly ShopLine[]): CartLine {
  const current = lines.find(({ id }) => id === line.id)
  return current ? withProductFields(line, toCartProduct(current)) : line
}

function listPriceChanges(cart: Cart, lines: readonly ShopLine[]): string[] {
  return cart.flatMap((line) => {
    const current = lines.find(({ id }) => id === line.id)
    return current && current.price !== line.price ? formatPriceChange(line, current.price) : []
  })
}
