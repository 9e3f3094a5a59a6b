import type { DeliverySettings } from '#shared/shop.ts'
import { COUNTIES } from './checkout-form.ts'
import { CHECKOUT_SHIPPING_FEE_KSH } from './pricing.ts'

/** How an order reaches the shopper. */
export const DELIVERY_METHODS = ['delivery', 'pickup'] as const
export type DeliveryMethod = (typeof DELIVERY_METHODS)[number]

/** The settings as the API and pages have them; `deliveryTermsSchema` of orders/contract.ts on the wire. */
export type DeliveryTerms = {
  /** By county, each with its fee and, where it is in a zone, the zone's name; empty where one fee applies everywhere. */
  zones: Record<string, { name: string | null; feeKsh: number }>
  /** The highest fee of any county; null where one fee applies everywhere. */
  highestFeeKsh: number | null
  pickup: string
}

/** Nothing is configured: one fee everywhere, no pickup. */
export const DEFAULT_TERMS: DeliveryTerms = { zones: {}, highestFeeKsh: null, pickup: '' }

/** The terms that settings make. Throws where a county is in two zones or a fee is no whole amount of KSH. */
export function deliveryTerms({ zones, pickup }: DeliverySettings): DeliveryTerms {
  if (zones.length === 0) return { ...DEFAULT_TERMS, pickup: pickup.trim() }
  const byCounty = COUNTIES.map((county) => {
    const [zone, second] = zones.filter(({ counties }) => counties.includes(county))
    if (second) throw new Error(`${county} is in two delivery zones.`)
    const { name = null, feeKsh = CHECKOUT_SHIPPING_FEE_KSH } = zone ?? {}
    if (!Number.isInteger(feeKsh) || feeKsh < 0)
      throw new Error(`The delivery fee of ${name} is no whole amount of KSH.`)
    return [county, { name, feeKsh }] as const
  })
  const highestFeeKsh = Math.max(...byCounty.map(([, { feeKsh }]) => feeKsh))
  return { zones: Object.fromEntries(byCounty), highestFeeKsh, pickup: pickup.trim() }
}

/** What the shopper has chosen; `county` is empty while none is. */
export type DeliveryChoice = { method: DeliveryMethod; county: string }

/** What an order agrees on: its zone, or where it is picked up, and the fee, free delivery aside (§ 9). */
export type AgreedDelivery = { feeKsh: number; deliveryZone: string | null; pickup: string | null }

/** What the shipping fee of an order is called: `Shipping (Coast)`. */
export function shippingLabel({ deliveryZone, pickup }: Omit<AgreedDelivery, 'feeKsh'>): string {
  if (pickup !== null) return 'Pickup'
  return deliveryZone === null ? 'Shipping' : `Shipping (${deliveryZone})`
}

/**
 * What delivery costs by the terms. Pickup that is not offered counts as delivery; without a county the fee is the
 * highest one, so that nobody pays more than was shown.
 */
export function agreedDelivery(
  { zones, highestFeeKsh, pickup }: DeliveryTerms,
  { method, county }: DeliveryChoice,
): AgreedDelivery {
  if (method === 'pickup' && pickup) return { feeKsh: 0, deliveryZone: null, pickup }
  const zone = Object.hasOwn(zones, county) ? zones[county] : undefined
  const feeKsh = zone?.feeKsh ?? highestFeeKsh ?? CHECKOUT_SHIPPING_FEE_KSH
  return { feeKsh, deliveryZone: zone?.name ?? null, pickup: null }
}
