import { CENTS_PER_KSH, centsToKsh, kshToCents } from '#shared/format.ts'
import {
  CART_SHIPPING_FEE_KSH,
  calculateVatCents,
  FREE_SHIPPING_ABOVE_KSH,
  FREE_SHIPPING_HINT_ABOVE_KSH,
  STANDARD_SHIPPING_FEE_KSH,
  VAT_PERCENT,
} from './fees.ts'

export type PricedLine = { price: number; qty: number }

export type DiscountTerms = { kind: 'percent' | 'fixed'; value: number; minimumSubtotalCents: number }

/** Amounts in cents: subtotal − discount + shipping + VAT + rounding = total. Only the rounding can be negative. */
export type OrderTotals = {
  subtotalCents: number
  discountCents: number
  shippingCents: number
  vatCents: number
  /** The difference that rounding the total to whole KSH makes: at most half a shilling, and 0 in the cart. */
  roundingCents: number
  totalCents: number
}

export function calculateRoundingCents({
  subtotalCents,
  discountCents,
  shippingCents,
  vatCents,
  totalCents,
}: Omit<OrderTotals, 'roundingCents'>): number {
  return totalCents - (subtotalCents - discountCents + shippingCents + vatCents)
}

export function calculateLineTotalCents({ price, qty }: PricedLine): number {
  return kshToCents(price) * qty
}

export function calculateSubtotalCents(lines: readonly PricedLine[]): number {
  return lines.reduce((sum, line) => sum + calculateLineTotalCents(line), 0)
}

export function calculateDiscountCents(
  subtotalCents: number,
  terms: DiscountTerms | null | undefined,
): number {
  if (!terms || subtotalCents < terms.minimumSubtotalCents) return 0
  const discountCents = terms.kind === 'fixed' ? terms.value : Math.round((subtotalCents * terms.value) / 100)
  return Math.min(discountCents, subtotalCents)
}

export function hasFreeShipping(subtotalCents: number): boolean {
  return subtotalCents > kshToCents(FREE_SHIPPING_ABOVE_KSH)
}

/** Returns undefined if the cart shows no hint (§ 2, § 9). */
export function calculateFreeShippingGapKsh(subtotalCents: number): number | undefined {
  const showsHint =
    subtotalCents > kshToCents(FREE_SHIPPING_HINT_ABOVE_KSH) && !hasFreeShipping(subtotalCents)
  return showsHint
    ? Math.floor(centsToKsh(kshToCents(FREE_SHIPPING_ABOVE_KSH) - subtotalCents)) + 1
    : undefined
}

/** The amounts are exact to the cent. Shipping is an estimate unless the county's fee is known (§ 2, § 9). */
export function calculateCartTotals(
  lines: readonly PricedLine[],
  terms?: DiscountTerms | null,
  feeKsh = CART_SHIPPING_FEE_KSH,
): OrderTotals {
  return calculateTotals(lines, terms, feeKsh, 1)
}

/** The total is rounded once, half up, to whole KSH (§ 2, § 9). */
export function calculateCheckoutTotals(
  lines: readonly PricedLine[],
  terms?: DiscountTerms | null,
  feeKsh = STANDARD_SHIPPING_FEE_KSH,
): OrderTotals {
  return calculateTotals(lines, terms, feeKsh, CENTS_PER_KSH)
}

/** The terms of a placed order that stay the same when its lines change. */
export type AgreedTerms = { shippingCents: number; vatPercent: number }

export function calculateAgreedTotals(
  lines: readonly PricedLine[],
  terms: DiscountTerms | null | undefined,
  agreed: AgreedTerms,
): OrderTotals {
  return sumTotals(lines, terms, agreed, CENTS_PER_KSH)
}

function calculateTotals(
  lines: readonly PricedLine[],
  terms: DiscountTerms | null | undefined,
  feeKsh: number,
  stepCents: number,
): OrderTotals {
  const isFree = lines.length === 0 || hasFreeShipping(calculateSubtotalCents(lines))
  const shippingCents = isFree ? 0 : kshToCents(feeKsh)
  return sumTotals(lines, terms, { shippingCents, vatPercent: VAT_PERCENT }, stepCents)
}

function sumTotals(
  lines: readonly PricedLine[],
  terms: DiscountTerms | null | undefined,
  { shippingCents, vatPercent }: AgreedTerms,
  stepCents: number,
): OrderTotals {
  const subtotalCents = calculateSubtotalCents(lines)
  const discountCents = calculateDiscountCents(subtotalCents, terms)
  const taxedCents = subtotalCents - discountCents
  const vatCents = calculateVatCents(taxedCents, vatPercent)
  // The sum uses the exact VAT in hundredths of a cent, which avoids rounding twice.
  const totalCents = roundTo(stepCents, (taxedCents + shippingCents) * 100 + taxedCents * vatPercent)
  const totals = { subtotalCents, discountCents, shippingCents, vatCents, totalCents }
  return { ...totals, roundingCents: calculateRoundingCents(totals) }
}

/** Rounds hundredths of a cent half up to a multiple of `stepCents`, in integer arithmetic. */
function roundTo(stepCents: number, hundredths: number): number {
  return Math.floor((2 * hundredths + stepCents * 100) / (2 * stepCents * 100)) * stepCents
}
