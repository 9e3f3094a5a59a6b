import type { BatchItem } from 'drizzle-orm/batch'
import type { ExportedData } from '#shared/contract/account.ts'
import type { Deps } from '../../deps.ts'
import { tooManyRequests } from '../../rate-limit.ts'
import type { Result } from '../../result.ts'
import { authenticate, type Credential } from '../auth/sessions.ts'
import { personalTables } from './personal-data.ts'

/**
 * Every row about the person behind a credential, by table, with times as people and programs read them (ISO 8601).
 * One round trip.
 */
export async function exportData(
  { credential }: { credential: Credential | null },
  deps: Pick<Deps, 'db' | 'clock' | 'background' | 'limits'>,
): Promise<Result<ExportedData>> {
  const { db } = deps
  const authenticated = await authenticate({ credential }, deps, (userId): readonly BatchItem<'sqlite'>[] =>
    personalTables.map(({ table, of }) => db.select().from(table).where(of(userId, db))),
  )
  if (!authenticated.ok) return authenticated
  const { user, read } = authenticated.data
  if (!(await deps.limits.writes(`data of ${user.id}`))) return { ok: false, error: tooManyRequests }
  const data = personalTables.map(({ name, hidden = [] }, index) => {
    const isHidden = new Set<PropertyKey>(hidden)
    // Each of the statements selects whole rows.
    const rows = read[index] as Record<string, ExportedValue>[]
    return [name, rows.map((row) => exportedRow(row, isHidden))] as const
  })
  return {
    ok: true,
    data: { exportedAt: new Date(deps.clock()).toISOString(), data: Object.fromEntries(data) },
  }
}

type ExportedValue = string | number | boolean | null

function exportedRow(row: Record<string, ExportedValue>, hidden: ReadonlySet<PropertyKey>) {
  const columns = Object.entries(row).filter(([column]) => !hidden.has(column))
  return Object.fromEntries(
    columns.map(([column, value]): [string, ExportedValue] =>
      column.endsWith('AtMs')
        ? [column.slice(0, -2), typeof value === 'number' ? new Date(value).toISOString() : null]
        : [column, value],
    ),
  )
}
