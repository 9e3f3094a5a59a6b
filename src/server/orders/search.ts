import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { DataContext } from '#server/context.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import { formatLocalPhone, normaliseMobile } from '#shared/payments/payment.ts'
import { BOARD_ROWS, type ListedOrder, listedColumns, withLines } from './board.ts'

const MIN_CHARACTERS = 2
const MAX_CHARACTERS = 80
/** After every text that begins with the same characters. */
const LAST = '\u{10ffff}'

/**
 * Finds orders by what people know of them: number, name, phone or receipt, or how one of these begins. The newest
 * first; at most {@link BOARD_ROWS}, and each way reads as many rows at most, by index.
 */
export async function searchOrders({ text }: { text: string }, ctx: DataContext): Promise<ListedOrder[]> {
  const { db } = ctx
  const words = text.trim().slice(0, MAX_CHARACTERS).toWellFormed()
  if (words.length < MIN_CHARACTERS) return []
  const conditions = [...byNumber(words), ...byPhone(words), ...byName(words)]
  const found = conditions.map((condition) =>
    db.select(listedColumns).from(orders).where(condition).limit(BOARD_ROWS),
  )
  const paid = db.select({ orderId: payments.orderId }).from(payments).where(payerIs(words)).limit(BOARD_ROWS)
  const ofPayments = db.select(listedColumns).from(orders).where(inArray(orders.id, paid)).limit(BOARD_ROWS)
  const results = await db.batch([ofPayments, ...found])
  const unique = new Map(results.flat().map((row) => [row.id, row]))
  const newest = [...unique.values()].toSorted((a, b) => b.createdAtMs - a.createdAtMs)
  return withLines(newest.slice(0, BOARD_ROWS), ctx)
}

/** `P-7K3M9Q`, in any case, without the `P-`, or its beginning. */
function byNumber(words: string): SQL[] {
  const [, characters] = /^(?:P-?)?([\da-z]{2,8})$/i.exec(words) ?? []
  return characters ? [beginsWith(orders.number, `P-${characters.toUpperCase()}`)] : []
}

/** A phone number is stored as 254XXXXXXXXX where it is a Kenyan mobile, and otherwise as it was typed. */
function byPhone(words: string): SQL[] {
  if (!/^[+\d][\d\s()-]+$/.test(words)) return []
  const number = normaliseMobile(words)
  if (!number) return [beginsWith(orders.phone, words), beginsWith(orders.phone, international(words))]
  return [
    inArray(orders.phone, [
      ...new Set([number, `+${number}`, words, formatLocalPhone(number), `0${number.slice(3)}`]),
    ]),
  ]
}

/** The beginning of a number as it is stored: `0712` is `254712`. */
function international(words: string): string {
  return words.replace(/\D/g, '').replace(/^0/, '254')
}

function byName(words: string): SQL[] {
  if (!/\p{L}/u.test(words)) return []
  // SQLite lowers no other letters than these.
  const name = words.replace(/\s+/g, ' ').replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const firstAndLast = sql`lower(${orders.firstName} || ' ' || ${orders.lastName})`
  return [beginsWith(firstAndLast, name), beginsWith(sql`lower(${orders.lastName})`, name)]
}

/** By a payment's receipt, or by the phone that was asked to pay. */
function payerIs(words: string): SQL | undefined {
  const number = normaliseMobile(words)
  return number ? eq(payments.phone, number) : beginsWith(payments.receipt, words.toUpperCase())
}

function beginsWith(column: SQLiteColumn | SQL, start: string): SQL {
  return and(gte(sql`${column}`, start), lt(sql`${column}`, start + LAST)) ?? sql`false`
}
