/** What a figure must keep to. */
export type Budget = { atMost: number } | { atLeast: number }

/** One row of the table: a row of the budgets, or a figure beside them that has none. */
export type Row = {
  /** `S1` to `S14`; empty for a figure that explains others. */
  id: string
  what: string
  value: number
  unit?: string
  budget?: Budget
}

/** Whether a row keeps to its budget; a figure without one always does. */
export function isMet({ value, budget }: Row): boolean {
  if (!budget) return true
  if (Number.isNaN(value)) return false
  return 'atMost' in budget ? value <= budget.atMost : value >= budget.atLeast
}

/** The rows as a table for the terminal. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.id,
    row.what,
    `${figure(row.value)}${row.unit ? ` ${row.unit}` : ''}`,
    budgetText(row.budget),
    row.budget ? (isMet(row) ? 'met' : 'MISSED') : '',
  ])
  const all = [['#', 'What', 'Here', 'Budget', ''], ...cells]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((line) => line[column]?.length ?? 0)))
  return all
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function budgetText(budget: Budget | undefined): string {
  if (!budget) return ''
  return 'atMost' in budget ? `≤ ${budget.atMost}` : `≥ ${budget.atLeast}`
}

/** Whole from a hundred on, three figures below it. */
function figure(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}
