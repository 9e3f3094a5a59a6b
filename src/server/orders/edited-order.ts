import { and, eq, exists, inArray, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { orderLines, orders } from '#server/platform/db/schema.ts'
import type { PromotionRow } from '#server/promotions/promotions.ts'
import { calculateAgreedTotals, type PricedLine } from '#shared/checkout/pricing.ts'
import { CENTS_PER_KSH } from '#shared/format.ts'
import type { OrderLine } from '#shared/orders/edited-lines.ts'
import type { OrderStatus } from '#shared/orders/order-status.ts'
import { isSameLine } from '#shared/orders/returns.ts'
import { calculateBalance, type OrderLineRow, type OrderRecord, type OrderRow } from './order-record.ts'
import { calculateReturnedGoodsCents, type OrderReturn, type ReturnContext } from './order-returns.ts'

export function toOrderLine({ productId, title, size, image, unitPriceCents, qty }: OrderLineRow): OrderLine {
  return { productId, title, size, image, unitPriceCents, qty }
}

export function calculateEditedTotals(
  lines: readonly OrderLine[],
  row: OrderRow,
  promotion: PromotionRow | undefined,
) {
  return calculateAgreedTotals(lines.map(toPricedLine), row.hasPromotionUse ? promotion : null, row)
}

function toPricedLine({ unitPriceCents, qty }: OrderLine): PricedLine {
  return { price: unitPriceCents / CENTS_PER_KSH, qty }
}

/**
 * An exchange doesn't reduce the discount of the goods that the customer keeps, except in proportion to their price. So
 * the difference is never more than that of the prices with VAT. Returned goods keep their share of the discount.
 */
export function calculateExchangedTotals(
  lines: readonly OrderLine[],
  { record: { row }, returns, promotion }: ReturnContext,
) {
  const totals = calculateEditedTotals(lines, row, promotion)
  const returnedCents = calculateReturnedGoodsCents(returns)
  const share = (cents: number, part: number, whole: number) =>
    Math.floor((cents * part) / Math.max(whole, 1))
  const returnedDiscountCents = share(row.discountCents, returnedCents, row.subtotalCents)
  const keptBeforeCents = row.subtotalCents - returnedCents
  const keptCents = totals.subtotalCents - returnedCents
  const keptDiscountCents = share(
    row.discountCents - returnedDiscountCents,
    Math.min(keptCents, keptBeforeCents),
    keptBeforeCents,
  )
  const discountCents = Math.min(
    Math.max(totals.discountCents, returnedDiscountCents + keptDiscountCents),
    returnedDiscountCents + keptCents,
  )
  const terms = { kind: 'fixed', value: discountCents, minimumSubtotalCents: 0 } as const
  return calculateAgreedTotals(lines.map(toPricedLine), terms, row)
}

/**
 * `balanceCents` is the amount due. If the customer has paid too much, it is negative and equals `-surplusCents`. Open
 * refunds count as paid out.
 */
export function calculateBalanceAndSurplus(record: Pick<OrderRecord, 'row' | 'payments' | 'refunds'>) {
  const { dueCents, refundDueCents } = calculateBalance(record)
  const openRefunds = record.refunds.filter(({ state }) => state !== 'done')
  const surplusCents = refundDueCents - openRefunds.reduce((sum, { amountCents }) => sum + amountCents, 0)
  return { surplusCents, balanceCents: dueCents - surplusCents }
}

/** The batch fails with `orderChanged` if the revision has changed or the status isn't one of `statuses`. */
export function incrementRevisionStatements(
  { id, revision }: Pick<OrderRow, 'id' | 'revision'>,
  statuses: readonly OrderStatus[],
  ctx: DataContext,
) {
  const { db } = ctx
  const byRevision = and(
    eq(orders.id, id),
    eq(orders.revision, revision),
    inArray(orders.status, [...statuses]),
  )
  return [
    failUnless(exists(db.select({ id: orders.id }).from(orders).where(byRevision)), 'orderChanged', ctx),
    db
      .update(orders)
      .set({ revision: revision + 1 })
      .where(eq(orders.id, id)),
  ] as const
}

export function replaceOrderLinesStatements(
  orderId: string,
  lines: readonly OrderLineRow[],
  { db }: DataContext,
) {
  // The lines are passed as JSON because D1 allows only 100 bound parameters per statement.
  const value = (name: keyof OrderLineRow): SQL => sql`line.value ->> ${name}`
  const values = {
    orderId: value('orderId'),
    position: value('position'),
    productId: value('productId'),
    title: value('title'),
    size: value('size'),
    image: value('image'),
    unitPriceCents: value('unitPriceCents'),
    qty: value('qty'),
  }
  const from = sql`from json_each(${JSON.stringify(lines)}) line where true`
  return [
    db.delete(orderLines).where(eq(orderLines.orderId, orderId)),
    db.insert(orderLines).select(insertRowWhere(orderLines, values, from)),
  ] as const
}

export function applyExchange(
  before: readonly OrderLineRow[],
  { orderId, lines }: Pick<OrderReturn, 'orderId' | 'lines'>,
): OrderLineRow[] {
  const keptLines = before.flatMap((line) => {
    const units = lines.filter((back) => isSameLine(back, line)).reduce((sum, { qty }) => sum + qty, 0)
    return line.qty > units ? [{ ...line, qty: line.qty - units }] : []
  })
  for (const { qty, ...line } of lines) {
    const { replacementId, replacementTitle, replacementImage, replacementPriceCents } = line
    if (replacementId === null || replacementPriceCents === null) continue
    const key = { productId: replacementId, unitPriceCents: replacementPriceCents }
    const same = keptLines.find((other) => isSameLine(other, key))
    if (same) same.qty += qty
    else
      keptLines.push({
        ...key,
        orderId,
        position: 0,
        qty,
        title: replacementTitle ?? '',
        size: line.replacementSize,
        image: replacementImage ?? '',
      })
  }
  return keptLines.map((line, position) => ({ ...line, position }))
}

/** Replaces an exchange's replacements with the items that came back. A return doesn't store the latter's images. */
export function undoExchange(
  after: readonly OrderLineRow[],
  exchange: Pick<OrderReturn, 'orderId' | 'lines'>,
  getImage: (productId: number) => string,
): OrderLineRow[] {
  return applyExchange(after, reverseExchange(exchange, getImage))
}

function reverseExchange(
  { orderId, lines }: Pick<OrderReturn, 'orderId' | 'lines'>,
  getImage: (productId: number) => string = () => '',
): Pick<OrderReturn, 'orderId' | 'lines'> {
  const reversedLines = lines.flatMap((line) => {
    const { productId, title, size, unitPriceCents, replacementId, replacementPriceCents } = line
    if (replacementId === null || replacementPriceCents === null) return []
    const back = {
      ...{ replacementId: productId, replacementTitle: title, replacementSize: size },
      ...{ replacementImage: getImage(productId), replacementPriceCents: unitPriceCents },
    }
    return [{ ...line, productId: replacementId, unitPriceCents: replacementPriceCents, ...back }]
  })
  return { orderId, lines: reversedLines }
}

/** Returns the order with the exchange's items received, and its balance. */
export function previewExchange(context: ReturnContext, exchange: OrderReturn) {
  return previewExchangedLines(context, applyExchange(context.record.lines, exchange))
}

export function previewExchangedLines(context: ReturnContext, lines: OrderLineRow[]) {
  const { record } = context
  const { roundingCents: _, ...totals } = calculateExchangedTotals(lines.map(toOrderLine), context)
  const changed = { ...record, row: { ...record.row, ...totals }, lines }
  return { changed, totals, ...calculateBalanceAndSurplus(changed) }
}

/**
 * Returns how much more the order costs, with VAT, after an exchange whose items haven't been received. Undefined if
 * replacements haven't been chosen or a promo code applies, because its terms can change.
 */
export function calculateExchangeDifferenceCents(
  { row, lines }: Pick<OrderRecord, 'row' | 'lines'>,
  exchange: Pick<OrderReturn, 'orderId' | 'lines'>,
): number | undefined {
  if (exchange.lines.some(({ replacementId }) => replacementId === null)) return undefined
  if (exchange.lines.every((line) => line.replacementPriceCents === line.unitPriceCents)) return 0
  if (row.promoCode !== null) return undefined
  const calculateCents = (items: readonly OrderLineRow[]) =>
    calculateEditedTotals(items.map(toOrderLine), row, undefined).totalCents
  return calculateCents(applyExchange(lines, exchange)) - calculateCents(lines)
}

/** Like {@link calculateExchangeDifferenceCents}, for an exchange whose items have been received but not handed over. */
export function calculateReceivedDifferenceCents(
  record: Pick<OrderRecord, 'row' | 'lines'>,
  exchange: Pick<OrderReturn, 'orderId' | 'lines'>,
): number | undefined {
  const differenceCents = calculateExchangeDifferenceCents(record, reverseExchange(exchange))
  return differenceCents === undefined ? undefined : -differenceCents
}
