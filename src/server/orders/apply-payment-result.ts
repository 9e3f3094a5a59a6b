import { and, eq, exists, inArray, ne, or, sql } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { byOpenState, getNextCheckAtMs } from '#server/payments/payment-attempts.ts'
import { logPayment } from '#server/payments/payment-log.ts'
import { getAttemptTransition, getStateAfterTransition } from '#server/payments/payment-transitions.ts'
import type {
  DeclinedResult,
  OnDeliveryResult,
  PaymentQueryResult,
  PaymentStartResult,
  SettledResult,
} from '#server/payments/providers/provider.ts'
import { getGuardViolation } from '#server/platform/db/guards.ts'
import { payments } from '#server/platform/db/schema.ts'
import { commitOrderChange, type OrderRecord } from './order-record.ts'
import { placeOnDelivery } from './place-on-delivery.ts'
import { selectRecordedPayment } from './recorded-payment.ts'
import { releaseUnpaidOrderStatements } from './release-order.ts'
import { type OrderAttempt, settlePayment } from './settle-payment.ts'

/** Repeated and late results are safe, because a settled attempt stays settled. */
export async function applyPaymentResult(
  { result, ...attempt }: OrderAttempt & { result: PaymentStartResult | PaymentQueryResult },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  try {
    switch (result.outcome) {
      case 'settled':
        return await settleAttempt({ ...attempt, result }, ctx)
      case 'declined':
        return await declineAttempt({ ...attempt, result }, ctx)
      case 'on_delivery':
        return await placeOnDelivery({ ...attempt, reference: result.reference }, ctx)
      case 'pending':
      case 'unknown':
        return await updateOpenAttempt({ ...attempt, result }, ctx)
    }
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    if (guard !== 'receiptAlreadyUsed' && guard !== 'referenceAlreadyUsed') throw error
    return ignoreDuplicate(attempt, ctx)
  }
}

async function settleAttempt(
  attempt: OrderAttempt & { result: SettledResult },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  try {
    return await settlePayment(attempt, ctx)
  } catch (error) {
    if (getGuardViolation(error)?.guard !== 'paymentRecorded') throw error
    return closeRecordedAttempt(attempt, ctx)
  }
}

async function declineAttempt(
  { record: { row }, payment, result }: OrderAttempt & { result: DeclinedResult },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const { problem, error } = result
  const transition = getAttemptTransition('decline')
  if (error) logPayment({ payment, orderNumber: row.number, outcome: 'declined', error }, ctx)
  const update = ctx.db
    .update(payments)
    .set({ ...transition.set, problem, error: error ?? null, endedAtMs: ctx.clock(), nextCheckAtMs: null })
    .where(and(eq(payments.id, payment.id), transition.where))
  return commitOrderChange(row.id, [update, ...releaseUnpaidOrderStatements(row.id, ctx)], ctx)
}

async function updateOpenAttempt(
  {
    record: { row },
    payment,
    result,
  }: OrderAttempt & {
    result: Exclude<
      PaymentStartResult | PaymentQueryResult,
      SettledResult | DeclinedResult | OnDeliveryResult
    >
  },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const isUnknown = result.outcome === 'unknown'
  const reference = 'reference' in result ? result.reference : payment.reference
  const redirectTo = 'redirectTo' in result ? result.redirectTo : null
  if (isUnknown)
    logPayment({ payment, orderNumber: row.number, outcome: 'unknown', error: result.error }, ctx)
  const update = ctx.db
    .update(payments)
    .set({
      state: getStateAfterTransition(isUnknown ? 'markUnknown' : 'accept'),
      reference: sql`coalesce(${payments.reference}, ${reference})`,
      redirectTo: sql`coalesce(${payments.redirectTo}, ${redirectTo ?? null})`,
      error: isUnknown ? result.error : null,
      ...(isUnknown && result.problem ? { problem: result.problem } : {}),
      nextCheckAtMs: getNextCheckAtMs(payment.createdAtMs, ctx.clock()),
    })
    .where(and(eq(payments.id, payment.id), or(byOpenState, eq(payments.state, 'expired'))))
  return commitOrderChange(row.id, [update], ctx)
}

/** Closes an attempt whose money the operator has recorded by hand, and adds its receipt to the recorded payment. */
async function closeRecordedAttempt(
  { record: { row }, payment, result, origin }: OrderAttempt & { result: SettledResult },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const { db } = ctx
  const nowMs = ctx.clock()
  const receipt = payment.receipt ?? result.receipt
  const recordedPayment = selectRecordedPayment({ ...payment, receipt }, ctx)
  const { set, where } = getAttemptTransition('decline')
  const error = 'Recorded manually.'
  const closed = { ...set, problem: null, error, endedAtMs: nowMs, nextCheckAtMs: null }
  const recordedId = db
    .select({ id: payments.recordedAs })
    .from(payments)
    .where(and(eq(payments.id, payment.id), eq(payments.state, set.state)))
  const otherAmounts = db
    .select({ id: payments.id })
    .from(payments)
    .where(and(eq(payments.orderId, row.id), ne(payments.amountCents, payment.amountCents)))
  const changed = await commitOrderChange(
    row.id,
    [
      db
        .update(payments)
        .set({ ...closed, recordedAs: sql`(${recordedPayment})` })
        .where(and(eq(payments.id, payment.id), where, exists(recordedPayment))),
      db
        .update(payments)
        .set({ receipt: sql`coalesce(${payments.receipt}, ${receipt})` })
        .where(inArray(payments.id, recordedId)),
      db
        .update(payments)
        .set({ problem: 'amount_differs' })
        .where(and(eq(payments.id, payment.id), inArray(payments.recordedAs, otherAmounts))),
      // An attempt without a receipt was taken for the payment that turns out to be this one.
      db
        .update(payments)
        .set({ recordedAs: null, error: null, state: 'expired', nextCheckAtMs: nowMs })
        .where(
          and(
            eq(payments.orderId, row.id),
            inArray(payments.recordedAs, recordedId),
            ne(payments.id, payment.id),
          ),
        ),
    ],
    ctx,
  )
  const current = changed.payments.find(({ id }) => id === payment.id)
  const recorded = changed.payments.find(({ id }) => id === current?.recordedAs)
  // A concurrent request has settled this attempt or added another receipt to the recorded payment.
  if (!recorded || (receipt !== null && recorded.receipt !== receipt))
    return applyPaymentResult({ record: changed, payment: current ?? payment, result, origin }, ctx)
  if (recorded.state === 'settled') return changed
  const settled = { outcome: 'settled', reference: recorded.id, receipt: null } as const
  return applyPaymentResult({ record: changed, payment: recorded, result: settled, origin }, ctx)
}

function ignoreDuplicate({ record: { row }, payment }: OrderAttempt, ctx: ServiceContext) {
  const error = 'Another payment already has this receipt or reference.'
  logPayment({ payment, orderNumber: row.number, outcome: 'ignored', error }, ctx)
  const next = getNextCheckAtMs(payment.createdAtMs, ctx.clock())
  const nextCheckAtMs = sql`iif(${payments.nextCheckAtMs} is null, null, ${next})`
  return commitOrderChange(
    row.id,
    [ctx.db.update(payments).set({ error, nextCheckAtMs }).where(eq(payments.id, payment.id))],
    ctx,
  )
}
