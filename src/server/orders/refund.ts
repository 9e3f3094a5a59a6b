import { and, asc, eq, inArray, lte } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/attempts.ts'
import { logPayment } from '#server/payments/payment-log.ts'
import type { RefundResult } from '#server/payments/providers/provider.ts'
import { type RefundTransition, refundTransition } from '#server/payments/transitions.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { orders, outbox, payments, providerTokens } from '#server/platform/db/schema.ts'
import { deliverInBackground, outboxRow } from '#server/platform/email/outbox.ts'
import { publicOrigin } from '#server/platform/http/request.ts'
import { refundNoticeEmail } from './emails.ts'
import { type OrderRecord, toAttempt, toTokenMap } from './order-record.ts'
import { orderRefundedEmail } from './status-emails.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Pauses after the first, second, … request; afterwards a person has to make the refund. */
const PAUSES_MS = [5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 24 * HOUR_MS]
/** How long the provider has to report the result of a refund that it accepted. */
const RESULT_WITHIN_MS = 24 * HOUR_MS
const REFUNDS_PER_RUN = 10
const CALLBACK_TOKEN_BYTES = 32

/** Sends the refunds that are due after the response; what fails is left to the scheduled run. */
export function refundInBackground(ctx: ServiceContext): void {
  ctx.background(refundDue(ctx).then(() => deliverInBackground(ctx)))
}

/** Requests the due refunds from their providers. Rejects when the database fails. */
export async function refundDue(ctx: ServiceContext): Promise<void> {
  const { db, clock } = ctx
  const due = db
    .select({ id: payments.id })
    .from(payments)
    .where(lte(payments.nextRefundAtMs, clock()))
    .orderBy(asc(payments.nextRefundAtMs))
    .limit(REFUNDS_PER_RUN)
  const [rows, rowsOfOrders, tokens] = await db.batch([
    db.select().from(payments).where(inArray(payments.id, due)),
    db
      .select()
      .from(orders)
      .where(
        inArray(
          orders.id,
          db.select({ id: payments.orderId }).from(payments).where(inArray(payments.id, due)),
        ),
      ),
    db.select().from(providerTokens),
  ])
  await Promise.all(
    rows.map(async (payment) => {
      const row = rowsOfOrders.find(({ id }) => id === payment.orderId)
      if (row) await refund({ payment, record: { row, tokens: toTokenMap(tokens) } }, ctx)
    }),
  )
}

type Refund = { payment: PaymentRow; record: Pick<OrderRecord, 'row' | 'tokens'> }

async function refund({ payment, record }: Refund, ctx: ServiceContext): Promise<void> {
  const callbackToken = ctx.randomBytes(CALLBACK_TOKEN_BYTES).toHex()
  // Without a receipt no refund is requested: the prompt's own callback, which may still bring the receipt, stays valid.
  const callbackHash = payment.receipt ? await sha256Hex(callbackToken) : payment.callbackHash
  if (!(await claimRefund(payment, callbackHash, ctx))) return
  const provider = ctx.payments.providers.find(({ name }) => name === payment.provider)
  const callbackUrl = `${publicOrigin(ctx.config)}/api/payments/${callbackToken}`
  const settled = { ...toAttempt(payment, record), receipt: payment.receipt }
  const result: RefundResult = provider
    ? await provider
        .refund(settled, { callbackUrl })
        .catch((error) => ({ outcome: 'failed', error: String(error) }))
    : { outcome: 'by_hand', error: `${payment.provider} is not configured.` }
  await recordRefund({ payment, record, result }, ctx)
}

/** Claims a due refund in one statement, which two runs cannot both win, and counts the attempt before it is made. */
async function claimRefund(
  payment: PaymentRow,
  callbackHash: string | null,
  { db, clock }: ServiceContext,
): Promise<boolean> {
  const pauseMs = PAUSES_MS[payment.refundAttempts] ?? PAUSES_MS.at(-1) ?? 0
  const isUnclaimed = and(eq(payments.id, payment.id), eq(payments.refundAttempts, payment.refundAttempts))
  const claimed = await db
    .update(payments)
    .set({
      refundAttempts: payment.refundAttempts + 1,
      nextRefundAtMs: clock() + pauseMs,
      callbackHash,
    })
    .where(isUnclaimed)
    .returning({ id: payments.id })
  return claimed.length > 0
}

type RecordInput = { payment: PaymentRow; record: Pick<OrderRecord, 'row'>; result: RefundResult }

/** Records the result of a refund; the operator gets an email about one that only a person can make. */
export async function recordRefund(
  { payment, record: { row }, result }: RecordInput,
  ctx: ServiceContext,
): Promise<void> {
  const { db } = ctx
  const nowMs = ctx.clock()
  const update = (verb: RefundTransition, values: Partial<typeof payments.$inferInsert>) => {
    const { set, where } = refundTransition(verb)
    return db
      .update(payments)
      .set({ ...values, ...set })
      .where(and(eq(payments.id, payment.id), where))
  }
  switch (result.outcome) {
    case 'done':
      await db.batch([
        update('complete', { refundedAtMs: nowMs, nextRefundAtMs: null, refundError: null }),
        ...refundedEmail(row, payment, ctx),
      ])
      return
    case 'requested':
      if (payment.refundAttempts >= PAUSES_MS.length) {
        const error =
          'The provider accepted the refund several times but never confirmed it. Check your statement.'
        return recordRefund({ payment, record: { row }, result: { outcome: 'by_hand', error } }, ctx)
      }
      await update('request', { nextRefundAtMs: nowMs + RESULT_WITHIN_MS, refundError: null })
      return
    case 'failed':
    case 'by_hand': {
      const { error } = result
      const isOver = result.outcome === 'by_hand' || payment.refundAttempts >= PAUSES_MS.length
      const outcome = isOver ? 'refund by hand' : 'refund failed'
      logPayment({ payment, orderNumber: row.number, outcome, error }, ctx)
      if (!isOver) {
        await update('retry', { refundError: error })
        return
      }
      const notice = refundNoticeEmail(row, payment, error, ctx.config.OPERATOR_EMAIL)
      await db.batch([
        update('handOver', { nextRefundAtMs: null, refundError: error }),
        db.insert(outbox).values(outboxRow(notice, ctx)),
      ])
    }
  }
}

/** The statements that email the shopper, once, that a payment was refunded; none where the account is deleted. */
export function refundedEmail(row: OrderRecord['row'], payment: PaymentRow, ctx: DataContext) {
  const email = orderRefundedEmail(row, payment)
  if (!email.recipient) return []
  return [ctx.db.insert(outbox).values(outboxRow(email, ctx)).onConflictDoNothing()]
}
