import { eq } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { DataContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import { brokenConstraint } from '#server/platform/db/client.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { type OrderRow, orderRecordOf, readOrderRecord } from './order-record.ts'

const RECEIPT = /^[\w./-]{3,40}$/

type ManualInput = {
  /** The order's number, in any case. */
  number: string
  /** The proof of payment: what M-Pesa or the bank calls it. */
  receipt: string
  /** Statements of the same batch, given the order: a line of the audit log. */
  alongside?: (order: OrderRow, receipt: string) => readonly BatchItem<'sqlite'>[]
}

type ManualError = ServiceError<'not_found' | 'invalid_fields' | 'no_money_awaited' | 'receipt_taken'>

/**
 * Records money that came another way; its order is placed at the next run of the housekeeping. `no_money_awaited`: the
 * order is paid or cancelled; `receipt_taken`: another payment has this receipt.
 */
export async function recordManualPayment(
  { number, receipt, alongside = () => [] }: ManualInput,
  ctx: DataContext,
): Promise<Result<{ order: OrderRow; receipt: string }, ManualError>> {
  const { db, clock } = ctx
  const proof = receipt.trim().toUpperCase()
  if (!RECEIPT.test(proof)) {
    const message = 'Name the receipt: 3 to 40 letters, digits, dots, dashes or slashes.'
    return { ok: false, error: { code: 'invalid_fields', message, fieldErrors: { receipt: message } } }
  }
  const isIt = eq(orders.number, number.trim().toUpperCase())
  const record = orderRecordOf(await db.batch(readOrderRecord(db, isIt)))
  if (!record) return { ok: false, error: { code: 'not_found' } }
  const { row, payments: all } = record
  if (!['awaiting_payment', 'expired'].includes(row.status))
    return { ok: false, error: { code: 'no_money_awaited' } }
  const nowMs = clock()
  const attempt = {
    id: newId(ctx),
    orderId: row.id,
    attempt: (all.at(-1)?.attempt ?? 0) + 1,
    provider: 'manual' as const,
    state: 'pending' as const,
    amountCents: row.totalCents,
    receipt: proof,
    createdAtMs: nowMs,
    nextCheckAtMs: nowMs,
  }
  try {
    await db.batch([db.insert(payments).values(attempt), ...alongside(row, proof)])
    return { ok: true, data: { order: row, receipt: proof } }
  } catch (error) {
    const broken = brokenConstraint(error) ?? ''
    if (broken.includes('payments.receipt')) return { ok: false, error: { code: 'receipt_taken' } }
    // Two people record the same money at once.
    if (broken.includes('payments.order_id')) return { ok: false, error: { code: 'no_money_awaited' } }
    throw error
  }
}
