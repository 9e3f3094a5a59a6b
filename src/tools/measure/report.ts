/** A limit that a value is held against. */
export type Budget = { atMost: number } | { atLeast: number }

/** One line of the report. */
export type Row = {
  /** `S1` to `S17`; empty for a value that only explains others. */
  id: string
  what: string
  value: number
  unit?: string
  budget?: Budget
}

/** Prints what is measured as it goes, each line with the time since the start. */
export type Report = {
  /** Says what takes the time from now on. */
  step: (what: string) => void
  row: (row: Row) => void
  rows: readonly Row[]
}

const WIDTHS = { id: 4, what: 64, value: 10, budget: 10 }
const SECONDS_PER_MINUTE = 60

export function startReport(
  print: (line: string) => void = console.log,
  clock = performance.now.bind(performance),
): Report {
  const startMs = clock()
  const rows: Row[] = []
  const line = (text: string) => print(`${elapsed(clock() - startMs)}  ${text}`)
  return {
    step: (what) => line(`${what} …`),
    row(row) {
      rows.push(row)
      line(textOf(row))
    },
    rows,
  }
}

/** Whether a row is within its budget; a row without one always is. */
export function isMet({ value, budget }: Row): boolean {
  if (!budget) return true
  if (Number.isNaN(value)) return false
  return 'atMost' in budget ? value <= budget.atMost : value >= budget.atLeast
}

function textOf(row: Row): string {
  return [
    row.id.padEnd(WIDTHS.id),
    row.what.padEnd(WIDTHS.what),
    rounded(row.value).padStart(WIDTHS.value),
    (row.unit ?? '').padEnd(2),
    budgetText(row.budget).padEnd(WIDTHS.budget),
    row.budget ? (isMet(row) ? 'met' : 'MISSED') : '',
  ]
    .join(' ')
    .trimEnd()
}

function budgetText(budget: Budget | undefined): string {
  if (!budget) return ''
  return 'atMost' in budget ? `≤ ${budget.atMost}` : `≥ ${budget.atLeast}`
}

/** Whole numbers from a hundred on, three digits below it. */
function rounded(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

/** Minutes and seconds, `3:07`. */
function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const rest = String(seconds % SECONDS_PER_MINUTE).padStart(2, '0')
  return `${Math.floor(seconds / SECONDS_PER_MINUTE)}:${rest}`.padStart(5)
}
