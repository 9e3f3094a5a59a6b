import { expect, type TestContext } from 'vitest'
import type { TestedRow } from '#tools/measure/report.ts'

/** `npm run bench` prints the row. */
export function expectWithinBudget(
  { task }: Pick<TestContext, 'task'>,
  limit: number,
  row: Omit<TestedRow, 'limit'>,
): void {
  const meta = task.meta as { rows?: TestedRow[] }
  meta.rows = [...(meta.rows ?? []), { ...row, limit }]
  expect(row.value, `${row.what} ${row.unit ?? ''}`).toBeLessThanOrEqual(limit)
}
