import { and, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

const MIN_QUERY_CHARACTERS = 2
const MAX_QUERY_CHARACTERS = 80
const HIGHEST_CHARACTER = '\u{10ffff}'
const COUNTRY_CODE = '254'

export function cleanQuery(text: string): string | undefined {
  const query = text.trim().slice(0, MAX_QUERY_CHARACTERS).toWellFormed()
  return query.length < MIN_QUERY_CHARACTERS ? undefined : query
}

/** With LIKE, which ignores case by default, SQLite couldn't use an index. */
export function byPrefix(column: SQLiteColumn | SQL, start: string): SQL {
  return and(gte(sql`${column}`, start), lt(sql`${column}`, start + HIGHEST_CHARACTER)) ?? sql`false`
}

export function toNamePrefix(query: string): string | undefined {
  if (!/\p{L}/u.test(query)) return undefined
  // The indexes use SQLite's lower(), which changes ASCII letters only.
  return query.replace(/\s+/g, ' ').replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Returns the prefixes of {@link toPhoneDigits} to search for: without and with the country code. */
export function listPhonePrefixes(query: string): string[] {
  if (!/^[+\d][\d\s()-]+$/.test(query)) return []
  const digits = query.replace(/\D/g, '').replace(/^0+/, '')
  const local = digits.startsWith(COUNTRY_CODE) ? digits.slice(COUNTRY_CODE.length) : digits
  return [local, COUNTRY_CODE + local].filter((prefix) => prefix.length >= MIN_QUERY_CHARACTERS)
}
