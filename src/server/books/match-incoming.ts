import { and, desc, eq, gt, isNotNull, isNull, notExists } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { calculatePayableCents } from '#server/orders/amount-due.ts'
import { applyPaymentResult } from '#server/orders/apply-payment-result.ts'
import { type OrderRecord, readOrderRecord, readOrderRecordById } from '#server/orders/order-record.ts'
import { PROMPT_PAUSE_MS } from '#server/orders/payment-state.ts'
import { checkAttempt } from '#server/orders/query-payment.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import type { Statements } from '#server/platform/db/client.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { incomingPayments, incomingRefunds, withdrawals } from '#server/platform/db/schema.ts'
import { getPublicOrigin } from '#server/platform/http/request.ts'
import { parseAccountReference } from '#shared/orders/account-reference.ts'
import { HOUR_MS } from '#shared/time.ts'
import {
  assignReceiptStatements,
  createIncomingAttempt,
  isPossibleMatch,
  isResultAwaited,
} from './assign-incoming.ts'
import type { IncomingPaymentRow } from './incoming-payments.ts'
import { CLOCK_SKEW_MS } from './list-incoming.ts'

/** Starts when the payment is verified, because a statement may be uploaded long after its payments. */
const MATCH_WINDOW_MS = 72 * HOUR_MS
const MAX_PAYMENTS_READ = 500
const PAYMENTS_PER_RUN = 20

/** Leaves a payment to the operator if its amount isn't the amount due. */
export async function matchIncomingPayments(ctx: ServiceContext): Promise<void> {
  const { db, clock } = ctx
  const byPayment = and(
    eq(incomingRefunds.provider, incomingPayments.provider),
    eq(incomingRefunds.receipt, incomingPayments.receipt),
  )
  const refund = db.select({ receipt: incomingRefunds.receipt }).from(incomingRefunds).where(byPayment)
  const rows = await db
    .select()
    .from(incomingPayments)
    .where(
      and(
        notExists(refund),
        isNull(incomingPayments.paymentId),
        isNull(incomingPayments.returnedAtMs),
        isNotNull(incomingPayments.account),
        gt(incomingPayments.verifiedAtMs, clock() - MATCH_WINDOW_MS),
      ),
    )
    .orderBy(desc(incomingPayments.verifiedAtMs), desc(incomingPayments.paidAtMs))
    .limit(MAX_PAYMENTS_READ)
  const namedPayments = rows.filter(({ account }) => parseAccountReference(account ?? ''))
  for (const incoming of namedPayments.slice(0, PAYMENTS_PER_RUN)) await matchPayment(incoming, ctx)
}

async function matchPayment(incoming: IncomingPaymentRow, ctx: ServiceContext): Promise<void> {
  const number = parseAccountReference(incoming.account ?? '')
  if (!number) return
  const record = await readOrderRecord(number, ctx)
  if (!record) return
  const attempts = record.payments.filter((payment) => isAttemptFor(payment, incoming))
  const attempt = attempts.find(({ state }) => state === 'settled') ?? attempts[0]
  if (attempt) await addReceiptToAttempt({ record, attempt, incoming }, ctx)
  else if (calculatePayableCents(record) === incoming.amountCents)
    await recordAsNewAttempt({ record, incoming }, ctx)
}

type PaymentOfOrder = { record: OrderRecord; incoming: IncomingPaymentRow }

/**
 * The attempt has no receipt if its callback was lost. Without the receipt, the incoming payment could be assigned a
 * second time.
 */
async function addReceiptToAttempt(
  { record, attempt, incoming }: PaymentOfOrder & { attempt: PaymentRow },
  ctx: ServiceContext,
): Promise<void> {
  const origin = getPublicOrigin(ctx.config)
  const checked =
    attempt.state === 'settled' ? record : await checkAttempt({ record, payment: attempt, origin }, ctx)
  const payment = checked.payments.find(({ id }) => id === attempt.id)
  const isReceived = payment?.state === 'settled' || (payment && isUnacknowledged(payment, incoming, ctx))
  if (!isReceived || payment.receipt !== null) return
  if (attempt.state === 'settled' && incoming.paidAtMs <= ctx.clock() - MATCH_WINDOW_MS) {
    // Unlike `applyPaymentResult`, this doesn't resume the payment's manual refunds, because by now the operator may
    // have refunded it without marking it.
    await commitUnlessChanged(assignReceiptStatements({ id: payment.id, incoming }, ctx), ctx)
    return
  }
  const reference = payment.reference ?? payment.id
  const result = { outcome: 'settled', reference, receipt: incoming.receipt } as const
  await applyPaymentResult({ record: checked, payment, result, origin }, ctx)
}

async function recordAsNewAttempt({ record, incoming }: PaymentOfOrder, ctx: ServiceContext): Promise<void> {
  const { id, statements } = createIncomingAttempt({ record, incoming }, ctx)
  if (!(await commitUnlessChanged([createUnwithdrawnGuard(incoming, ctx), ...statements], ctx))) return
  const changed = await readOrderRecordById(record.row.id, ctx)
  const payment = changed?.payments.find((attempt) => attempt.id === id)
  if (changed && payment)
    await checkAttempt({ record: changed, payment, origin: getPublicOrigin(ctx.config) }, ctx)
}

/** Fails with `incomingChanged` if a statement shows that the payment was refunded outside the shop. */
function createUnwithdrawnGuard({ receipt }: IncomingPaymentRow, ctx: ServiceContext) {
  const refund = ctx.db
    .select({ receipt: withdrawals.receipt })
    .from(withdrawals)
    .where(and(eq(withdrawals.linkedReceipt, receipt), eq(withdrawals.isFee, false)))
  return failUnless(notExists(refund), 'incomingChanged', ctx)
}

async function commitUnlessChanged(statements: Statements, { db }: ServiceContext): Promise<boolean> {
  try {
    await db.batch(statements)
    return true
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    if (
      guard !== 'incomingChanged' &&
      guard !== 'orderChanged' &&
      guard !== 'paymentSettled' &&
      guard !== 'receiptAlreadyUsed' &&
      guard !== 'attemptNumberTaken'
    )
      throw error
    return false
  }
}

function isAttemptFor(attempt: PaymentRow, incoming: IncomingPaymentRow): boolean {
  return isPossibleMatch(attempt, incoming) && (attempt.state === 'settled' || isResultAwaited(attempt))
}

/** A prompt without a reference can't be queried, but it no longer shows on the phone after `PROMPT_PAUSE_MS`. */
function isUnacknowledged(
  { state, reference, createdAtMs }: PaymentRow,
  { paidAtMs }: IncomingPaymentRow,
  { clock }: ServiceContext,
): boolean {
  const isLater = paidAtMs >= createdAtMs - CLOCK_SKEW_MS && clock() - createdAtMs >= PROMPT_PAUSE_MS
  return isLater && reference === null && state !== 'declined'
}
