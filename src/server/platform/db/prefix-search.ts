import { and, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

const MIN_CHARACTERS = 2
const MAX_CHARACTERS = 80
const HIGHEST_CHARACTER = '\u{10ffff}'
const COUNTRY_CODE = '254'

/** Returns the trimmed text, or undefined if it is too short for a search. */
export function cleanQuery(text: string): string | undefined {
  const query = text.trim().slice(0, MAX_CHARACTERS).toWellFormed()
  return query.length < MIN_CHARACTERS ? undefined : query
}

/** Matches values that start with `start`. Unlike LIKE, it can use an index on the expression. */
export function byPrefix(column: SQLiteColumn | SQL, start: string): SQL {
  return and(gte(sql`${column}`, start), lt(sql`${column}`, start + HIGHEST_CHARACTER)) ?? sql`false`
}

/** Returns a name or email in lower case, with single spaces. Returns undefined for texts without a letter. */
export function toNamePrefix(query: string): string | undefined {
  if (!/\p{L}/u.test(query)) return undefined
  // SQLite's lower() changes ASCII letters only, and indexes use it.
  return query.replace(/\s+/g, ' ').replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/**
 * Returns the digits that `phoneDigits` of a matching number can start with, in local and international format.
 * Returns none for other texts.
 */
export function listPhonePrefixes(query: string): string[] {
  if (!/^[+\d][\d\s()-]+$/.test(query)) return []
  const digits = query.replace(/\D/g, '').replace(/^0+/, '')
  const local = digits.startsWith(COUNTRY_CODE) ? digits.slice(COUNTRY_CODE.length) : digits
  return [local, COUNTRY_CODE + local].filter((prefix) => prefix.length >= MIN_CHARACTERS)
}
