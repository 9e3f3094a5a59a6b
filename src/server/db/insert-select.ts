import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

/**
 * The select of an `insert … select`: a row's values in the order of the table's columns, for each row that `from`
 * finds. With it, an insert happens only while a condition holds.
 */
export function rowWhere(table: SQLiteTable, row: Record<string, unknown>, from: SQL): SQL {
  const values = Object.entries(getTableColumns(table)).map(
    ([name, column]) => sql`${row[name] ?? column.default ?? null}`,
  )
  return sql`select ${sql.join(values, sql`, `)} ${from}`
}
