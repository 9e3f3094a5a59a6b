import { connectDatabase } from '#server/platform/db/client.ts'
import { STOCKED_UNITS } from '#test/support/checkouts.ts'
import { findInvariantProblems } from '#test/support/invariants.ts'
import { openLocalDatabase } from '#tools/local-database.ts'
import type { DarajaPayment, DarajaPayout } from '#tools/sandbox/daraja.ts'

export type ProviderBooks = {
  mpesa: {
    payments: readonly DarajaPayment[]
    payouts: readonly DarajaPayout[]
    c2b: { payments: readonly { receipt: string }[] }
  }
  paystack: ReadonlyMap<
    string,
    { status: string; amount: number; refunds: readonly { amount: number; merchant_note: string }[] }
  >
}

type PaymentRow = {
  number: string
  provider: string
  state: string
  receipt: string | null
  recordedAs: string | null
}
type RefundRow = {
  number: string
  provider: string
  paymentId: string
  receipt: string
  reference: string
  state: string
  amountCents: number
  isWhole: number
}

const MPESA_SQL = `SELECT number, provider, payments.state, receipt, recorded_as AS recordedAs
  FROM payments JOIN orders ON orders.id = order_id WHERE provider = 'mpesa' OR receipt IS NOT NULL`
const UNDECIDED_STATES = ['sending', 'pending', 'unknown', 'expired']
const PAYSTACK_SQL = `SELECT id AS paymentId, amount_cents AS amountCents FROM payments WHERE provider = 'paystack' AND state = 'settled'`
const REFUNDS_SQL = `SELECT number, provider, payments.id AS paymentId, payments.receipt, refunds.reference, refunds.state,
  refunds.amount_cents AS amountCents, refunds.amount_cents = payments.amount_cents AS isWhole
  FROM refunds JOIN payments ON payments.id = payment_id JOIN orders ON orders.id = refunds.order_id
  WHERE provider IN ('mpesa', 'paystack')`

/**
 * A payment to the paybill can settle a prompt of the same amount. The prompt's own payment is then listed for the
 * operator to assign. The operator may also have recorded it by hand.
 */
function auditPrompts(rows: readonly PaymentRow[], taken: readonly DarajaPayment[]): string[] {
  const storedReceipts = new Set(rows.map(({ receipt }) => receipt))
  const takenReceipts = new Set<string | null>(taken.map(({ receipt }) => receipt))
  const numbers = [...rows.map(({ number }) => number), ...taken.map((one) => one.accountReference)]
  return [...new Set(numbers)].flatMap((number) => {
    const takenOfOrder = taken.filter(({ accountReference }) => accountReference === number)
    const attempts = rows.filter((row) => row.number === number && row.provider === 'mpesa')
    const settled = attempts.filter(({ state }) => state === 'settled')
    const fromPrompts = settled.filter(({ receipt }) => receipt === null || takenReceipts.has(receipt))
    if (fromPrompts.length > takenOfOrder.length) return `${number} has a payment that M-Pesa did not take.`
    const missing = takenOfOrder.filter(({ receipt }) => !storedReceipts.has(receipt))
    const candidates = attempts.filter(
      ({ state, receipt, recordedAs }) =>
        recordedAs !== null ||
        (state === 'settled' && !takenReceipts.has(receipt)) ||
        (receipt === null && UNDECIDED_STATES.includes(state)),
    )
    return missing.length > candidates.length
      ? `M-Pesa took a payment for ${number} that the shop does not know.`
      : []
  })
}

function auditRefunds(rows: readonly RefundRow[], { mpesa, paystack }: ProviderBooks): string[] {
  const madeRefunds = [
    ...mpesa.payouts
      .filter(({ isPaid }) => isPaid)
      .map(({ id, amountKsh }) => ({ id, cents: amountKsh * 100 })),
    ...mpesa.payments
      .filter(({ isReversed }) => isReversed)
      .map(({ receipt, amountKsh }) => ({ id: receipt, cents: amountKsh * 100 })),
    ...[...paystack.values()].flatMap(({ refunds }) =>
      refunds.map(({ merchant_note, amount }) => ({ id: merchant_note, cents: amount })),
    ),
  ]
  const known = new Set<string>()
  const problems = rows.flatMap(({ number, provider, receipt, reference, state, amountCents, isWhole }) => {
    const id = provider === 'mpesa' && isWhole ? receipt : reference
    known.add(id)
    const refundsOfRow = madeRefunds.filter((one) => one.id === id)
    if (refundsOfRow.length > 1) return `${number}: ${provider} paid a refund ${refundsOfRow.length} times.`
    if (state === 'done' && refundsOfRow.length === 0)
      return `${number}: ${provider} never paid a completed refund.`
    return refundsOfRow.some(({ cents }) => cents !== amountCents)
      ? `${number}: ${provider} refunded another amount.`
      : []
  })
  const unknown = madeRefunds.filter(({ id }) => !known.has(id))
  return [...problems, ...unknown.map(({ id }) => `A provider paid ${id} back, and the shop doesn’t know.`)]
}

/**
 * Checks that stored orders, stock and payments agree with each other, with the shoppers' confirmations and with
 * the providers' records.
 */
export async function audit(
  stateFolder: string,
  confirmed: ReadonlyMap<string, string>,
  books: ProviderBooks,
) {
  const { db, close } = await openLocalDatabase(stateFolder)
  try {
    const rows = async <Row>(sql: string) => (await db.prepare(sql).all<Row>()).results
    const orders = await rows<{ key: string; number: string }>(
      'SELECT idempotency_key AS key, number FROM orders',
    )
    const refunds = await rows<RefundRow>(REFUNDS_SQL)
    const problems = [
      ...auditPrompts(await rows<PaymentRow>(MPESA_SQL), books.mpesa.payments),
      ...auditRefunds(refunds, books),
    ]
    const collected = new Map(
      (await rows<RefundRow>(PAYSTACK_SQL)).map((row) => [row.paymentId, row.amountCents]),
    )
    const paidTransactions = [...books.paystack].filter(([, { status }]) =>
      ['success', 'reversed'].includes(status),
    )
    for (const [id, { amount }] of paidTransactions)
      if (collected.get(id) !== amount)
        problems.push(`${id}: Paystack took a payment that the shop doesn’t know.`)
    if (collected.size !== paidTransactions.length)
      problems.push('The shop has payments that Paystack never took.')
    const listed = await rows<{ receipt: string }>('SELECT receipt FROM incoming_payments')
    const receipts = new Set(listed.map(({ receipt }) => receipt))
    const { payments: taken } = books.mpesa.c2b
    for (const { receipt } of taken)
      if (!receipts.has(receipt))
        problems.push(`${receipt}: M-Pesa received it, and the shop never listed it.`)
    if (listed.length !== taken.length) problems.push('The shop lists payments that M-Pesa never received.')
    problems.push(...(await findInvariantProblems(connectDatabase(db), STOCKED_UNITS)))
    for (const { key, number } of orders)
      if (confirmed.get(key) !== number) problems.push(`${number} was not confirmed to any shopper.`)
    const storedNumbers = new Map(orders.map(({ key, number }) => [key, number]))
    for (const [key, number] of confirmed)
      if (storedNumbers.get(key) !== number) problems.push(`${number} is lost.`)
    const actions = await rows<{ act: string; times: number }>(
      'SELECT act, count(*) AS times FROM audit_log GROUP BY act',
    )
    const changes = Object.fromEntries(actions.map(({ act, times }) => [act, times]))
    return { orders: orders.length, refunds: refunds.length, changes, problems }
  } finally {
    await close()
  }
}
