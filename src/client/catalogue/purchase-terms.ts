import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { CHECKOUT_SHIPPING_FEE_KSH, FREE_SHIPPING_ABOVE_KSH, VAT_PERCENT } from '#shared/checkout/fees.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'
import { RETURN_DAYS } from '#shared/retention.ts'

/** For example `Delivery KSH 30, free above KSH 1,000 · 14-day returns · + 16% VAT`. */
export function formatPurchaseTerms(delivery: DeliveryTerms): string {
  return [
    formatDelivery(delivery),
    delivery.time && `delivered in ${delivery.time}`,
    delivery.pickup && 'free pickup',
    toNonBreaking(`${RETURN_DAYS}-day returns`),
    toNonBreaking(`+ ${VAT_PERCENT}% VAT`),
  ]
    .filter(Boolean)
    .join('\u00a0· ')
}

function formatDelivery({ zones, highestFeeKsh }: DeliveryTerms): string {
  const highest = highestFeeKsh ?? CHECKOUT_SHIPPING_FEE_KSH
  const lowest = Math.min(highest, ...Object.values(zones).map(({ feeKsh }) => feeKsh))
  if (highest === 0) return 'Free delivery'
  const fee =
    lowest === highest
      ? formatKshNonBreaking(highest)
      : `${formatKshNonBreaking(lowest)} to ${formatKshNonBreaking(highest)}, depending on county`
  return `Delivery ${fee}, ${toNonBreaking(`free above ${formatMoney(kshToCents(FREE_SHIPPING_ABOVE_KSH))}`)}`
}

function formatKshNonBreaking(amountKsh: number): string {
  return toNonBreaking(formatMoney(kshToCents(amountKsh)))
}

function toNonBreaking(text: string): string {
  return text.replaceAll(' ', '\u00a0')
}
