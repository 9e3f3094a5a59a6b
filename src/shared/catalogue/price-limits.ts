import { calculatePriceWithVatKsh } from '#shared/checkout/fees.ts'
import type { Catalogue, Product } from './catalogue.ts'
import { listProductItems } from './items.ts'

/** The limits include VAT, because shoppers compare them with what they pay. */
export type PriceLimits = { minKsh?: number | undefined; maxKsh?: number | undefined }

/** `priceKsh` excludes VAT. */
export function isWithinLimits(priceKsh: number, limits: PriceLimits): boolean {
  return getDistanceKsh(priceKsh, limits) === 0
}

function getDistanceKsh(priceKsh: number, { minKsh = 0, maxKsh = Infinity }: PriceLimits): number {
  const paidKsh = calculatePriceWithVatKsh(priceKsh)
  return Math.max(0, minKsh - paidKsh, paidKsh - maxKsh)
}

export function sortByNearestPrice(products: Catalogue, limits: PriceLimits): Catalogue {
  const distances = new Map(
    products.map((product) => [
      product,
      Math.min(...listProductItems(product).map(({ price }) => getDistanceKsh(price, limits))),
    ]),
  )
  return products.toSorted((a, b) => (distances.get(a) ?? 0) - (distances.get(b) ?? 0))
}

/** What costs up to 20% more than a maximum price is just above it. */
export const JUST_ABOVE_RATIO = 1.2

/**
 * Of products above a maximum price, returns those just above it or, if there are none, just above the nearest. With
 * other limits, returns all products.
 */
export function listNearestPrices(products: Catalogue, { minKsh, maxKsh }: PriceLimits) {
  if (minKsh || !maxKsh || products.length === 0) return { nearest: products, isJustAbove: false }
  const isNear = (ksh: number) => (product: Product) => getLowestPaidKsh(product) <= ksh * JUST_ABOVE_RATIO
  const isJustAbove = products.some(isNear(maxKsh))
  const fromKsh = isJustAbove ? maxKsh : Math.min(...products.map(getLowestPaidKsh))
  return { nearest: products.filter(isNear(fromKsh)), isJustAbove }
}

function getLowestPaidKsh(product: Product): number {
  return Math.min(...listProductItems(product).map(({ price }) => calculatePriceWithVatKsh(price)))
}
