import { and, asc, eq, inArray, lte } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import { logPayment } from '#server/payments/payment-log.ts'
import { type RefundTransition, refundTransition } from '#server/payments/payment-transitions.ts'
import type { RefundResult } from '#server/payments/providers/provider.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { orders, outbox, payments, providerTokens } from '#server/platform/db/schema.ts'
import { deliverInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { publicOrigin } from '#server/platform/http/request.ts'
import { refundNoticeEmail } from './confirmation-emails.ts'
import { type OrderRecord, toAttempt, toTokenMap } from './order-record.ts'
import { orderRefundedEmail } from './status-emails.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Delays after the first, second, … request; after the last one the refund is made manually. */
const RETRY_DELAYS_MS = [5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 24 * HOUR_MS]
const RESULT_TIMEOUT_MS = 24 * HOUR_MS
const REFUNDS_PER_RUN = 10
const CALLBACK_TOKEN_BYTES = 32

/** Sends due refunds after the response. The scheduled run retries failures. */
export function refundInBackground(ctx: ServiceContext): void {
  ctx.background(refundDue(ctx).then(() => deliverInBackground(ctx)))
}

export async function refundDue(ctx: ServiceContext): Promise<void> {
  const { db, clock } = ctx
  const due = db
    .select({ id: payments.id })
    .from(payments)
    .where(lte(payments.nextRefundAtMs, clock()))
    .orderBy(asc(payments.nextRefundAtMs))
    .limit(REFUNDS_PER_RUN)
  const [rows, orderRows, tokens] = await db.batch([
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
      const row = orderRows.find(({ id }) => id === payment.orderId)
      if (row) await refund({ payment, record: { row, tokens: toTokenMap(tokens) } }, ctx)
    }),
  )
}

type Refund = { payment: PaymentRow; record: Pick<OrderRecord, 'row' | 'tokens'> }

async function refund({ payment, record }: Refund, ctx: ServiceContext): Promise<void> {
  const callbackToken = ctx.randomBytes(CALLBACK_TOKEN_BYTES).toHex()
  // Without a receipt no refund is requested, and the prompt's own callback must stay valid: it may still
  // bring the receipt.
  const callbackHash = payment.receipt ? await sha256Hex(callbackToken) : payment.callbackHash
  if (!(await claimRefund(payment, callbackHash, ctx))) return
  const provider = ctx.payments.providers.find(({ name }) => name === payment.provider)
  const callbackUrl = `${publicOrigin(ctx.config)}/api/payments/${callbackToken}`
  const settled = { ...toAttempt(payment, record), receipt: payment.receipt }
  const result: RefundResult = provider
    ? await provider
        .refund(settled, { callbackUrl })
        .catch((error) => ({ outcome: 'failed', error: String(error) }))
    : { outcome: 'by_hand', error: `The payment provider ${payment.provider} isn’t configured.` }
  await recordRefund({ payment, record, result }, ctx)
}

/** Claims a due refund so that only one run sends it, and counts the attempt before it is made. */
async function claimRefund(
  payment: PaymentRow,
  callbackHash: string | null,
  { db, clock }: ServiceContext,
): Promise<boolean> {
  const delayMs = RETRY_DELAYS_MS[payment.refundAttempts] ?? RETRY_DELAYS_MS.at(-1) ?? 0
  const isUnclaimed = and(eq(payments.id, payment.id), eq(payments.refundAttempts, payment.refundAttempts))
  const claimed = await db
    .update(payments)
    .set({
      refundAttempts: payment.refundAttempts + 1,
      nextRefundAtMs: clock() + delayMs,
      callbackHash,
    })
    .where(isUnclaimed)
    .returning({ id: payments.id })
  return claimed.length > 0
}

type RecordInput = { payment: PaymentRow; record: Pick<OrderRecord, 'row'>; result: RefundResult }

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
      if (payment.refundAttempts >= RETRY_DELAYS_MS.length) {
        const error =
          'The provider accepted the refund several times but never confirmed it. Check your statement before you refund it.'
        return recordRefund({ payment, record: { row }, result: { outcome: 'by_hand', error } }, ctx)
      }
      await update('request', { nextRefundAtMs: nowMs + RESULT_TIMEOUT_MS, refundError: null })
      return
    case 'failed':
    case 'by_hand': {
      const { error } = result
      const isManual = result.outcome === 'by_hand' || payment.refundAttempts >= RETRY_DELAYS_MS.length
      const outcome = isManual ? 'refund by hand' : 'refund failed'
      logPayment({ payment, orderNumber: row.number, outcome, error }, ctx)
      if (!isManual) {
        await update('retry', { refundError: error })
        return
      }
      const notice = refundNoticeEmail(row, payment, error, ctx.config.OPERATOR_EMAIL)
      await db.batch([
        update('requireManual', { nextRefundAtMs: null, refundError: error }),
        db.insert(outbox).values(toOutboxRow(notice, ctx)),
      ])
    }
  }
}

/** Emails the shopper once; returns no statements if the account was deleted. */
export function refundedEmail(row: OrderRecord['row'], payment: PaymentRow, ctx: DataContext) {
  const email = orderRefundedEmail(row, payment)
  if (!email.recipient) return []
  return [ctx.db.insert(outbox).values(toOutboxRow(email, ctx)).onConflictDoNothing()]
}
