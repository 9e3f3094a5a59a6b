import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem, listProductItems } from '#shared/catalogue/items.ts'
import { formatNameWithSize, kshToCents } from '#shared/format.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { getReturnDeadlineMs, listReturnableLines } from '#shared/orders/returns.ts'
import { shop } from '#shared/shop.ts'
import { formatLongDate } from '#shared/time.ts'
import type { OrderRecord } from './order-record.ts'
import type { OrderReturn } from './order-returns.ts'
import type { OrderEvent } from './status-emails.ts'

export function createReturnsView(
  { row, lines }: OrderRecord,
  events: readonly OrderEvent[],
  returns: readonly OrderReturn[],
  catalogue: Catalogue,
  nowMs: number,
): Pick<OrderView, 'returns' | 'returnable'> {
  const deliveredAtMs = events.find(({ status }) => status === 'delivered')?.atMs
  const deadlineMs = row.status === 'delivered' ? getReturnDeadlineMs(deliveredAtMs, nowMs) : undefined
  const returnableOrderLines = listReturnableLines(lines, returns).filter((line) => line.returnableQty > 0)
  return {
    returns: returns.map(
      ({ kind, state, createdAtMs, isByShopper, note, declineMessage, lines: returned }) => ({
        kind,
        state,
        createdOn: formatLongDate(createdAtMs),
        message: isByShopper ? note : null,
        declineMessage,
        items: returned.map(({ qty, title, size, replacementTitle, replacementSize }) => {
          const name = `${qty} × ${formatNameWithSize(title, size)}`
          return replacementTitle
            ? `${name} → ${formatNameWithSize(replacementTitle, replacementSize)}`
            : name
        }),
      }),
    ),
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
                sizes: listOtherSizes(productId, catalogue),
              }),
            ),
          },
  }
}

function listOtherSizes(itemId: number, catalogue: Catalogue) {
  const product = findItem(catalogue, itemId)?.product
  if (!product) return []
  return listProductItems(product).flatMap(({ id, size, price }) =>
    size === undefined || id === itemId
      ? []
      : [{ id, label: size, priceCents: kshToCents(price), isSoldOut: product.left?.[id] === 0 }],
  )
}

function formatLastDay(deadlineMs: number): string {
  // Creating the formatter at module level would slow down the Worker's start.
  const day = new Intl.DateTimeFormat(shop.locale, { day: 'numeric', month: 'long', timeZone: shop.timeZone })
  return day.format(deadlineMs)
}
