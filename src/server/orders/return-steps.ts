import { formatOriginalMethod } from '#server/payments/payment-attempts.ts'
import { findSettledPayment } from '#server/payments/refunds.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import type { ContactDetails, RichText } from '#shared/content/content.ts'
import { formatList, formatMoney, formatNameWithSize } from '#shared/format.ts'
import { RETURN_DECISION_PROMISE, RETURN_WINDOW_MS, type ReturnKind } from '#shared/orders/returns.ts'
import { RETURN_DAYS } from '#shared/retention.ts'
import { shop } from '#shared/shop.ts'
import { DAY_MS, formatDayAndMonth } from '#shared/time.ts'
import { calculateExchangeDifferenceCents, calculateReceivedDifferenceCents } from './edited-order.ts'
import { describeExchangeDelivery, describeOnlyDelivery, formatArrangement } from './exchange-delivery.ts'
import { calculateBalance, type OrderRecord, type OrderRow } from './order-record.ts'
import {
  calculateReturnRefundLimits,
  type OrderReturn,
  type OrderWithReturns,
  type ReturnLineRow,
} from './order-returns.ts'

/** Says what the shopper does with the items of an approved return. */
export function formatReturnInstruction(context: OrderWithReturns, orderReturn: OrderReturn): string {
  const { kind, lines, reservedUntilMs, changedAtMs } = orderReturn
  const items = formatList(lines.map(({ title, size, qty }) => formatUnits({ title, size, qty })))
  // The reservation can end early on its last day, so this names the day before.
  const untilMs = reservedUntilMs === null ? changedAtMs + RETURN_WINDOW_MS : reservedUntilMs - DAY_MS
  const until = formatDayAndMonth(untilMs)
  if (kind === 'return') {
    const them = isSingleUnit(lines) ? 'it' : 'them'
    const { goodsCents, creditedGoodsCents } = calculateReturnRefundLimits(context, orderReturn)
    const isOnlyCredited = creditedGoodsCents > 0 && goodsCents === 0
    return [
      `Bring or send us ${items} by ${until}.`,
      ...(isOnlyCredited ? [] : [`We’ll start your refund once we’ve received ${them}.`]),
      ...listRefundSentences(context, orderReturn),
    ].join(' ')
  }
  const replacements = formatList(lines.map(formatReplacement))
  return [
    `Bring or send us ${items} by ${until}. We’re holding ${replacements} for you until then.`,
    formatDifference(context.record, orderReturn),
    describeExchangeDelivery(orderReturn, isSingleUnit(lines) ? 'it' : 'them'),
  ]
    .filter(Boolean)
    .join(' ')
}

const formatItems = ({ lines }: Pick<OrderReturn, 'lines'>) =>
  isSingleUnit(lines) ? 'this item' : 'these items'

const isSingleUnit = (lines: OrderReturn['lines']) => lines.length === 1 && lines[0]?.qty === 1

/** Undefined if the difference isn't known yet. */
function formatDifference(
  record: Pick<OrderRecord, 'row' | 'lines'>,
  orderReturn: OrderReturn,
): string | undefined {
  const differenceCents = calculateExchangeDifferenceCents(record, orderReturn)
  if (differenceCents === undefined) return undefined
  const costs = isSingleUnit(orderReturn.lines) ? 'It costs' : 'They cost'
  const amount = formatMoney(Math.abs(differenceCents))
  if (differenceCents > 0) return `${costs} ${amount} more, which you’ll pay once we’ve received your items.`
  if (differenceCents < 0)
    return `${costs} ${amount} less, which we’ll refund once we’ve received your items.`
  return `${costs} the same, so there’s no difference to pay.`
}

export type RequestTerms = {
  /** What the shopper does once the shop approves the request. */
  approval: string
  /** What the shopper gets once the shop has received the items. */
  outcomes: Record<ReturnKind, string>
}

export function createRequestTerms(
  { address }: Pick<ReturnPlace, 'address'>,
  record: OrderRecord,
  delivery: DeliveryTerms,
): RequestTerms {
  const exchange = [DIFFERENCE_PROMISE, describeOnlyDelivery(record.row, delivery)].filter(Boolean)
  return {
    approval: describeApproval(address),
    outcomes: {
      return: describeRefund(record),
      exchange: `We’ll hold your new item for ${RETURN_DAYS} days. ${exchange.join(' ')}`,
    },
  }
}

function describeApproval(address: string): string {
  return address
    ? `If we approve it, bring or send the items to our shop: ${address}.`
    : 'If we approve it, we’ll arrange with you how to bring or send the items.'
}

function describeRefund(record: OrderRecord): string {
  const { payments, refunds } = record
  const { dueCents } = calculateBalance(record)
  if (dueCents > 0)
    return `Once we’ve received the items, we’ll take what they cost off the ${formatMoney(dueCents)} you still have to pay, and refund the rest if they cost more.`
  const payment = findSettledPayment(payments, refunds)
  const method = payment ? formatOriginalMethod({ ...payment, receipt: null }) : 'you'
  return `Once we’ve received the items, we’ll refund ${method}. The refund may take a few days to reach you.`
}

export function listRequestSteps(
  context: OrderWithReturns,
  orderReturn: OrderReturn,
  { address }: Pick<ReturnPlace, 'address'>,
): string[] {
  const { record } = context
  const decision = `${RETURN_DECISION_PROMISE} ${describeApproval(address)}`
  if (orderReturn.kind === 'exchange') return [decision, describeExchange(record, orderReturn)]
  return [decision, describeRefund(record), ...listRefundSentences(context, orderReturn)]
}

function describeExchange(record: Pick<OrderRecord, 'row' | 'lines'>, exchange: OrderReturn): string {
  const { lines } = exchange
  const [items, them] = isSingleUnit(lines) ? ['your new item', 'it'] : ['your new items', 'them']
  const isChosen = lines.every(({ replacementId }) => replacementId !== null)
  return [
    isChosen
      ? `We’ll hold ${items} for ${RETURN_DAYS} days.`
      : `We’ll help you choose ${items}, then hold ${them} for ${RETURN_DAYS} days.`,
    formatDifference(record, exchange) ?? DIFFERENCE_PROMISE,
    describeExchangeDelivery(exchange, them),
  ]
    .filter(Boolean)
    .join(' ')
}

const DIFFERENCE_PROMISE =
  'Once we’ve received the items, you pay the difference if the new item costs more, or we refund it if it costs less.'

type ReturnedUnits = Pick<ReturnLineRow, 'qty' | 'title' | 'size' | 'replacementTitle' | 'replacementSize'>

/** Returns, for example, `2 × Kitenge Dress, 2–3 years → 4–5 years`. */
export function formatReturnLine(line: ReturnedUnits): string {
  const { qty, title, size } = line
  const name = `${qty}\u00a0× ${formatNameWithSize(title, size)}`
  const replacement = formatReplacementName(line)
  return replacement ? `${name}\u00a0→ ${replacement}` : name
}

/** Names only the size if the product stays the same. Null if the shop hasn't chosen a replacement yet. */
export function formatReplacementName({
  title,
  replacementTitle,
  replacementSize,
}: Omit<ReturnedUnits, 'qty'>): string | null {
  if (!replacementTitle) return null
  return replacementTitle === title && replacementSize
    ? replacementSize
    : formatNameWithSize(replacementTitle, replacementSize)
}

/** Where and when the shop takes parcels, and its phone number. Empty if the owner hasn't entered it. */
export type ReturnPlace = { address: string; hours: string; phone: string }

export type ParcelTerms = Pick<ReturnPlace, 'address' | 'phone'> & {
  /** Who pays the courier. Null if the owner has written the shop's rules herself. */
  costs: string | null
}

export function listParcelSentences(
  { number }: Pick<OrderRow, 'number'>,
  { address, phone }: Pick<ReturnPlace, 'address' | 'phone'>,
): string[] {
  const unbrokenPhone = phone.replaceAll(' ', '\u00a0')
  const onParcel = `order number ${number}${phone && ` and our phone number, ${unbrokenPhone},`}`
  const parcel = `If you send a parcel, write ${onParcel} on it.`
  return address ? [`Our address in ${shop.city}: ${address}`, parcel] : [parcel]
}

export function listReturnSteps(
  context: OrderWithReturns,
  orderReturn: OrderReturn,
  place: ReturnPlace,
): string[] {
  const { record } = context
  const { address, hours } = place
  if (orderReturn.state === 'requested') return listRequestSteps(context, orderReturn, place)
  if (orderReturn.state === 'expired')
    return ['We didn’t receive these items in time. Please contact us if you still want an exchange.']
  if (orderReturn.state === 'received')
    return [
      orderReturn.kind === 'exchange'
        ? formatExchangeProgress(context, orderReturn)
        : formatItemsReceived(context, orderReturn),
    ]
  if (orderReturn.state === 'completed')
    return orderReturn.kind === 'exchange'
      ? [formatHandover(orderReturn)]
      : listCompletedRefundSentences(record, orderReturn)
  if (orderReturn.state !== 'expected') return []
  return [
    formatReturnInstruction(context, orderReturn),
    ...listParcelSentences(record.row, place),
    ...(address && hours && !address.includes(hours) ? [`Opening hours:\n${hours}`] : []),
  ]
}

function formatExchangeProgress(context: OrderWithReturns, exchange: OrderReturn): string {
  const { record } = context
  const next = formatNextStep(exchange)
  if (!hasDearerReplacements(exchange)) return `We’ve received your items. Next, ${next}`
  const dueCents = calculateExchangeDueCents(context, exchange)
  if (dueCents > 0)
    return `We’ve received your items. Once you’ve paid the difference of ${formatMoney(dueCents)}, ${next}`
  const paidCents = record.payments
    .filter(({ state, endedAtMs }) => state === 'settled' && (endedAtMs ?? 0) > exchange.changedAtMs)
    .reduce((sum, { amountCents }) => sum + amountCents, 0)
  const payment = paidCents > 0 ? ` and your payment of ${formatMoney(paidCents)}` : ''
  return `We’ve received your items${payment}. Next, ${next}`
}

/** Whether the replacements of an exchange cost more, so that a later payment can be for their difference. */
export function hasDearerReplacements({ lines }: Pick<OrderReturn, 'lines'>): boolean {
  const calculateDifferenceCents = ({ qty, unitPriceCents, replacementPriceCents }: ReturnLineRow) =>
    qty * ((replacementPriceCents ?? unitPriceCents) - unitPriceCents)
  return lines.reduce((sum, line) => sum + calculateDifferenceCents(line), 0) > 0
}

/**
 * Returns what must be paid before the replacements of a received exchange are handed over: at most its own difference.
 * Payments count for the exchange that was received first.
 */
export function calculateExchangeDueCents(
  { record, returns }: OrderWithReturns,
  exchange: OrderReturn,
): number {
  if (!hasDearerReplacements(exchange)) return 0
  const { dueCents } = calculateBalance(record)
  const laterCents = returns
    .filter(({ kind, state }) => kind === 'exchange' && state === 'received')
    .filter((other) => other.changedAtMs > exchange.changedAtMs && hasDearerReplacements(other))
    .reduce((sum, other) => sum + (calculateReceivedDifferenceCents(record, other) ?? 0), 0)
  const ownCents = calculateReceivedDifferenceCents(record, exchange) ?? dueCents
  return Math.max(Math.min(dueCents - laterCents, ownCents), 0)
}

/** Whether the shopper and the shop still have to agree how the items change hands. */
export function needsArrangement(
  context: OrderWithReturns,
  orderReturn: OrderReturn,
  { address }: Pick<ReturnPlace, 'address'>,
): boolean {
  const { kind, state, pickup } = orderReturn
  if (state === 'expected') return address === ''
  const isReceivedExchange = kind === 'exchange' && state === 'received'
  return isReceivedExchange && pickup === null && calculateExchangeDueCents(context, orderReturn) === 0
}

/** Says what follows once an exchange's items are received and its difference is paid. Starts in lower case. */
export function formatNextStep(exchange: OrderReturn): string {
  return formatArrangement(exchange, formatList(exchange.lines.map(formatReplacement)))
}

export function formatHandover({ lines }: Pick<OrderReturn, 'lines'>): string {
  const them = isSingleUnit(lines) ? 'it' : 'them'
  return `We’ve handed over ${formatList(lines.map(formatReplacement))}. We hope you love ${them}.`
}

export function formatItemsReceived(context: OrderWithReturns, orderReturn: OrderReturn): string {
  const { goodsCents, creditedGoodsCents } = calculateReturnRefundLimits(context, orderReturn)
  const isOnlyCredited = creditedGoodsCents > 0 && goodsCents === 0
  const sentences = ['We’ve received your items.', ...listRefundSentences(context, orderReturn)]
  return `${sentences.join(' ')}${isOnlyCredited ? '' : formatRefundNotice(context.record)}`
}

const formatRefundNotice = ({ row }: Pick<OrderRecord, 'row'>) =>
  row.email ? ' We’ll email you when your refund is complete.' : ''

function listRefundSentences(context: OrderWithReturns, orderReturn: OrderReturn): string[] {
  const { goodsCents, creditedGoodsCents } = calculateReturnRefundLimits(context, orderReturn)
  const items = formatItems(orderReturn)
  const { dueCents } = calculateBalance(context.record)
  const leftCents = dueCents - creditedGoodsCents
  return [
    ...(creditedGoodsCents > 0
      ? [
          `We’ll take ${formatMoney(creditedGoodsCents)} for ${items} off what you still have to pay, which leaves ${leftCents > 0 ? formatMoney(leftCents) : 'nothing to pay'}.`,
        ]
      : []),
    ...(goodsCents > 0
      ? [`We’ll refund ${formatMoney(goodsCents)}${creditedGoodsCents > 0 ? '' : ` for ${items}`}.`]
      : []),
  ]
}

function listCompletedRefundSentences({ row, refunds }: OrderRecord, orderReturn: OrderReturn): string[] {
  const { id, refundedCents, creditedCents } = orderReturn
  const items = formatItems(orderReturn)
  const credit =
    creditedCents > 0
      ? [`We’ve taken ${formatMoney(creditedCents)} for ${items} off what you had to pay.`]
      : []
  if (refundedCents === 0) return credit
  const amount = formatMoney(refundedCents)
  const isDone = refunds.every(({ returnId, state }) => returnId !== id || state === 'done')
  return isDone
    ? [...credit, `We’ve refunded ${amount} for ${items}. It may take a few days to reach you.`]
    : [...credit, `We’ve started a refund of ${amount} for ${items}.${formatRefundNotice({ row })}`]
}

type Units = { title: string; size: string | null; qty: number }

function formatUnits({ title, size, qty }: Units): string {
  return `${qty === 1 ? 'the' : `${qty}\u00a0×`} ${title}${size ? ` (${size})` : ''}`
}

function formatReplacement(line: ReturnLineRow): string {
  const { title, qty, replacementTitle, replacementSize } = line
  if (replacementTitle !== title || !replacementSize)
    return formatUnits({ title: replacementTitle ?? '', size: replacementSize, qty })
  return `${qty === 1 ? '' : `${qty}\u00a0× `}size ${replacementSize}`
}

export function toReturnPlace(
  address: string,
  { hours, contact }: { hours: RichText; contact: Pick<ContactDetails, 'phone'> },
): ReturnPlace {
  return { address, hours: toPlainText(hours).trim(), phone: contact.phone }
}

function toPlainText(nodes: RichText): string {
  return nodes
    .map((node) => {
      if (typeof node === 'string') return node
      const [tag, children] = node
      return toPlainText(children) + (['p', 'li', 'br'].includes(tag) ? '\n' : '')
    })
    .join('')
}
