import { inArray, type SQL, sql } from 'drizzle-orm'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { byPrefix, cleanQuery, listPhonePrefixes, toNamePrefix } from '#server/platform/db/prefix-search.ts'
import { orders, payments, toPhoneDigits } from '#server/platform/db/schema.ts'
import { shop } from '#shared/shop.ts'
import { BOARD_PAGE_SIZE, type ListedOrder, listedColumns, withLines } from './office-board.ts'

const ORDER_NUMBER_START_PATTERN = new RegExp(`^(?:${shop.orderPrefix}-?)?([\\da-z]{2,8})$`, 'i')

export async function searchOrders({ text }: { text: string }, ctx: OwnerContext): Promise<ListedOrder[]> {
  const { db } = ctx
  const query = cleanQuery(text)
  if (!query) return []
  const matchingOrders = [...byNumber(query), ...byBuyer(query)].map((condition) =>
    db.select(listedColumns).from(orders).where(condition).limit(BOARD_PAGE_SIZE),
  )
  const ofPayments = byPayment(query).map((condition) => {
    const matchingPayments = db
      .select({ orderId: payments.orderId })
      .from(payments)
      .where(condition)
      .limit(BOARD_PAGE_SIZE)
    return db
      .select(listedColumns)
      .from(orders)
      .where(inArray(orders.id, matchingPayments))
      .limit(BOARD_PAGE_SIZE)
  })
  const [first, ...others] = [...ofPayments, ...matchingOrders]
  const results = first ? await db.batch([first, ...others]) : []
  const unique = new Map(results.flat().map((row) => [row.id, row]))
  const newest = [...unique.values()].toSorted((a, b) => b.createdAtMs - a.createdAtMs)
  return withLines(newest.slice(0, BOARD_PAGE_SIZE), ctx)
}

function byNumber(query: string): SQL[] {
  const [, characters] = ORDER_NUMBER_START_PATTERN.exec(query) ?? []
  return characters ? [byPrefix(orders.number, `${shop.orderPrefix}-${characters.toUpperCase()}`)] : []
}

/** Returns separate conditions, each of which can use an index. */
export function byBuyer(query: string): SQL[] {
  const name = toNamePrefix(query)
  const firstAndLast = sql`lower(${orders.firstName} || ' ' || ${orders.lastName})`
  const texts = [firstAndLast, sql`lower(${orders.lastName})`, sql`lower(${orders.email})`]
  return [
    ...listPhonePrefixes(query).map((digits) => byPrefix(toPhoneDigits(orders.phone), digits)),
    ...(name === undefined ? [] : texts.map((column) => byPrefix(column, name))),
  ]
}

/** Payments store the phone number as 254XXXXXXXXX, unlike orders. */
function byPayment(query: string): SQL[] {
  const [, international] = listPhonePrefixes(query)
  return [
    byPrefix(payments.receipt, query.toUpperCase()),
    ...(international ? [byPrefix(payments.phone, international)] : []),
  ]
}
