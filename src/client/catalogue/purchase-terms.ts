import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { CHECKOUT_SHIPPING_FEE_KSH, FREE_SHIPPING_ABOVE_KSH, VAT_PERCENT } from '#shared/checkout/pricing.ts'
import { CENTS, formatMoney } from '#shared/format.ts'
import { RETURN_DAYS } from '#shared/retention.ts'

/** Returns the terms on one line: `Delivery KSH 30, free above KSH 1,000 · 14-day returns · + 16% VAT`. */
export function purchaseTerms(delivery: DeliveryTerms): string {
  return [
    deliveryText(delivery),
    delivery.time && `delivered in ${delivery.time}`,
    delivery.pickup && 'free pickup',
    unbroken(`${RETURN_DAYS}-day returns`),
    unbroken(`+ ${VAT_PERCENT}% VAT`),
  ]
    .filter(Boolean)
    .join('\u00a0· ')
}

function deliveryText({ zones, highestFeeKsh }: DeliveryTerms): string {
  const highest = highestFeeKsh ?? CHECKOUT_SHIPPING_FEE_KSH
  const lowest = Math.min(highest, ...Object.values(zones).map(({ feeKsh }) => feeKsh))
  if (highest === 0) return 'Free delivery'
  const fee =
    lowest === highest ? money(highest) : `${money(lowest)} to ${money(highest)}, depending on county`
  return `Delivery ${fee}, ${unbroken(`free above ${formatMoney(FREE_SHIPPING_ABOVE_KSH * CENTS)}`)}`
}

function money(amountKsh: number): string {
  return unbroken(formatMoney(amountKsh * CENTS))
}

function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0')
}
