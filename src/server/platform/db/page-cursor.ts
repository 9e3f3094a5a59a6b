import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

/** The id distinguishes rows of the same time. */
export function formatCursor(atMs: number, id: string): string {
  return `${atMs}.${id}`
}

export function parseCursor(cursor = ''): { atMs: number; id: string } | undefined {
  const [, atMs, id] = /^(\d{1,15})\.([\w-]{1,80})$/.exec(cursor) ?? []
  return atMs && id ? { atMs: Number(atMs), id } : undefined
}

/** Selects the rows after the cursor in a list that is sorted by time and id, both descending. */
export function byCursor(columns: { atMs: AnyColumn; id: AnyColumn }, cursor?: string): SQL | undefined {
  const after = parseCursor(cursor)
  return after && sql`(${columns.atMs}, ${columns.id}) < (${after.atMs}, ${after.id})`
}
