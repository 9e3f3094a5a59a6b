import { eq } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { newId } from '#server/platform/crypto.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { guardViolation } from '#server/platform/db/guards.ts'
import { orders, payments } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { statusesBefore } from '#shared/orders/order-status.ts'
import type { Actor } from '#shared/team/roles.ts'
import { type OrderRow, selectOrderRecord, toOrderRecord } from './order-record.ts'

const RECEIPT = /^[\w./-]{3,40}$/

type ManualInput = {
  number: string
  /** The reference given by M-Pesa or the bank. */
  receipt: string
  actor: Actor
}

type ManualError = ServiceError<'not_found' | 'invalid_fields' | 'no_money_awaited' | 'receipt_taken'>

/**
 * Records a payment received outside the shop; the next scheduled run places the order. `no_money_awaited`:
 * the order is already paid or cancelled. `receipt_taken`: another payment has this receipt.
 */
export async function recordManualPayment(
  { number, receipt, actor }: ManualInput,
  ctx: DataContext,
): Promise<Result<{ order: OrderRow; receipt: string }, ManualError>> {
  const { db, clock } = ctx
  const proof = receipt.trim().toUpperCase()
  if (!RECEIPT.test(proof)) {
    const message =
      'Receipt number must be 3 to 40 characters long, using only letters, digits, dots, dashes and slashes.'
    return { ok: false, error: { code: 'invalid_fields', message, fieldErrors: { receipt: message } } }
  }
  const byNumber = eq(orders.number, number.trim().toUpperCase())
  const record = toOrderRecord(await db.batch(selectOrderRecord(db, byNumber)))
  if (!record) return { ok: false, error: { code: 'not_found' } }
  const { row, payments: attempts } = record
  if (!statusesBefore('settle', 'placed').includes(row.status))
    return { ok: false, error: { code: 'no_money_awaited' } }
  const nowMs = clock()
  const attempt = {
    id: newId(ctx),
    orderId: row.id,
    attempt: (attempts.at(-1)?.attempt ?? 0) + 1,
    provider: 'manual' as const,
    state: 'pending' as const,
    amountCents: row.totalCents,
    receipt: proof,
    createdAtMs: nowMs,
    nextCheckAtMs: nowMs,
  }
  const audit = { actor, act: 'order.paid', subject: row.number, from: row.status, to: proof } as const
  try {
    await commitAudited({ statements: [db.insert(payments).values(attempt)], audit }, ctx)
    return { ok: true, data: { order: row, receipt: proof } }
  } catch (error) {
    switch (guardViolation(error)?.guard) {
      case 'receiptAlreadyUsed':
        return { ok: false, error: { code: 'receipt_taken' } }
      case 'attemptNumberTaken':
        return { ok: false, error: { code: 'no_money_awaited' } }
      default:
        throw error
    }
  }
}
