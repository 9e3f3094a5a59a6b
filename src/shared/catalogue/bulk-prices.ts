import { CENTS_PER_KSH } from '#shared/format.ts'
import { MAX_PRICE_KSH } from './catalogue-schema.ts'

export type PriceChange = { percent: number } | { amountKsh: number }

/** A percentage rounds half up to whole KSH; an amount is exact to the cent. */
export function changePrice(priceKsh: number, change: PriceChange): number | undefined {
  const cents = Math.round(priceKsh * CENTS_PER_KSH)
  const newPriceKsh =
    'percent' in change
      ? Math.floor((cents * (100 + change.percent)) / (100 * CENTS_PER_KSH) + 0.5)
      : (cents + Math.round(change.amountKsh * CENTS_PER_KSH)) / CENTS_PER_KSH
  return newPriceKsh > 0 && newPriceKsh <= MAX_PRICE_KSH ? newPriceKsh : undefined
}
