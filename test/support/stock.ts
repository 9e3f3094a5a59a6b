import { eq } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { stock, stockReservations } from '#server/platform/db/schema.ts'
import items from '../../public/Items.json'

/** Also deletes the item's reservations. */
export async function setStock({ db }: DataContext, itemId: number, onHand: number) {
  await db.batch([
    db.delete(stock).where(eq(stock.itemId, itemId)),
    db.delete(stockReservations).where(eq(stockReservations.itemId, itemId)),
    db.insert(stock).values({ itemId, onHand }),
  ])
}

export async function readStock({ db }: DataContext, itemId: number) {
  const [[row], reservations] = await db.batch([
    db.select().from(stock).where(eq(stock.itemId, itemId)),
    db.select().from(stockReservations).where(eq(stockReservations.itemId, itemId)),
  ])
  return { onHand: row?.onHand, reserved: row?.reserved, reservations }
}

export const UNSIZED_ITEMS = items.filter(({ sizes }) => !sizes).map(({ id }) => id)
let usedItems = 0

/** Stocks an item that no other test in the file uses. Files share the count, but not the database. */
export async function newStockedItem(ctx: DataContext, onHand: number): Promise<number> {
  const id = UNSIZED_ITEMS[usedItems++ % UNSIZED_ITEMS.length] ?? 0
  await setStock(ctx, id, onHand)
  return id
}
