import { expect, type TestContext } from 'vitest'
import type { Row } from '#tools/measure/report.ts'

/** Fails the test when a value is above its budget. `npm run bench` prints the row. */
export function expectAtMost(
  { task }: Pick<TestContext, 'task'>,
  limit: number,
  row: Omit<Row, 'budget'>,
): void {
  const meta = task.meta as { rows?: Row[] }
  meta.rows = [...(meta.rows ?? []), { ...row, budget: { atMost: limit } }]
  expect(row.value, `${row.what} ${row.unit ?? ''}`).toBeLessThanOrEqual(limit)
}
