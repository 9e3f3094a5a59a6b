import { CENTS, centsToKsh } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
/** VAT, in whole percent of the subtotal after discount (§ 9). */
export const VAT_PERCENT = shop.vatPercent
/** Shipping is free above this subtotal, in KSH (§ 9). It is the subtotal before any discount: a code never costs free shipping. */
export const FREE_SHIPPING_ABOVE_KSH = 1000
/** The cart hints at free shipping above this subtotal, in KSH, until shipping is free (§ 9). */
export const FREE_SHIPPING_HINT_ABOVE_KSH = 500
/** The cart's estimate of the shipping fee, in KSH (§ 9). */
export const CART_SHIPPING_FEE_KSH = 50
/** The shipping fee that is charged, in KSH (§ 9). */
export const CHECKOUT_SHIPPING_FEE_KSH = 30

/** What pricing needs of a line: the unit price in KSH, and how many. */
export type PricedLine = { price: number; qty: number }

/** What a promo code takes off: whole percent, or cents for `fixed`; nothing below the minimum. */
export type DiscountTerms = { kind: 'percent' | 'fixed'; value: number; minimumSubtotalCents: number }

/**
 * What a cart comes to, in cents. Always: subtotal − discount + shipping + VAT + rounding = total, and only
 * rounding can be below zero.
 */
export type OrderTotals = {
  subtotalCents: number
  discountCents: number
  shippingCents: number
  /** VAT on the subtotal after discount. */
  vatCents: number
  /** What rounding the total to whole KSH added or took, at most half a shilling; always 0 in the cart. */
  roundingCents: number
  totalCents: number
}

/** A price of the catalogue, KSH to cents. */
export function kshToCents(priceKsh: number): number {
  return Math.round(priceKsh * CENTS)
}

/** A line's total, in cents. */
export function lineTotalCents({ price, qty }: PricedLine): number {
  return kshToCents(price) * qty
}

/** The sum of all lines, in cents. */
export function subtotalCentsOf(lines: readonly PricedLine[]): number {
  return lines.reduce((sum, line) => sum + lineTotalCents(line), 0)
}

/** What a promo code takes off a subtotal, in cents: never more than the subtotal, 0 below the code's minimum. */
export function discountCentsOf(subtotalCents: number, terms: DiscountTerms | null | undefined): number {
  if (!terms || subtotalCents < terms.minimumSubtotalCents) return 0
  const wanted = terms.kind === 'fixed' ? terms.value : Math.round((subtotalCents * terms.value) / 100)
  return Math.min(wanted, subtotalCents)
}

/** Whether shipping is free (§ 9). */
export function hasFreeShipping(subtotalCents: number): boolean {
  return subtotalCents > kshToCents(FREE_SHIPPING_ABOVE_KSH)
}

/**
 * The `n` of "Add KSH n more for free shipping": the smallest whole amount that really makes it free, 500 at 501
 * and 1 at 1000. Undefined where the cart gives no hint: up to 500 and above 1000 (§ 2, § 9).
 */
export function freeShippingGapKsh(subtotalCents: number): number | undefined {
  const isHinted = subtotalCents > kshToCents(FREE_SHIPPING_HINT_ABOVE_KSH) && !hasFreeShipping(subtotalCents)
  return isHinted
    ? Math.floor(centsToKsh(kshToCents(FREE_SHIPPING_ABOVE_KSH) - subtotalCents)) + 1
    : undefined
}

/** What the cart shows: shipping is an estimate unless the county's fee is known, and the total is exact to the cent (§ 2, § 9). */
export function cartTotals(
  lines: readonly PricedLine[],
  terms?: DiscountTerms | null,
  feeKsh = CART_SHIPPING_FEE_KSH,
): OrderTotals {
  return totals(lines, terms, feeKsh, 1)
}

/** What checkout shows and the order charges: the total rounded once, half up, to whole KSH (§ 2, § 9). */
export function checkoutTotals(
  lines: readonly PricedLine[],
  terms?: DiscountTerms | null,
  feeKsh = CHECKOUT_SHIPPING_FEE_KSH,
): OrderTotals {
  return totals(lines, terms, feeKsh, CENTS)
}

function totals(
  lines: readonly PricedLine[],
  terms: DiscountTerms | null | undefined,
  feeKsh: number,
  stepCents: number,
): OrderTotals {
  const subtotalCents = subtotalCentsOf(lines)
  const discountCents = discountCentsOf(subtotalCents, terms)
  const isFree = lines.length === 0 || hasFreeShipping(subtotalCents)
  const shippingCents = isFree ? 0 : kshToCents(feeKsh)
  const taxedCents = subtotalCents - discountCents
  const vatCents = roundTo(1, taxedCents * VAT_PERCENT)
  // From the exact VAT, in hundredths of a cent, so that nothing is rounded twice.
  const totalCents = roundTo(stepCents, (taxedCents + shippingCents) * 100 + taxedCents * VAT_PERCENT)
  const roundingCents = totalCents - (taxedCents + shippingCents + vatCents)
  return { subtotalCents, discountCents, shippingCents, vatCents, roundingCents, totalCents }
}

/** Hundredths of a cent to a multiple of `stepCents`, half up, in integers only. */
function roundTo(stepCents: number, hundredths: number): number {
  return Math.floor((2 * hundredths + stepCents * 100) / (2 * stepCents * 100)) * stepCents
}
