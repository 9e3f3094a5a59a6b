import { and, eq, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { brokenConstraint, onlyIf } from '#server/platform/db/client.ts'
import { stock, stockHolds } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import { isOutOfStock } from './reservations.ts'

type SetInput = {
  itemId: number
  /** How many there are to sell, those that unpaid orders hold among them; null makes it to order, without a limit. */
  onHand: number | null
  /** The count that whoever asks has seen; left out, any. */
  seen?: number | null
  /** Statements of the same batch, given the count before: a line of the audit log. */
  alongside?: (before: number | null) => readonly BatchItem<'sqlite'>[]
}

/** `units_held`: unpaid orders hold `held` units, which is more; `count_changed`: it is `onHand` by now. */
export type SetError = { code: 'units_held'; held: number } | { code: 'count_changed'; onHand: number | null }

/** Sets how many units of an item there are. Units that are sold meanwhile refuse it, so that no count undoes a sale. */
export async function setStock(
  { itemId, onHand, seen, alongside = () => [] }: SetInput,
  { db }: DataContext,
): Promise<Result<undefined, SetError>> {
  const isIt = eq(stock.itemId, itemId)
  const read = async () => (await db.select().from(stock).where(isIt)).at(0)
  const before = (await read())?.onHand ?? null
  if (seen !== undefined && seen !== before)
    return { ok: false, error: { code: 'count_changed', onHand: before } }
  const isUnchanged = sql`${stock.onHand} is ${before}`
  const isHeld = and(eq(stockHolds.itemId, itemId), eq(stockHolds.state, 'held'))
  const held = sql<number>`(select coalesce(sum(${stockHolds.qty}), 0) from ${stockHolds} where ${isHeld})`
  const statements =
    onHand === null
      ? ([
          db
            .update(stock)
            .set({ onHand: onlyIf(isUnchanged, sql<number>`${stock.onHand}`) })
            .where(isIt),
          db.delete(stock).where(isIt),
        ] as const)
      : ([
          db
            .insert(stock)
            .values({ itemId, onHand, held: sql`min(${held}, ${onHand})` })
            .onConflictDoUpdate({
              target: stock.itemId,
              set: { onHand: onlyIf(isUnchanged, onHand), held },
            }),
        ] as const)
  try {
    await db.batch([...statements, ...alongside(before)])
    return { ok: true, data: undefined }
  } catch (error) {
    const broken = brokenConstraint(error) ?? ''
    const isShort = isOutOfStock(broken)
    if (!isShort && !broken.includes('stock.on_hand')) throw error
    const row = await read()
    return isShort
      ? { ok: false, error: { code: 'units_held', held: row?.held ?? 0 } }
      : { ok: false, error: { code: 'count_changed', onHand: row?.onHand ?? null } }
  }
}
