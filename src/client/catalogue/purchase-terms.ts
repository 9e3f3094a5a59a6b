import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { FREE_SHIPPING_ABOVE_KSH, STANDARD_SHIPPING_FEE_KSH } from '#shared/checkout/fees.ts'
import { formatUnbrokenKsh } from '#shared/format.ts'
import { RETURN_DAYS } from '#shared/retention.ts'

/** Returns, for example, `Delivery KSH 30, free above KSH 1,000 before VAT · 14-day returns`. */
export function formatPurchaseTerms(delivery: DeliveryTerms, priceKsh: number): string {
  return [...listDeliveryTerms(delivery, priceKsh), `${RETURN_DAYS}-day\u00a0returns`].join('\u00a0· ')
}

function listDeliveryTerms(
  { zones, highestFeeKsh, time, pickup }: DeliveryTerms,
  priceKsh: number,
): string[] {
  const highest = highestFeeKsh ?? STANDARD_SHIPPING_FEE_KSH
  const lowest = Math.min(highest, ...Object.values(zones).map(({ feeKsh }) => feeKsh))
  const freeAbove = `above\u00a0${formatUnbrokenKsh(FREE_SHIPPING_ABOVE_KSH)}`
  if (highest === 0 || priceKsh > FREE_SHIPPING_ABOVE_KSH) {
    if (time) return [`Free delivery in ${time}`]
    return [highest === 0 ? 'Free delivery' : `Free delivery ${freeAbove}`]
  }
  const fee =
    lowest === highest
      ? formatUnbrokenKsh(highest)
      : `${formatUnbrokenKsh(lowest)} to ${formatUnbrokenKsh(highest)}, depending on county`
  return [
    `Delivery ${fee}, free\u00a0${freeAbove} before\u00a0VAT`,
    ...(time ? [`delivered in ${time}`] : []),
    ...(pickup ? ['free pickup'] : []),
  ]
}
