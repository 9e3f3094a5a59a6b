import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { CHECKOUT_SHIPPING_FEE_KSH, FREE_SHIPPING_ABOVE_KSH, VAT_PERCENT } from '#shared/checkout/fees.ts'
import { CENTS, formatMoney } from '#shared/format.ts'
import { RETURN_DAYS } from '#shared/retention.ts'

/** Returns the terms on one line: `Delivery KSH 30, free above KSH 1,000 · 14-day returns · + 16% VAT`. */
export function formatPurchaseTerms(delivery: DeliveryTerms): string {
  return [
    formatDelivery(delivery),
    delivery.time && `delivered in ${delivery.time}`,
    delivery.pickup && 'free pickup',
    withoutLineBreaks(`${RETURN_DAYS}-day returns`),
    withoutLineBreaks(`+ ${VAT_PERCENT}% VAT`),
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
      ? formatUnbrokenMoney(highest)
      : `${formatUnbrokenMoney(lowest)} to ${formatUnbrokenMoney(highest)}, depending on county`
  return `Delivery ${fee}, ${withoutLineBreaks(`free above ${formatMoney(FREE_SHIPPING_ABOVE_KSH * CENTS)}`)}`
}

function formatUnbrokenMoney(amountKsh: number): string {
  return withoutLineBreaks(formatMoney(amountKsh * CENTS))
}

function withoutLineBreaks(text: string): string {
  return text.replaceAll(' ', '\u00a0')
}
