import { formatNameWithSize } from '#shared/format.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { getReturnDeadlineMs, listReturnableLines } from '#shared/orders/returns.ts'
import { shop } from '#shared/shop.ts'
import type { OrderRecord } from './order-record.ts'
import type { OrderReturn } from './order-returns.ts'
import type { OrderEvent } from './status-emails.ts'

export function createReturnsView(
  { row, lines }: OrderRecord,
  events: readonly OrderEvent[],
  returns: readonly OrderReturn[],
  nowMs: number,
): Pick<OrderView, 'returns' | 'returnable'> {
  const deliveredAtMs = events.find(({ status }) => status === 'delivered')?.atMs
  const deadlineMs = row.status === 'delivered' ? getReturnDeadlineMs(deliveredAtMs, nowMs) : undefined
  const returnableOrderLines = listReturnableLines(lines, returns).filter((line) => line.returnableQty > 0)
  return {
    returns: returns.map(({ kind, state, lines: returned }) => ({
      kind,
      state,
      items: returned.map(({ qty, title, size, replacementTitle, replacementSize }) => {
        const name = `${qty} × ${formatNameWithSize(title, size)}`
        return replacementTitle ? `${name} → ${formatNameWithSize(replacementTitle, replacementSize)}` : name
      }),
    })),
    returnable:
      deadlineMs === undefined || returnableOrderLines.length === 0
        ? null
        : {
            until: formatLastDay(deadlineMs),
            lines: returnableOrderLines.map(
              ({ productId, unitPriceCents, title, size, returnableQty: units }) => ({
                productId,
                unitPriceCents,
                left: units,
                name: formatNameWithSize(title, size),
              }),
            ),
          },
  }
}

function formatLastDay(deadlineMs: number): string {
  // Creating the formatter at module level would slow down the Worker's start.
  const day = new Intl.DateTimeFormat(shop.locale, { day: 'numeric', month: 'long', timeZone: shop.timeZone })
  return day.format(deadlineMs)
}
