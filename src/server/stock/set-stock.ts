import { and, eq, notExists, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { commitAudited, countText } from '#server/platform/db/audit.ts'
import { failUnless, guardViolation } from '#server/platform/db/guards.ts'
import { stock, stockHolds } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'

type SetInput = {
  itemId: number
  /** How many there are to sell, those that unpaid orders have reserved included; null makes it to order, without a limit. */
  onHand: number | null
  /** The count that the operator has seen; left out, any. */
  seen?: number | null
  /** An email address, or the command line. */
  actor: string
}

/** `units_held`: unpaid orders have reserved `held` units, which is more; `count_changed`: it is `onHand` by now. */
export type SetError = { code: 'units_held'; held: number } | { code: 'count_changed'; onHand: number | null }

/** Sets how many units of an item there are. A sale in the meantime refuses it, so that no count undoes a sale. */
export async function setStock(
  { itemId, onHand, seen, actor }: SetInput,
  ctx: DataContext,
): Promise<Result<undefined, SetError>> {
  const { db } = ctx
  const byItem = eq(stock.itemId, itemId)
  const read = async () => (await db.select().from(stock).where(byItem)).at(0)
  const before = (await read())?.onHand ?? null
  if (seen !== undefined && seen !== before)
    return { ok: false, error: { code: 'count_changed', onHand: before } }
  const changed = db
    .select({ id: stock.itemId })
    .from(stock)
    .where(and(byItem, sql`${stock.onHand} is not ${before}`))
  const isReserved = and(eq(stockHolds.itemId, itemId), eq(stockHolds.state, 'held'))
  const held = sql<number>`(select coalesce(sum(${stockHolds.qty}), 0) from ${stockHolds} where ${isReserved})`
  const write =
    onHand === null
      ? db.delete(stock).where(byItem)
      : db
          .insert(stock)
          .values({ itemId, onHand, held: sql`min(${held}, ${onHand})` })
          .onConflictDoUpdate({ target: stock.itemId, set: { onHand, held } })
  const audit = {
    actor,
    act: 'stock.count',
    subject: String(itemId),
    from: countText(before),
    to: countText(onHand),
  } as const
  try {
    const statements = [failUnless(notExists(changed), 'stockCountChanged', ctx), write] as const
    await commitAudited({ statements, audit }, ctx)
    return { ok: true, data: undefined }
  } catch (error) {
    const guard = guardViolation(error)?.guard
    if (guard !== 'outOfStock' && guard !== 'stockCountChanged') throw error
    const row = await read()
    return guard === 'outOfStock'
      ? { ok: false, error: { code: 'units_held', held: row?.held ?? 0 } }
      : { ok: false, error: { code: 'count_changed', onHand: row?.onHand ?? null } }
  }
}
