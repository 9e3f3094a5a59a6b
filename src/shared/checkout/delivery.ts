import { keepAmountsUnbroken } from '#shared/format.ts'
import type { DeliverySettings } from '#shared/shop.ts'
import { DAY_MS } from '#shared/time.ts'
import { COUNTIES } from './checkout-form.ts'
import { STANDARD_SHIPPING_FEE_KSH } from './fees.ts'

export const DELIVERY_METHODS = ['delivery', 'pickup'] as const
export type DeliveryMethod = (typeof DELIVERY_METHODS)[number]

export type DeliveryTerms = {
  /** The keys are counties. Empty if one fee applies everywhere. */
  zones: Record<string, { name: string | null; feeKsh: number }>
  highestFeeKsh: number | null
  pickup: string
  /** How long delivery takes, such as `1 to 3 days`. Omitted until the owner enters it. */
  time?: string
  cash?: CashTerms | undefined
}

export type CashTerms = { maxKsh: number; counties: string[] }

export const DEFAULT_TERMS: DeliveryTerms = { zones: {}, highestFeeKsh: null, pickup: '' }

/** Throws if a county is in two zones, or a fee is negative or not whole KSH. */
export function createDeliveryTerms({ zones, pickup }: DeliverySettings): DeliveryTerms {
  const trimmedPickup = keepAmountsUnbroken(pickup.trim())
  if (zones.length === 0) return { ...DEFAULT_TERMS, pickup: trimmedPickup }
  const byCounty = COUNTIES.map((county) => {
    const [zone, secondZone] = zones.filter(({ counties }) => counties.includes(county))
    if (secondZone) throw new Error(`${county} is in two delivery zones.`)
    const { name = null, feeKsh = STANDARD_SHIPPING_FEE_KSH } = zone ?? {}
    if (!Number.isInteger(feeKsh) || feeKsh < 0)
      throw new Error(`The delivery fee for ${name} must be in whole shillings, and at least 0.`)
    return [county, { name, feeKsh }] as const
  })
  const highestFeeKsh = Math.max(...byCounty.map(([, { feeKsh }]) => feeKsh))
  return { zones: Object.fromEntries(byCounty), highestFeeKsh, pickup: trimmedPickup }
}

export function isCashOffered(
  { cash }: DeliveryTerms,
  { method, county, totalKsh }: DeliveryChoice & { totalKsh: number },
): boolean {
  return (
    cash !== undefined && method === 'delivery' && cash.counties.includes(county) && totalKsh <= cash.maxKsh
  )
}

export type DeliveryChoice = { method: DeliveryMethod; county: string }

export type DeliveryQuote = { feeKsh: number; deliveryZone: string | null; pickup: string | null }

export function getShippingLabel({ deliveryZone, pickup }: Omit<DeliveryQuote, 'feeKsh'>): string {
  if (pickup !== null) return 'Pickup'
  return deliveryZone === null ? 'Shipping' : `Shipping (${deliveryZone})`
}

export function formatDeliveryTime(time: string): string {
  return `We deliver in ${time}.`
}

/** Returns when a delivery arrives at the latest. Undefined unless `time` is a number of days, such as `1 to 3 days`. */
export function calculateLatestDeliveryMs(time: string, fromMs: number): number | undefined {
  const [, first, last = first] = /^(\d{1,2})(?: ?(?:to|-|–) ?(\d{1,2}))? days?\.?$/i.exec(time.trim()) ?? []
  return last === undefined ? undefined : fromMs + Number(last) * DAY_MS
}

/**
 * Without a county, uses the highest fee, so that choosing one never raises the price. Pickup without a pickup point
 * counts as delivery.
 */
export function quoteDelivery(
  { zones, highestFeeKsh, pickup }: DeliveryTerms,
  { method, county }: DeliveryChoice,
): DeliveryQuote {
  if (method === 'pickup' && pickup) return { feeKsh: 0, deliveryZone: null, pickup }
  const zone = Object.hasOwn(zones, county) ? zones[county] : undefined
  const feeKsh = zone?.feeKsh ?? highestFeeKsh ?? STANDARD_SHIPPING_FEE_KSH
  return { feeKsh, deliveryZone: zone?.name ?? null, pickup: null }
}
