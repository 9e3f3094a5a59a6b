import { and, asc, eq, inArray, isNull, lte, notExists, or, type SQLWrapper, sql, sum } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import { logPayment } from '#server/payments/payment-log.ts'
import { getRefundTransition, type RefundTransition } from '#server/payments/payment-transitions.ts'
import type { PaymentProvider, RefundResult } from '#server/payments/providers/provider.ts'
import { type RefundRow, selectMatchedWithdrawal } from '#server/payments/refunds.ts'
import { createSignature } from '#server/platform/auth/signed-link.ts'
import { newId, sha256Hex } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { orders, outbox, payments, providerTokens, refunds, withdrawals } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { getPublicOrigin } from '#server/platform/http/request.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/time.ts'
import { createOperatorRefundEmail } from './confirmation-emails.ts'
import { type OrderRecord, toPaymentAttempt, toTokenMap } from './order-record.ts'
import { createOrderRefundedEmail } from './status-emails.ts'

const RETRY_DELAYS_MS = [5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 24 * HOUR_MS]
export const RESULT_TIMEOUT_MS = 24 * HOUR_MS
const REFUNDS_PER_RUN = 10
/** Operators may record a refund days after they made it. */
const MAX_RECORDING_DELAY_MS = 7 * DAY_MS

export const NEVER_CONFIRMED_RESULT = {
  outcome: 'by_hand',
  error:
    'The provider accepted the refund several times but never confirmed it. Check your statement before you refund the customer.',
} as const satisfies RefundResult

const AMBIGUOUS_RESULT = {
  outcome: 'by_hand',
  error:
    'The statement shows a refund of this amount, but it may be another refund of the same payment. Check your statement before you refund the customer. If it’s another refund, match it to that one or mark it as not a refund under More → Reconciliation, then retry this refund.',
} as const satisfies RefundResult

/** Whether the statement may show another refund of the same payment instead. */
const byUnmatchedTwin = sql`exists (select 1 from ${refunds} twin where twin.payment_id = ${refunds.paymentId}
  and twin.amount_cents = ${refunds.amountCents} and twin.id <> ${refunds.id}
  and not exists (select 1 from ${withdrawals} shown where shown.matched_to = twin.id and shown.dismissed_at_ms is null))`

/** Whether the statement probably shows an earlier refund that was never recorded. */
const byEarlierWithdrawal = sql`${withdrawals.atMs} < ${refunds.createdAtMs} - ${MAX_RECORDING_DELAY_MS}`

export function getRefundRetryDelayMs(count: number): number | undefined {
  return RETRY_DELAYS_MS[count - 1]
}

/** If sending fails, a later housekeeping run retries. */
export function refundInBackground(ctx: ServiceContext): void {
  ctx.waitUntil(sendDueRefunds(ctx).then(() => deliverEmailsInBackground(ctx)))
}

export async function sendDueRefunds(ctx: ServiceContext): Promise<void> {
  const { db, clock } = ctx
  const selectDue = <Column extends typeof refunds.id | typeof refunds.orderId>(column: Column) =>
    db
      .select({ key: column })
      .from(refunds)
      .where(lte(refunds.nextAtMs, clock()))
      .orderBy(asc(refunds.nextAtMs))
      .limit(REFUNDS_PER_RUN)
  const byDueOrder = (column: SQLWrapper) => inArray(column, selectDue(refunds.orderId))
  const [rows, paymentRows, orderRows, tokens, withdrawn] = await db.batch([
    db
      .select()
      .from(refunds)
      .where(inArray(refunds.id, selectDue(refunds.id))),
    db.select().from(payments).where(byDueOrder(payments.orderId)),
    db.select().from(orders).where(byDueOrder(orders.id)),
    db.select().from(providerTokens),
    db
      .select({
        refundId: refunds.id,
        receipt: withdrawals.receipt,
        isAmbiguous: sql<number>`${or(byUnmatchedTwin, byEarlierWithdrawal)}`.mapWith(Boolean),
      })
      .from(refunds)
      .innerJoin(withdrawals, eq(withdrawals.matchedTo, refunds.id))
      .where(and(inArray(refunds.id, selectDue(refunds.id)), isNull(withdrawals.dismissedAtMs))),
  ])
  await Promise.all(
    rows.map(async (refund) => {
      const row = orderRows.find(({ id }) => id === refund.orderId)
      const payment = paymentRows.find(({ id }) => id === refund.paymentId)
      if (!row || !payment) return
      const paid = withdrawn.find(({ refundId }) => refundId === refund.id)
      // A statement shows that the customer already has the money, for example because the operator sent it herself.
      if (paid) {
        const completed = { outcome: 'done', receipt: paid.receipt } as const
        const result = paid.isAmbiguous ? AMBIGUOUS_RESULT : completed
        await recordRefundResult({ refund, payment, row, result }, ctx)
      } else await sendRefund({ refund, payment, row, tokens: toTokenMap(tokens) }, ctx)
    }),
  )
}

type DueRefund = { refund: RefundRow; payment: PaymentRow } & Pick<OrderRecord, 'row' | 'tokens'>

async function sendRefund({ refund, payment, row, tokens }: DueRefund, ctx: ServiceContext): Promise<void> {
  const reference = refund.reference ?? newId(ctx)
  // Retries with the same reference get the same token, so a late callback still identifies the refund.
  const callbackToken = await sha256Hex(await createSignature('refund callback', reference, ctx))
  const callbackHash = await sha256Hex(callbackToken)
  if (!(await claimRefund(refund, { reference, callbackHash }, ctx))) return
  const provider = ctx.payments.providers.find(({ name }) => name === payment.provider)
  const callbackUrl = `${getPublicOrigin(ctx.config)}/api/payments/${callbackToken}`
  const settled = { ...toPaymentAttempt(payment, { row, tokens }), receipt: payment.receipt }
  const { amountCents } = refund
  const isRetry = refund.reference !== null
  const isRestart = isRetry && refund.attempts === 0
  const result: RefundResult = provider
    ? await provider
        .refund({ amountCents, payment: settled, reference, isRetry, isRestart }, { callbackUrl })
        .catch((error) => ({ outcome: 'failed', error: String(error) }))
    : { outcome: 'by_hand', error: `The payment provider ${payment.provider} isn’t configured.` }
  const sentRefund = { ...refund, reference, attempts: refund.attempts + 1 }
  await recordRefundResult({ refund: sentRefund, payment, row, result }, ctx)
}

type OpenRefunds = Pick<OrderRecord, 'row' | 'refunds' | 'tokens'> & { payment: PaymentRow }

/** Doesn't send refunds, because a request may still be in flight. */
export async function queryRefunds(
  { row, payment, refunds: all, tokens }: OpenRefunds,
  provider: PaymentProvider,
  ctx: ServiceContext,
): Promise<void> {
  const settled = { ...toPaymentAttempt(payment, { row, tokens }), receipt: payment.receipt }
  for (const refund of all) {
    const { paymentId, state, reference, amountCents } = refund
    if (paymentId !== payment.id || state === 'done' || reference === null) continue
    const request = { amountCents, payment: settled, reference, isRetry: true }
    const result = await provider.queryRefund?.(request)
    // While the refund is due, its request may be in flight, so the failure may be that of an earlier request.
    if (result?.outcome === 'done' || (result?.outcome === 'by_hand' && state === 'requested'))
      await recordRefundResult({ refund, payment, row, result }, ctx)
  }
}

/** Clears the error, so that the operator can't restart the refund during the call. */
async function claimRefund(
  { id, attempts }: RefundRow,
  request: { reference: string; callbackHash: string },
  { db, clock }: ServiceContext,
): Promise<boolean> {
  const nextAtMs = clock() + (getRefundRetryDelayMs(attempts + 1) ?? RESULT_TIMEOUT_MS)
  const claimedRows = await db
    .update(refunds)
    .set({ attempts: attempts + 1, nextAtMs, error: null, ...request })
    .where(
      and(
        eq(refunds.id, id),
        eq(refunds.attempts, attempts),
        lte(refunds.nextAtMs, clock()),
        notExists(selectMatchedWithdrawal(refunds.id, { db })),
      ),
    )
    .returning({ id: refunds.id })
  return claimedRows.length > 0
}

type RefundResultInput = {
  /** The refund's `reference` must identify the request that had this result. */
  refund: RefundRow
  payment: PaymentRow
  row: OrderRecord['row']
  result: RefundResult
}

export async function recordRefundResult(
  { refund, payment, row, result }: RefundResultInput,
  ctx: ServiceContext,
): Promise<void> {
  const { db } = ctx
  const nowMs = ctx.clock()
  const isLastAttempt = refund.attempts > RETRY_DELAYS_MS.length
  const getOwnTransition = (transition: RefundTransition) => {
    const { set, where } = getRefundTransition(transition)
    // A late result of an earlier request must not end the current request, which may still succeed.
    const byCurrentRequest =
      transition === 'complete' ? undefined : sql`${refunds.reference} is ${refund.reference}`
    return { set, where: and(eq(refunds.id, refund.id), byCurrentRequest, where) }
  }
  const update = (transition: RefundTransition, values: Partial<typeof refunds.$inferInsert>) => {
    const { set, where } = getOwnTransition(transition)
    return db
      .update(refunds)
      .set({ ...values, ...set })
      .where(where)
  }
  switch (result.outcome) {
    case 'done':
      await db.batch([
        update('complete', {
          completedAtMs: nowMs,
          nextAtMs: null,
          error: null,
          receipt: result.receipt ?? null,
        }),
        ...(await insertRefundedEmailStatements({ row, payment, refund }, ctx)),
      ])
      return
    case 'requested':
      if (isLastAttempt) {
        return recordRefundResult({ refund, payment, row, result: NEVER_CONFIRMED_RESULT }, ctx)
      }
      await update('request', { nextAtMs: nowMs + RESULT_TIMEOUT_MS, error: null })
      return
    case 'failed':
    case 'by_hand': {
      const { error } = result
      const isManual = result.outcome === 'by_hand' || isLastAttempt
      const outcome = isManual ? 'refund by hand' : 'refund failed'
      logPayment({ payment, orderNumber: row.number, outcome, error }, ctx)
      const isFinal = result.outcome === 'failed' && result.isFinal === true
      const next = { error, ...(isFinal ? { reference: null } : {}) }
      if (!isManual) {
        await update('retry', {
          ...next,
          nextAtMs: nowMs + (getRefundRetryDelayMs(refund.attempts) ?? RESULT_TIMEOUT_MS),
        })
        return
      }
      const operatorEmail = createOperatorRefundEmail(row, payment, refund, error, ctx.config)
      // The insert comes first, because its condition no longer holds after the update.
      const { where } = getOwnTransition('requireManual')
      const fromRefund = sql`from ${refunds} where ${where}`
      await db.batch([
        db.insert(outbox).select(insertRowWhere(outbox, toOutboxRow(operatorEmail, ctx), fromRefund)),
        update('requireManual', { nextAtMs: null, ...next }),
      ])
    }
  }
}

export async function insertRefundedEmailStatements(
  { row, payment, refund }: Pick<RefundResultInput, 'row' | 'payment' | 'refund'>,
  ctx: DataContext,
) {
  const uncollectedCents = row.isCashOnDelivery ? await readUncollectedCents(row, ctx) : 0
  const paidCents = row.paidCents - uncollectedCents
  const collected = { ...row, paidCents, refundCents: row.refundCents - uncollectedCents }
  const email = createOrderRefundedEmail(collected, payment, refund)
  return [ctx.db.insert(outbox).values(toOutboxRow(email, ctx)).onConflictDoNothing()]
}

async function readUncollectedCents({ id }: OrderRecord['row'], { db }: DataContext): Promise<number> {
  const byUncollectedCash = and(eq(refunds.orderId, id), eq(refunds.reason, 'not_collected'))
  const [row] = await db
    .select({ cents: sum(refunds.amountCents) })
    .from(refunds)
    .where(byUncollectedCash)
  return Number(row?.cents ?? 0)
}
