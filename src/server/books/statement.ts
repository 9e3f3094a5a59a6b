import { parseTable, type Row } from '#server/catalogue/csv/table.ts'
import type { IncomingPayment } from '#server/payments/providers/provider.ts'
import { CENTS_PER_KSH } from '#shared/format.ts'
import { shop, shopProfile } from '#shared/shop.ts'

export const STATEMENT_PROVIDERS = ['mpesa', 'paystack'] as const
export type StatementProvider = (typeof STATEMENT_PROVIDERS)[number]

type ColumnNames = {
  receipt: string[]
  time: string[]
  paidIn: string[]
  withdrawn: string[]
  /** The column holds the receipt number of the payment that the withdrawal refunds. */
  linked: string[]
  details: string[]
  status: string[]
  account: string[]
  payer: string[]
  currency: string[]
}

/** The names are in lower case, like the columns that `parseTable` returns. */
const COLUMN_NAMES: Record<StatementProvider, ColumnNames> = {
  mpesa: {
    receipt: ['receipt no.', 'receipt no', 'receipt'],
    time: ['completion time', 'initiation time'],
    paidIn: ['paid in'],
    withdrawn: ['withdrawn'],
    linked: ['linked transaction id'],
    details: ['details', 'reason type'],
    status: ['transaction status', 'status'],
    account: ['a/c no.', 'a/c no', 'account no.'],
    payer: ['other party info'],
    currency: ['currency'],
  },
  paystack: {
    receipt: ['refund id', 'reference', 'transaction reference'],
    time: ['refunded at', 'refund date', 'paid at', 'transaction date', 'date'],
    paidIn: ['amount paid', 'amount'],
    withdrawn: ['refunded amount', 'amount refunded', 'refund amount'],
    linked: ['transaction reference', 'reference'],
    details: ['customer name', 'customer'],
    status: ['status'],
    account: [],
    payer: ['customer name', 'customer'],
    currency: ['currency'],
  },
}

const PAID_STATUSES = ['completed', 'success', 'successful', 'processed']
const OWN_CURRENCIES: readonly string[] = [shop.currency, shopProfile.currencyIso]
const MAX_PROBLEMS = 5
const MAX_TEXT_CHARACTERS = 80

export type Withdrawal = {
  receipt: string
  amountCents: number
  atMs: number
  isFee: boolean
  details: string | null
  linkedReceipt: string | null
}

export type Statement = {
  payments: IncomingPayment[]
  withdrawals: Withdrawal[]
  period: { firstMs: number; lastMs: number } | undefined
  /** The number of rows that move no money, such as failed payments. */
  skippedRowCount: number
  problems: string[]
  unreadableRowCount: number
}

/** Returns an error message if the file isn't a readable statement. */
export function parseStatement(bytes: Uint8Array, provider: StatementProvider): Statement | string {
  const columns = COLUMN_NAMES[provider]
  const { file, skippedLines } = skipPreamble(bytes, columns)
  const table = parseTable(file)
  if ('problem' in table) return `Line ${table.line + skippedLines}: ${table.problem}. ${table.fix}`
  const hasColumn = (names: readonly string[]) => names.some((name) => table.columns.includes(name))
  if (
    !hasColumn(columns.receipt) ||
    !hasColumn(columns.time) ||
    !hasColumn([...columns.paidIn, ...columns.withdrawn])
  )
    return `The column with the receipt, date or amount is missing. Download the statement as CSV and upload it unchanged.`
  const statement: Statement = {
    payments: [],
    withdrawals: [],
    period: undefined,
    skippedRowCount: 0,
    problems: [],
    unreadableRowCount: 0,
  }
  const times: number[] = []
  for (const row of table.rows) {
    const entry = parseRow(row, provider)
    const atMs = parseTime(row.cell(...columns.time))
    if (atMs !== undefined) times.push(atMs)
    switch (entry.kind) {
      case 'payment':
        statement.payments.push(entry.payment)
        break
      case 'withdrawal':
        statement.withdrawals.push(entry.withdrawal)
        break
      case 'skipped':
        statement.skippedRowCount += 1
        break
      case 'unreadable':
        statement.unreadableRowCount += 1
        if (statement.problems.length < MAX_PROBLEMS)
          statement.problems.push(`Line ${row.line + skippedLines}: ${entry.problem}`)
    }
  }
  times.sort((a, b) => a - b)
  const [firstMs] = times
  const lastMs = times.at(-1)
  if (firstMs !== undefined && lastMs !== undefined) statement.period = { firstMs, lastMs }
  return statement
}

/** M-Pesa writes the organisation and the period above the heading row. */
function skipPreamble(
  bytes: Uint8Array,
  { receipt }: ColumnNames,
): { file: Uint8Array; skippedLines: number } {
  const lines = new TextDecoder().decode(bytes).split('\n')
  const heading = lines.findIndex((line) => receipt.some((name) => line.toLowerCase().includes(name)))
  if (heading <= 0) return { file: bytes, skippedLines: 0 }
  return { file: new TextEncoder().encode(lines.slice(heading).join('\n')), skippedLines: heading }
}

/** Matches M-Pesa's receipts: 10 characters with at least one letter and one digit. */
const RECEIPT_PATTERN = /\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{10}\b/

const truncate = (text: string) => text.slice(0, MAX_TEXT_CHARACTERS) || null

type ParsedRow =
  | { kind: 'payment'; payment: IncomingPayment }
  | { kind: 'withdrawal'; withdrawal: Withdrawal }
  | { kind: 'skipped' }
  | { kind: 'unreadable'; problem: string }

function parseRow({ cell }: Row, provider: StatementProvider): ParsedRow {
  const columns = COLUMN_NAMES[provider]
  const status = cell(...columns.status).toLowerCase()
  const toAmount = (names: string[]) => cell(...names).replace(/[,\s]|ksh|kes/gi, '')
  const withdrawn = toAmount(columns.withdrawn).replace(/^[-−]/, '')
  const paidIn = toAmount(columns.paidIn)
  const isEmptyOrZero = (amount: string) => amount === '' || Number(amount) === 0
  const isWithdrawal = !isEmptyOrZero(withdrawn)
  // Paystack's status of a payment that it refunded later. The refund has its own row.
  const isRefundedLater = provider === 'paystack' && !isWithdrawal && status === 'reversed'
  const isSuccessful = status === '' || PAID_STATUSES.includes(status) || isRefundedLater
  if (!isSuccessful || (isEmptyOrZero(paidIn) && !isWithdrawal)) return { kind: 'skipped' }
  const amount = isWithdrawal ? withdrawn : paidIn
  const currency = cell(...columns.currency).toUpperCase()
  if (currency !== '' && !OWN_CURRENCIES.includes(currency))
    return createUnreadableRow(`The currency is “${truncate(currency)}”, not ${shop.currency}.`)
  const receipt = cell(...columns.receipt)
  if (!/^[\w.=-]{4,60}$/.test(receipt))
    return createUnreadableRow('The receipt number is missing or invalid.')
  const amountCents = /^\d{1,9}(\.\d{1,2})?$/.test(amount) ? Math.round(Number(amount) * CENTS_PER_KSH) : 0
  if (amountCents === 0)
    return createUnreadableRow(
      `“${cell(...(isWithdrawal ? columns.withdrawn : columns.paidIn)).slice(0, MAX_TEXT_CHARACTERS)}” isn’t an amount.`,
    )
  const atMs = parseTime(cell(...columns.time))
  if (atMs === undefined)
    return createUnreadableRow(
      `“${cell(...columns.time).slice(0, MAX_TEXT_CHARACTERS)}” isn’t a date and time.`,
    )
  if (isWithdrawal) {
    const details = columns.details.map((name) => cell(name)).filter(Boolean)
    const linkedReceipt =
      cell(...columns.linked) || RECEIPT_PATTERN.exec(details.join(' ').replace(receipt, ''))?.[0]
    const withdrawal = {
      receipt,
      amountCents,
      atMs,
      isFee: /\b(charge|fee|tariff)s?\b/i.test(details.join(' ')),
      details: truncate([...details, cell(...columns.payer)].filter(Boolean).join(', ')),
      linkedReceipt: linkedReceipt ?? null,
    }
    return { kind: 'withdrawal', withdrawal }
  }
  const payment = {
    receipt,
    amountCents,
    paidAtMs: atMs,
    account: truncate(columns.account.length > 0 ? cell(...columns.account) : ''),
    payer: truncate(cell(...columns.payer)),
  }
  return { kind: 'payment', payment }
}

function createUnreadableRow(problem: string): ParsedRow {
  return { kind: 'unreadable', problem }
}

/** Parses times such as `21-11-2026 09:05:07` and `2026-11-21 09:05:07`, by default in East Africa Time. */
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
