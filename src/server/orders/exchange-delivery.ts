import {
  DELIVERY_METHODS,
  type DeliveryMethod,
  type DeliveryTerms,
  quoteDelivery,
} from '#shared/checkout/delivery.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import type { ReturnReason } from '#shared/orders/returns.ts'
import { shop } from '#shared/shop.ts'
import type { OrderRow } from './order-record.ts'
import type { OrderReturn } from './order-returns.ts'

/** How the shopper gets an exchange's replacements. Both are null if it wasn't chosen. */
export type ExchangeDelivery = Pick<OrderReturn, 'pickup' | 'deliveryFeeCents'>
type OrderAddress = Pick<OrderRow, 'address' | 'state' | 'pickup'>

/** Lists the delivery methods that the shop offers, the order's own first. */
function listDeliveryMethods({ address, pickup }: OrderAddress, terms: DeliveryTerms): DeliveryMethod[] {
  const methods = DELIVERY_METHODS.filter((method) => (method === 'pickup' ? terms.pickup : address.trim()))
  return pickup === null ? methods : methods.toReversed()
}

/** Falls back to the order's own delivery method. The shop pays for the delivery if the item was faulty. */
export function chooseExchangeDelivery(
  wanted: string,
  reason: ReturnReason,
  order: OrderAddress,
  terms: DeliveryTerms,
): ExchangeDelivery {
  const methods = listDeliveryMethods(order, terms)
  const method = methods.find((offered) => offered === wanted) ?? methods[0]
  const deliveryFeeCents = reason === 'faulty' ? 0 : calculateFeeCents(order, terms)
  return {
    pickup: method === 'pickup' ? terms.pickup : null,
    deliveryFeeCents: method === 'delivery' ? deliveryFeeCents : null,
  }
}

function calculateFeeCents({ state }: OrderAddress, terms: DeliveryTerms): number {
  return kshToCents(quoteDelivery(terms, { method: 'delivery', county: state }).feeKsh)
}

/** The choices of the request form. Empty if there is only one delivery method. */
export function listDeliveryChoices(
  order: OrderAddress,
  terms: DeliveryTerms,
): NonNullable<OrderView['returnable']>['deliveries'] {
  const methods = listDeliveryMethods(order, terms)
  if (methods.length < 2) return []
  const feeCents = calculateFeeCents(order, terms)
  return methods.map((method) =>
    method === 'pickup'
      ? { method, label: 'Pick it up at our shop', note: `Free: ${terms.pickup}` }
      : { method, label: `Deliver it to ${order.address.trim()}`, note: describeFee(feeCents) },
  )
}

/** Describes the shop's only delivery method. Empty if there are several, or none. */
export function describeOnlyDelivery(order: OrderAddress, terms: DeliveryTerms): string {
  const [method, ...others] = listDeliveryMethods(order, terms)
  if (method === undefined || others.length > 0) return ''
  if (method === 'pickup') return 'You can pick it up at our shop for free.'
  const feeCents = calculateFeeCents(order, terms)
  if (feeCents === 0) return 'We’ll deliver it to your address for free.'
  return `Delivery to your address costs ${formatMoney(feeCents)}, payable to the rider. It’s free if the item was faulty or damaged.`
}

function describeFee(feeCents: number): string {
  return feeCents === 0
    ? 'Free'
    : `${formatMoney(feeCents)}, paid to the rider. Free if the item was faulty or damaged.`
}

/** Says how the shopper gets `items`. */
export function describeExchangeDelivery(
  { pickup, deliveryFeeCents }: ExchangeDelivery,
  items: string,
): string | undefined {
  if (pickup !== null) return `You can pick ${items} up at our shop for free.`
  if (deliveryFeeCents === null) return undefined
  return `We’ll deliver ${items} to your address ${formatFee(deliveryFeeCents)}.`
}

/** Says what follows once the shop has received the items and the difference is paid. Starts in lower case. */
export function formatArrangement({ pickup, deliveryFeeCents }: ExchangeDelivery, items: string): string {
  if (pickup !== null) return `you can pick up ${items} at our shop: ${pickup}.`
  const contact = `contact you ${shop.replyPromise} to arrange`
  if (deliveryFeeCents === null) return `we’ll ${contact} pickup or delivery of ${items}.`
  return `we’ll deliver ${items} to your address ${formatFee(deliveryFeeCents)}. We’ll ${contact} the time.`
}

function formatFee(feeCents: number): string {
  return feeCents === 0 ? 'for free' : `for ${formatMoney(feeCents)}, payable to the rider`
}

/** For the operator. */
export function formatDeliveryInstruction({
  pickup,
  deliveryFeeCents,
}: ExchangeDelivery): string | undefined {
  if (pickup !== null) return 'The customer will pick up the replacement at the shop.'
  if (deliveryFeeCents === null) return undefined
  return deliveryFeeCents === 0
    ? 'Deliver the replacement to the customer’s address for free.'
    : `Deliver the replacement to the customer’s address. The rider collects ${formatMoney(deliveryFeeCents)}.`
}
