import { and, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { DataContext } from '#server/context.ts'
import { orders, payments, phoneDigits } from '#server/platform/db/schema.ts'
import { BOARD_ROWS, type ListedOrder, listedColumns, withLines } from './office-board.ts'

const MIN_CHARACTERS = 2
const MAX_CHARACTERS = 80
const HIGHEST_CHARACTER = '\u{10ffff}'

/**
 * Finds orders by the start of a number, name, email, phone or receipt, newest first, at most
 * {@link BOARD_ROWS}. Each condition uses an index and the same limit.
 */
export async function searchOrders({ text }: { text: string }, ctx: DataContext): Promise<ListedOrder[]> {
  const { db } = ctx
  const query = text.trim().slice(0, MAX_CHARACTERS).toWellFormed()
  if (query.length < MIN_CHARACTERS) return []
  const conditions = [...byNumber(query), ...byPhone(query), ...byNameOrEmail(query)]
  const found = conditions.map((condition) =>
    db.select(listedColumns).from(orders).where(condition).limit(BOARD_ROWS),
  )
  const ofPayments = byPayer(query).map((condition) => {
    const paid = db.select({ orderId: payments.orderId }).from(payments).where(condition).limit(BOARD_ROWS)
    return db.select(listedColumns).from(orders).where(inArray(orders.id, paid)).limit(BOARD_ROWS)
  })
  const [first, ...others] = [...ofPayments, ...found]
  const results = first ? await db.batch([first, ...others]) : []
  const unique = new Map(results.flat().map((row) => [row.id, row]))
  const newest = [...unique.values()].toSorted((a, b) => b.createdAtMs - a.createdAtMs)
  return withLines(newest.slice(0, BOARD_ROWS), ctx)
}

/** `P-7K3M9Q` or its start, case-insensitive, with or without `P-`. */
function byNumber(query: string): SQL[] {
  const [, characters] = /^(?:P-?)?([\da-z]{2,8})$/i.exec(query) ?? []
  return characters ? [startsWith(orders.number, `P-${characters.toUpperCase()}`)] : []
}

function byPhone(query: string): SQL[] {
  return phonePrefixes(query).map((digits) => startsWith(phoneDigits(orders.phone), digits))
}

const COUNTRY_CODE = '254'

/** The digits that a stored number may start with, in local and in international format; empty for other texts. */
export function phonePrefixes(query: string): string[] {
  if (!/^[+\d][\d\s()-]+$/.test(query)) return []
  const digits = query.replace(/\D/g, '').replace(/^0+/, '')
  const local = digits.startsWith(COUNTRY_CODE) ? digits.slice(COUNTRY_CODE.length) : digits
  return [local, COUNTRY_CODE + local].filter((prefix) => prefix.length >= MIN_CHARACTERS)
}

function byNameOrEmail(query: string): SQL[] {
  if (!/\p{L}/u.test(query)) return []
  // SQLite's lower() changes ASCII letters only.
  const text = query.replace(/\s+/g, ' ').replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const firstAndLast = sql`lower(${orders.firstName} || ' ' || ${orders.lastName})`
  return [firstAndLast, sql`lower(${orders.lastName})`, sql`lower(${orders.email})`].map((column) =>
    startsWith(column, text),
  )
}

/** Mobile numbers that pay are stored as 254XXXXXXXXX. */
function byPayer(query: string): SQL[] {
  const [, international] = phonePrefixes(query)
  return [
    startsWith(payments.receipt, query.toUpperCase()),
    ...(international ? [startsWith(payments.phone, international)] : []),
  ]
}

function startsWith(column: SQLiteColumn | SQL, start: string): SQL {
  return and(gte(sql`${column}`, start), lt(sql`${column}`, start + HIGHEST_CHARACTER)) ?? sql`false`
}
