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

/** Rounds half up, in integer arithmetic. */
export function calculateVatCents(netCents: number, percent: number = VAT_PERCENT): number {
  return Math.floor((netCents * percent + 50) / 100)
}
