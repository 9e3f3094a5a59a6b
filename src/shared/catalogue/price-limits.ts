import { calculatePriceWithVatCents } from '#shared/checkout/fees.ts'
import { kshToCents } from '#shared/format.ts'

/** The limits include VAT, because shoppers compare them with what they pay. */
export type PriceLimits = { minKsh?: number | undefined; maxKsh?: number | undefined }

/** `priceKsh` excludes VAT. */
export function isWithinLimits(priceKsh: number, { minKsh = 0, maxKsh = Infinity }: PriceLimits): boolean {
  const cents = calculatePriceWithVatCents(priceKsh)
  return cents >= kshToCents(minKsh) && cents <= kshToCents(maxKsh)
}
