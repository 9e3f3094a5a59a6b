import { CENTS } from '#shared/format.ts'
import { MAX_PRICE_KSH } from './catalogue-schema.ts'

export type PriceChange = { percent: number } | { amountKsh: number }

/**
 * Returns the new price: rounded half up to whole KSH for a percentage, exact to the cent for an amount. Returns
 * undefined if the new price is invalid.
 */
export function changePrice(priceKsh: number, change: PriceChange): number | undefined {
  const cents = Math.round(priceKsh * CENTS)
  const changed =
    'percent' in change
      ? Math.floor((cents * (100 + change.percent)) / (100 * CENTS) + 0.5)
      : (cents + Math.round(change.amountKsh * CENTS)) / CENTS
  return changed > 0 && changed <= MAX_PRICE_KSH ? changed : undefined
}
