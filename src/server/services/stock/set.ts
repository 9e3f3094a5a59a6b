import { and, eq, sql } from 'drizzle-orm'
import { stock, stockHolds } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { Result } from '../../result.ts'

/** `units_held`: unpaid orders hold more than that; `held` is how many. */
type SetError = { code: 'units_held'; held: number }

/**
 * Sets how many units of an item there are to sell, those that unpaid orders hold among them; null makes it to order,
 * without a limit.
 */
export async function setStock(
  { itemId, onHand }: { itemId: number; onHand: number | null },
  { db }: Pick<Deps, 'db'>,
): Promise<Result<undefined, SetError>> {
  if (onHand === null) {
    await db.delete(stock).where(eq(stock.itemId, itemId))
    return { ok: true, data: undefined }
  }
  const isHeld = and(eq(stockHolds.itemId, itemId), eq(stockHolds.state, 'held'))
  const units = sql<number>`(select coalesce(sum(${stockHolds.qty}), 0) from ${stockHolds} where ${isHeld})`
  const set = await db
    .insert(stock)
    .values({ itemId, onHand, held: sql`min(${units}, ${onHand})` })
    .onConflictDoUpdate({
      target: stock.itemId,
      set: { onHand, held: units },
      setWhere: sql`${units} <= ${onHand}`,
    })
    .returning({ itemId: stock.itemId })
  if (set.length > 0) return { ok: true, data: undefined }
  const row = await db.select().from(stock).where(eq(stock.itemId, itemId)).get()
  return { ok: false, error: { code: 'units_held', held: row?.held ?? 0 } }
}
