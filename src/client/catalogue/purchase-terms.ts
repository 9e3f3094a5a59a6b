import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { FREE_SHIPPING_ABOVE_KSH, STANDARD_SHIPPING_FEE_KSH } from '#shared/checkout/fees.ts'
import { formatUnbrokenKsh } from '#shared/format.ts'
import { RETURN_DAYS } from '#shared/retention.ts'

/** Returns, for example, `Delivery KSH 30, free above KSH 1,000 before VAT · 14-day returns`. */
export function formatPurchaseTerms(delivery: DeliveryTerms, priceKsh: number): string {
  return [
    formatDelivery(delivery, priceKsh),
    delivery.time && `delivered in ${delivery.time}`,
    delivery.pickup && 'free pickup',
    `${RETURN_DAYS}-day\u00a0returns`,
  ]
    .filter(Boolean)
    .join('\u00a0· ')
}

function formatDelivery({ zones, highestFeeKsh }: DeliveryTerms, priceKsh: number): string {
  const highest = highestFeeKsh ?? STANDARD_SHIPPING_FEE_KSH
  const lowest = Math.min(highest, ...Object.values(zones).map(({ feeKsh }) => feeKsh))
  if (highest === 0) return 'Free delivery'
  const freeAbove = `above\u00a0${formatUnbrokenKsh(FREE_SHIPPING_ABOVE_KSH)}`
  if (priceKsh > FREE_SHIPPING_ABOVE_KSH) return `Free delivery ${freeAbove}`
  const fee =
    lowest === highest
      ? formatUnbrokenKsh(highest)
      : `${formatUnbrokenKsh(lowest)} to ${formatUnbrokenKsh(highest)}, depending on county`
  return `Delivery ${fee}, free\u00a0${freeAbove} before\u00a0VAT`
}
