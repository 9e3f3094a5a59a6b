import { centsToKsh, formatUnbrokenKsh, kshToCents } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'

export const VAT_PERCENT = shop.vatPercent
/**
 * Subtotals above this ship free. The discount isn't subtracted first, so a promo code never costs the shopper
 * free shipping (§ 9).
 */
export const FREE_SHIPPING_ABOVE_KSH = 1000
export const FREE_SHIPPING_HINT_ABOVE_KSH = 500
export const CART_SHIPPING_FEE_KSH = 50
export const STANDARD_SHIPPING_FEE_KSH = 30

/** Rounds to whole KSH, as the total of an order is. */
export function calculatePriceWithVatKsh(priceKsh: number): number {
  const priceCents = kshToCents(priceKsh)
  return Math.round(centsToKsh(priceCents + calculateVatCents(priceCents)))
}

/** Returns a text such as `KSH 3,074 with VAT`. */
export function formatPriceWithVat(priceKsh: number): string {
  return `${formatUnbrokenKsh(calculatePriceWithVatKsh(priceKsh))} with VAT`
}

/** Rounds half up, in integer arithmetic. */
export function calculateVatCents(netCents: number, percent: number = VAT_PERCENT): number {
  return Math.floor((netCents * percent + 50) / 100)
}
