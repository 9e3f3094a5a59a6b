import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { DataContext } from '#server/context.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import { formatLocalPhone, normaliseMobile } from '#shared/payments/payment.ts'
import { BOARD_ROWS, type ListedOrder, listedColumns, withLines } from './office-board.ts'

const MIN_CHARACTERS = 2
const MAX_CHARACTERS = 80
const HIGHEST_CHARACTER = '\u{10ffff}'

/**
 * Finds orders by the start of a number, name, phone or receipt, newest first, at most {@link BOARD_ROWS}.
 * Each condition uses an index and the same limit.
 */
export async function searchOrders({ text }: { text: string }, ctx: DataContext): Promise<ListedOrder[]> {
  const { db } = ctx
  const query = text.trim().slice(0, MAX_CHARACTERS).toWellFormed()
  if (query.length < MIN_CHARACTERS) return []
  const conditions = [...byNumber(query), ...byPhone(query), ...byName(query)]
  const found = conditions.map((condition) =>
    db.select(listedColumns).from(orders).where(condition).limit(BOARD_ROWS),
  )
  const paid = db.select({ orderId: payments.orderId }).from(payments).where(byPayer(query)).limit(BOARD_ROWS)
  const ofPayments = db.select(listedColumns).from(orders).where(inArray(orders.id, paid)).limit(BOARD_ROWS)
  const results = await db.batch([ofPayments, ...found])
  const unique = new Map(results.flat().map((row) => [row.id, row]))
  const newest = [...unique.values()].toSorted((a, b) => b.createdAtMs - a.createdAtMs)
  return withLines(newest.slice(0, BOARD_ROWS), ctx)
}

/** `P-7K3M9Q` or its start, case-insensitive, with or without `P-`. */
function byNumber(query: string): SQL[] {
  const [, characters] = /^(?:P-?)?([\da-z]{2,8})$/i.exec(query) ?? []
  return characters ? [startsWith(orders.number, `P-${characters.toUpperCase()}`)] : []
}

/** Kenyan mobile numbers are stored as 254XXXXXXXXX, others as typed. */
function byPhone(query: string): SQL[] {
  if (!/^[+\d][\d\s()-]+$/.test(query)) return []
  const number = normaliseMobile(query)
  if (!number) return [startsWith(orders.phone, query), startsWith(orders.phone, toInternational(query))]
  return [
    inArray(orders.phone, [
      ...new Set([number, `+${number}`, query, formatLocalPhone(number), `0${number.slice(3)}`]),
    ]),
  ]
}

function toInternational(query: string): string {
  return query.replace(/\D/g, '').replace(/^0/, '254')
}

function byName(query: string): SQL[] {
  if (!/\p{L}/u.test(query)) return []
  // SQLite's lower() changes ASCII letters only.
  const name = query.replace(/\s+/g, ' ').replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const firstAndLast = sql`lower(${orders.firstName} || ' ' || ${orders.lastName})`
  return [startsWith(firstAndLast, name), startsWith(sql`lower(${orders.lastName})`, name)]
}

function byPayer(query: string): SQL | undefined {
  const number = normaliseMobile(query)
  return number ? eq(payments.phone, number) : startsWith(payments.receipt, query.toUpperCase())
}

function startsWith(column: SQLiteColumn | SQL, start: string): SQL {
  return and(gte(sql`${column}`, start), lt(sql`${column}`, start + HIGHEST_CHARACTER)) ?? sql`false`
}
