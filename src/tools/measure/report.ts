export type TestedRow = { id: string; what: string; value: number; limit: number; unit?: string | undefined }
type Row = TestedRow & { isMet: boolean }

type AddRow = (id: string, what: string, value: number, limit: number, unit?: string) => void

export type Report = { step: (what: string) => void; atMost: AddRow; atLeast: AddRow; rows: readonly Row[] }

export function startReport(): Report {
  const rows: Row[] = []
  const print = (text: string) => {
    const seconds = Math.floor(performance.now() / 1000)
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    console.log(`${time.padStart(5)}  ${text}`)
  }
  const addRow =
    (sign: '≤' | '≥'): AddRow =>
    (id, what, value, limit, unit) => {
      const isMet = sign === '≤' ? value <= limit : value >= limit
      rows.push({ id, what, value, limit, unit, isMet })
      print(formatRow({ id, what, value, limit, unit, isMet }, sign))
    }
  return { step: (what) => print(`${what}…`), atMost: addRow('≤'), atLeast: addRow('≥'), rows }
}

function formatRow({ id, what, value, limit, unit = '', isMet }: Row, sign: string): string {
  const rounded = String(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)))
  const budget = `${sign} ${limit}`.padEnd(8)
  const result = isMet ? 'met' : 'MISSED'
  return `${id.padEnd(4)} ${what.padEnd(64)} ${rounded.padStart(8)} ${unit.padEnd(2)} ${budget} ${result}`
}

export function calculateMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
