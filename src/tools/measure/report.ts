type Row = {
  id: string
  what: string
  value: number
  unit?: string | undefined
  budget: { atMost: number } | { atLeast: number }
}

export type TestedRow = Omit<Row, 'budget'> & { limit: number }

type AddRow = (id: string, what: string, value: number, limit: number, unit?: string) => void

export type Report = { step: (what: string) => void; atMost: AddRow; atLeast: AddRow; rows: readonly Row[] }

export function startReport(): Report {
  const rows: Row[] = []
  const print = (text: string) => {
    const seconds = Math.floor(performance.now() / 1000)
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    console.log(`${time.padStart(5)}  ${text}`)
  }
  const add = (row: Row) => {
    rows.push(row)
    print(formatRow(row))
  }
  return {
    step: (what) => print(`${what}…`),
    atMost: (id, what, value, limit, unit) => add({ id, what, value, unit, budget: { atMost: limit } }),
    atLeast: (id, what, value, limit, unit) => add({ id, what, value, unit, budget: { atLeast: limit } }),
    rows,
  }
}

export function isMet({ value, budget }: Row): boolean {
  return 'atMost' in budget ? value <= budget.atMost : value >= budget.atLeast
}

function formatRow(row: Row): string {
  const { id, what, value, unit = '', budget } = row
  const limit = 'atMost' in budget ? `≤ ${budget.atMost}` : `≥ ${budget.atLeast}`
  const rounded = String(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)))
  const result = isMet(row) ? 'met' : 'MISSED'
  return `${id.padEnd(4)} ${what.padEnd(64)} ${rounded.padStart(8)} ${unit.padEnd(2)} ${limit.padEnd(8)} ${result}`
}
