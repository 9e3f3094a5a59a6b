import { formatOriginalMethod } from '#server/payments/payment-attempts.ts'
import { findSettledPayment } from '#server/payments/refunds.ts'
import type { RichText } from '#shared/content/content.ts'
import { formatNameWithSize } from '#shared/format.ts'
import { RETURN_DECISION_PROMISE, type ReturnKind } from '#shared/orders/returns.ts'
import { RETURN_DAYS } from '#shared/retention.ts'
import { DAY_MS, formatDayAndMonth } from '#shared/time.ts'
import type { OrderRecord } from './order-record.ts'
import type { OrderReturn, ReturnLineRow } from './order-returns.ts'

const listFormat = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** Says what the shopper does with the items of an approved return. */
export function formatReturnInstruction({
  kind,
  lines,
  reservedUntilMs,
}: Pick<OrderReturn, 'kind' | 'lines' | 'reservedUntilMs'>): string {
  const items = listFormat.format(lines.map(({ title, size, qty }) => formatUnits({ title, size, qty })))
  if (kind === 'return' || reservedUntilMs === null) {
    const them = lines.length === 1 && lines[0]?.qty === 1 ? 'it' : 'them'
    return `Bring or send us ${items}. We’ll start your refund once we’ve received ${them}.`
  }
  const replacements = listFormat.format(lines.map(formatReplacement))
  // The reservation ends during a day, which is therefore too late to name.
  const until = formatDayAndMonth(reservedUntilMs - DAY_MS)
  return `Bring or send us ${items} by ${until}. We’re holding ${replacements} for you until then.`
}

export type RequestTerms = {
  /** What the shopper does once the shop approves the request. */
  approval: string
  /** What the shopper gets once the shop has received the items. */
  outcomes: Record<ReturnKind, string>
}

export function createRequestTerms(
  { address }: Pick<ReturnPlace, 'address'>,
  { payments, refunds }: Pick<OrderRecord, 'payments' | 'refunds'>,
): RequestTerms {
  const payment = findSettledPayment(payments, refunds)
  const method = payment ? formatOriginalMethod({ ...payment, receipt: null }) : 'you'
  return {
    approval: address
      ? `If we approve it, bring or send the items to our shop: ${address}.`
      : 'If we approve it, we’ll arrange with you how to bring or send the items.',
    outcomes: {
      return: `Once we’ve received the items, we’ll refund ${method}.`,
      exchange: `${RESERVATION_PROMISE} Once we’ve received the items, you pay the difference if the new item costs more, or we refund it if it costs less.`,
    },
  }
}

export function listRequestSteps(
  { kind, lines }: Pick<OrderReturn, 'kind' | 'lines'>,
  { approval, outcomes }: RequestTerms,
): string[] {
  const isSamePrice = lines.every((line) => line.replacementPriceCents === line.unitPriceCents)
  return [`${RETURN_DECISION_PROMISE} ${approval}`, isSamePrice ? SAME_PRICE_OUTCOME : outcomes[kind]]
}

const RESERVATION_PROMISE = `We’ll hold your new item for ${RETURN_DAYS} days.`
const SAME_PRICE_OUTCOME = `${RESERVATION_PROMISE} It costs the same, so there’s nothing more to pay.`

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

/** Where and when the shop takes parcels. Empty if the owner hasn't entered it. */
export type ReturnPlace = { address: string; hours: string }

/** `isPaid` is whether nothing is due for the order, such as the difference of an exchange. */
export function listReturnSteps(
  orderReturn: OrderReturn,
  { address, hours }: ReturnPlace,
  terms: RequestTerms,
  isPaid: boolean,
): string[] {
  if (orderReturn.state === 'requested') return listRequestSteps(orderReturn, terms)
  if (orderReturn.state === 'expired')
    return ['We didn’t receive these items in time. Please contact us if you still want an exchange.']
  if (orderReturn.state === 'received' && orderReturn.kind === 'exchange') {
    const replacements = listFormat.format(orderReturn.lines.map(formatReplacement))
    return isPaid
      ? [`We’ve received your items. Next, we’ll arrange with you how you get ${replacements}.`]
      : [`Once you’ve paid the difference, we’ll arrange with you how you get ${replacements}.`]
  }
  if (orderReturn.state !== 'expected') return []
  return [
    formatReturnInstruction(orderReturn),
    ...(address ? [`Our address: ${address}`] : []),
    ...(address && hours && !address.includes(hours) ? [`Opening hours:\n${hours}`] : []),
  ]
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

export function toReturnPlace(address: string, hours: RichText): ReturnPlace {
  return { address, hours: toPlainText(hours).trim() }
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
