import type { RichText } from '#shared/content/content.ts'
import { RETURN_DECISION_PROMISE } from '#shared/orders/returns.ts'
import { DAY_MS, formatDayAndMonth } from '#shared/time.ts'
import type { OrderReturn, ReturnLineRow } from './order-returns.ts'

/** Says what the shopper does with the items of an approved return. */
export function formatReturnInstruction({
  kind,
  lines,
  reservedUntilMs,
}: Pick<OrderReturn, 'kind' | 'lines' | 'reservedUntilMs'>): string {
  const list = new Intl.ListFormat('en-GB', { type: 'conjunction' })
  const items = list.format(lines.map(({ title, size, qty }) => formatUnits({ title, size, qty })))
  if (kind === 'return' || reservedUntilMs === null) {
    const them = lines.length === 1 && lines[0]?.qty === 1 ? 'it' : 'them'
    return `Bring or send us ${items}. We’ll start your refund once we’ve received ${them}.`
  }
  const replacements = list.format(lines.map(formatReplacement))
  // The reservation ends during a day, which is therefore too late to name.
  const until = formatDayAndMonth(reservedUntilMs - DAY_MS)
  return `Bring or send us ${items} by ${until}. We’re holding ${replacements} for you until then.`
}

/** Where and when the shop takes parcels. Empty if the owner hasn't entered it. */
export type ReturnPlace = { address: string; hours: string }

export function listReturnSteps(orderReturn: OrderReturn, { address, hours }: ReturnPlace): string[] {
  if (orderReturn.state === 'requested') return [RETURN_DECISION_PROMISE]
  if (orderReturn.state === 'expired')
    return ['We didn’t receive these items in time. Please contact us if you still want an exchange.']
  if (orderReturn.state !== 'expected') return []
  return [
    formatReturnInstruction(orderReturn),
    ...(address ? [`Our address: ${address}`] : []),
    ...(address && hours ? [`Opening hours:\n${hours}`] : []),
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
