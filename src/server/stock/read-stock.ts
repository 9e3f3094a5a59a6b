import type { DataContext } from '#server/context.ts'
import { stock } from '#server/platform/db/schema.ts'

export type StockRow = typeof stock.$inferSelect

/** Items without a row are made to order. */
export async function readStock({ db }: DataContext): Promise<ReadonlyMap<number, StockRow>> {
  const rows = await db.select().from(stock)
  return new Map(rows.map((row) => [row.itemId, row]))
}
