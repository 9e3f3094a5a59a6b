import { type Row, readTable } from '#server/catalogue/csv/table.ts'
import type { IncomingPayment } from '#server/payments/providers/provider.ts'
import { CENTS } from '#shared/format.ts'

export const STATEMENT_PROVIDERS = ['mpesa', 'paystack'] as const
export type StatementProvider = (typeof STATEMENT_PROVIDERS)[number]

type Columns = {
  receipt: string[]
  time: string[]
  paidIn: string[]
  status: string[]
  account: string[]
  payer: string[]
}

/** The columns of the providers' own files, in lower case. */
const COLUMNS: Record<StatementProvider, Columns> = {
  mpesa: {
    receipt: ['receipt no.', 'receipt no', 'receipt'],
    time: ['completion time', 'initiation time'],
    paidIn: ['paid in'],
    status: ['transaction status', 'status'],
    account: ['a/c no.', 'a/c no', 'account no.'],
    payer: ['other party info'],
  },
  paystack: {
    receipt: ['reference', 'transaction reference'],
    time: ['paid at', 'transaction date', 'date'],
    paidIn: ['amount paid', 'amount'],
    status: ['status'],
    account: [],
    payer: ['customer name', 'customer'],
  },
}

const PAID_STATUSES = ['completed', 'success', 'successful']
const MAX_PROBLEMS = 5
const MAX_CHARACTERS = 80

/** `others`: rows that are no payment to the shop, such as charges, refunds and failed payments. */
export type Statement = {
  payments: IncomingPayment[]
  others: number
  problems: string[]
  unreadable: number
}

/** Parses a provider's statement (CSV) and skips lines above its heading row. Returns a message if it can't be parsed. */
export function readStatement(bytes: Uint8Array, provider: StatementProvider): Statement | string {
  const columns = COLUMNS[provider]
  const { file, skippedLines } = fromHeading(bytes, columns)
  const table = readTable(file)
  if ('problem' in table) return `Line ${table.line + skippedLines}: ${table.problem}. ${table.fix}`
  const hasColumn = (names: readonly string[]) => names.some((name) => table.columns.includes(name))
  if (!hasColumn(columns.receipt) || !hasColumn(columns.time) || !hasColumn(columns.paidIn))
    return `This file has no columns “${columns.receipt[0]}”, “${columns.time[0]}” and “${columns.paidIn[0]}”. Download the statement as CSV and upload it unchanged.`
  const statement: Statement = { payments: [], others: 0, problems: [], unreadable: 0 }
  for (const row of table.rows) {
    const payment = readRow(row, columns)
    if (payment === 'other') statement.others += 1
    else if (typeof payment === 'object') statement.payments.push(payment)
    else {
      statement.unreadable += 1
      if (statement.problems.length < MAX_PROBLEMS)
        statement.problems.push(`Line ${row.line + skippedLines}: ${payment}`)
    }
  }
  return statement
}

/** M-Pesa writes the organisation and the period above the heading row. */
function fromHeading(bytes: Uint8Array, { receipt }: Columns): { file: Uint8Array; skippedLines: number } {
  const lines = new TextDecoder().decode(bytes).split('\n')
  const heading = lines.findIndex((line) => receipt.some((name) => line.toLowerCase().includes(name)))
  if (heading <= 0) return { file: bytes, skippedLines: 0 }
  return { file: new TextEncoder().encode(lines.slice(heading).join('\n')), skippedLines: heading }
}

function readRow({ cell }: Row, columns: Columns): IncomingPayment | 'other' | string {
  const status = cell(...columns.status).toLowerCase()
  const amount = cell(...columns.paidIn).replace(/[,\s]|ksh|kes/gi, '')
  if ((status && !PAID_STATUSES.includes(status)) || amount === '' || Number(amount) === 0) return 'other'
  const receipt = cell(...columns.receipt)
  if (!/^[\w.=-]{4,60}$/.test(receipt)) return 'The receipt number is missing or malformed.'
  const amountCents = /^\d{1,9}(\.\d{1,2})?$/.test(amount) ? Math.round(Number(amount) * CENTS) : 0
  if (amountCents === 0) return `“${cell(...columns.paidIn).slice(0, MAX_CHARACTERS)}” isn’t an amount.`
  const paidAtMs = parseTime(cell(...columns.time))
  if (paidAtMs === undefined)
    return `“${cell(...columns.time).slice(0, MAX_CHARACTERS)}” isn’t a date and time.`
  const shortened = (text: string) => text.slice(0, MAX_CHARACTERS) || null
  return {
    ...{ receipt, amountCents, paidAtMs },
    account: shortened(columns.account.length > 0 ? cell(...columns.account) : ''),
    payer: shortened(cell(...columns.payer)),
  }
}

/** `21-11-2026 09:05:07` or `2026-11-21 09:05:07`, on East African clocks unless the time names a zone. */
function parseTime(text: string): number | undefined {
  const iso = text
    .trim()
    .replace(/^(\d\d)[-/](\d\d)[-/](\d{4})/, '$3-$2-$1')
    .replace(' ', 'T')
  const [, moment, zone = '+03:00'] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?$/.exec(iso) ?? []
  const atMs = moment ? Date.parse(moment + zone) : Number.NaN
  return Number.isNaN(atMs) ? undefined : atMs
}
