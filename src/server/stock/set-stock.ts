import { and, eq, notExists, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { commitAudited, formatStockCount } from '#server/platform/db/audit.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { stock, stockReservations } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import type { Actor } from '#shared/team/roles.ts'
import { sumExchangeUnits } from './reservations.ts'

type SetStockInput = {
  itemId: number
  /** Unsold units, including reserved ones. Null means that the item is made to order, without a limit. */
  onHand: number | null
  expectedOnHand?: number | null
  actor: Actor
}

/**
 * `units_reserved`: more units are reserved than the new count. `count_changed`: `onHand` is the count that is stored
 * now.
 */
export type SetStockError =
  | { code: 'units_reserved'; reserved: number }
  | { code: 'count_changed'; onHand: number | null }

/** With `expectedOnHand`, fails if the stored count differs, because the new count could overwrite a sale. */
export async function setStock(
  { itemId, onHand, expectedOnHand, actor }: SetStockInput,
  ctx: DataContext,
): Promise<Result<undefined, SetStockError>> {
  const { db } = ctx
  const byItem = eq(stock.itemId, itemId)
  const readStock = async () => (await db.select().from(stock).where(byItem)).at(0)
  const before = (await readStock())?.onHand ?? null
  if (expectedOnHand !== undefined && expectedOnHand !== before)
    return { ok: false, error: { code: 'count_changed', onHand: before } }
  const changedStock = db
    .select({ id: stock.itemId })
    .from(stock)
    .where(and(byItem, sql`${stock.onHand} is not ${before}`))
  const byReservation = and(eq(stockReservations.itemId, itemId), eq(stockReservations.state, 'held'))
  const reserved = sql<number>`(select coalesce(sum(${stockReservations.qty}), 0) from ${stockReservations} where ${byReservation}) + ${sumExchangeUnits(itemId)}`
  const write =
    onHand === null
      ? db.delete(stock).where(byItem)
      : db
          .insert(stock)
          .values({ itemId, onHand, reserved })
          .onConflictDoUpdate({ target: stock.itemId, set: { onHand, reserved } })
  const audit = {
    actor,
    action: 'stock.count',
    subject: String(itemId),
    from: formatStockCount(before),
    to: formatStockCount(onHand),
  } as const
  try {
    const statements = [failUnless(notExists(changedStock), 'stockCountChanged', ctx), write] as const
    await commitAudited({ statements, audit }, ctx)
    return { ok: true, data: undefined }
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    if (guard !== 'outOfStock' && guard !== 'stockCountChanged') throw error
    if (guard === 'stockCountChanged')
      return { ok: false, error: { code: 'count_changed', onHand: (await readStock())?.onHand ?? null } }
    const now = await db.get<{ units: number }>(sql`select ${reserved} as units`)
    return { ok: false, error: { code: 'units_reserved', reserved: now.units } }
  }
}
