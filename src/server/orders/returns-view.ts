import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem, listProductItems } from '#shared/catalogue/items.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import { formatNameWithSize, keepAmountsUnbroken, kshToCents } from '#shared/format.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import {
  canTransition,
  countMovedUnits,
  getReturnDeadlineMs,
  listReturnableLines,
  RETURN_REASON_LABELS,
  RETURN_REASONS,
  type ReturnReason,
  type ReturnState,
} from '#shared/orders/returns.ts'
import { formatDayAndMonth, formatLongDate } from '#shared/time.ts'
import { listDeliveryChoices } from './exchange-delivery.ts'
import type { OrderLineRow, OrderRecord } from './order-record.ts'
import { calculateRefundTerms, type OrderReturn } from './order-returns.ts'
import {
  createRequestTerms,
  formatReturnLine,
  listReturnSteps,
  needsArrangement,
  type ReturnPlace,
} from './return-steps.ts'
import type { OrderEvent } from './status-emails.ts'

export type ReturnShopData = {
  catalogue: Catalogue
  place: ReturnPlace
  getCosts: (reason?: ReturnReason) => string | null
  delivery: DeliveryTerms
}

export function createReturnsView(
  record: OrderRecord,
  events: readonly OrderEvent[],
  returns: readonly OrderReturn[],
  { catalogue, place, getCosts, delivery, nowMs }: ReturnShopData & { nowMs: number },
): Pick<OrderView, 'currentReturn' | 'lineNotes' | 'returns' | 'returnable'> {
  const { row, lines } = record
  const terms = createRequestTerms(place, record, delivery)
  const deliveredAtMs = events.find(({ status }) => status === 'delivered')?.atMs
  const deadlineMs = row.status === 'delivered' ? getReturnDeadlineMs(deliveredAtMs, nowMs) : undefined
  const returnableOrderLines = listReturnableLines(lines, returns).filter((line) => line.returnableQty > 0)
  return {
    currentReturn: findCurrentReturn(returns),
    lineNotes: lines.map((line) => describeMovedUnits(line, returns)),
    returns: returns.map((orderReturn) => {
      const { id, kind, state, createdAtMs, isByShopper, reason, note, declineMessage } = orderReturn
      const courierCosts = (state === 'requested' || state === 'expected') && getCosts(reason)
      return {
        kind,
        state,
        createdOn: formatLongDate(createdAtMs),
        reason: isByShopper ? RETURN_REASON_LABELS[reason] : null,
        message: isByShopper ? note : null,
        declineMessage,
        nextSteps: [
          ...listReturnSteps({ record, returns }, orderReturn, place),
          ...(courierCosts ? [courierCosts] : []),
        ].map(keepAmountsUnbroken),
        needsArrangement: needsArrangement({ record, returns }, orderReturn, place),
        cancellableId: isByShopper && canTransition(state, 'cancelByShopper') ? id : null,
        items: orderReturn.lines.map((line) => keepAmountsUnbroken(formatReturnLine(line))),
      }
    }),
    returnable:
      deadlineMs === undefined || returnableOrderLines.length === 0
        ? null
        : {
            until: formatDayAndMonth(deadlineMs),
            costs: listCosts(getCosts),
            ...terms,
            ...calculateRefundTerms({ record, returns }),
            deliveries: listDeliveryChoices(row, delivery),
            lines: returnableOrderLines.map(
              ({ productId, unitPriceCents, title, size, returnableQty: units }) => ({
                productId,
                unitPriceCents,
                left: units,
                name: formatNameWithSize(title, size),
                ...listOtherSizes(productId, catalogue),
              }),
            ),
          },
  }
}

/** Of several open returns, one in the first of these states is the most urgent. */
const OPEN_STATES_BY_URGENCY: readonly ReturnState[] = ['expected', 'received', 'requested']

/** Finds the return that the shopper has to act on or wait for, if any. */
export function findOpenReturn<Return extends Pick<OrderReturn, 'state'>>(
  returns: readonly Return[],
): Return | undefined {
  return OPEN_STATES_BY_URGENCY.flatMap((urgent) => returns.filter(({ state }) => state === urgent))[0]
}

/** Finds the open return, or else the last one changed if it was declined. */
function findCurrentReturn(returns: readonly OrderReturn[]): number | null {
  const open = findOpenReturn(returns)
  if (open) return returns.indexOf(open)
  const lastChangedAtMs = Math.max(...returns.map(({ changedAtMs }) => changedAtMs))
  const last = returns.findIndex(
    ({ state, changedAtMs }) => state === 'declined' && changedAtMs === lastChangedAtMs,
  )
  return last < 0 ? null : last
}

function listCosts(getCosts: ReturnShopData['getCosts']): Record<string, string> {
  const costs = [undefined, ...RETURN_REASONS].map((reason) => [reason ?? '', getCosts(reason)] as const)
  return Object.fromEntries(costs.flatMap(([reason, text]) => (text === null ? [] : [[reason, text]])))
}

function describeMovedUnits(line: OrderLineRow, returns: readonly OrderReturn[]): string {
  const { returned, undelivered } = countMovedUnits(line, returns)
  const format = (units: number, whole: string, part: string) =>
    units === 0 ? [] : units >= line.qty ? whole : `${units}\u00a0${part}`
  return [
    format(returned, 'Returned', 'returned'),
    format(undelivered, 'To be handed over', 'to be handed over'),
  ]
    .flat()
    .join(', ')
}

function listOtherSizes(itemId: number, catalogue: Catalogue) {
  const product = findItem(catalogue, itemId)?.product
  if (!product) return { scale: null, sizes: [] }
  const sizes = listProductItems(product).flatMap(({ id, size, price }) =>
    size === undefined || id === itemId
      ? []
      : [{ id, label: size, priceCents: kshToCents(price), isSoldOut: product.left?.[id] === 0 }],
  )
  return { scale: product.sizing?.scale ?? null, sizes }
}
