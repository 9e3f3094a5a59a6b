import { and, eq, lte, notExists } from 'drizzle-orm'
import { resolveLines } from '#server/catalogue/resolve-lines.ts'
import type { ServiceContext } from '#server/context.ts'
import { isOutage } from '#server/platform/db/client.ts'
import { failUnless } from '#server/platform/db/guards.ts'
import { orders, promotions } from '#server/platform/db/schema.ts'
import { quoteDelivery } from '#shared/checkout/delivery.ts'
import { calculateCheckoutTotals } from '#shared/checkout/pricing.ts'
import { kshToCents } from '#shared/format.ts'
import type { OrderRecord } from './order-record.ts'

/**
 * The batch fails with `orderOutdated` for an expired order whose prices have changed or whose promo code has ended.
 */
export async function createOutdatedGuards(record: OrderRecord, ctx: ServiceContext) {
  const { id, status } = record.row
  const isOutdated = status === 'expired' && (await havePricesChanged(record, ctx))
  const expired = ctx.db
    .select({ id: orders.id })
    .from(orders)
    .leftJoin(promotions, eq(promotions.code, orders.promoCode))
    .where(
      and(
        eq(orders.id, id),
        eq(orders.status, 'expired'),
        isOutdated ? undefined : lte(promotions.endsAtMs, ctx.clock()),
      ),
    )
  return [failUnless(notExists(expired), 'orderOutdated', ctx)] as const
}

/** Also true if the delivery fee has changed or a product is no longer sold. False if the catalogue can't be read. */
async function havePricesChanged({ row, lines }: OrderRecord, ctx: ServiceContext): Promise<boolean> {
  try {
    const orderedItems = lines.map(({ productId: id, qty }) => ({ id, qty }))
    const sold = await resolveLines(orderedItems, ctx)
    if (!sold.ok) return true
    const agreedPrices = lines.map(({ unitPriceCents }) => unitPriceCents)
    if (sold.data.some(({ price }, index) => kshToCents(price) !== agreedPrices[index])) return true
    const method = row.pickup === null ? 'delivery' : 'pickup'
    const { feeKsh } = quoteDelivery(ctx.delivery, { method, county: row.state })
    return calculateCheckoutTotals(sold.data, null, feeKsh).shippingCents !== row.shippingCents
  } catch (error) {
    if (!isOutage(error)) throw error
    return false
  }
}
