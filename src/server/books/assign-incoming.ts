import { and, eq, exists, isNotNull, isNull, notExists, or, type SQL } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { calculatePayableCents } from '#server/orders/amount-due.ts'
import {
  byOrderNumber,
  type OrderRecord,
  selectOrderRecord,
  toOrderRecord,
} from '#server/orders/order-record.ts'
import { byOpenState, isOpen, type PaymentRow } from '#server/payments/payment-attempts.ts'
import { newId } from '#server/platform/crypto.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { failUnless, type GuardViolation, getGuardViolation } from '#server/platform/db/guards.ts'
import { incomingPayments, incomingRefunds, orders, payments } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import { formatMoney } from '#shared/format.ts'
import { parseAccountReference } from '#shared/orders/account-reference.ts'
import {
  byReceipt,
  byUnassignedState,
  type IncomingPaymentInput,
  type IncomingPaymentRow,
} from './incoming-payments.ts'

type Refusal = { code: 'refused'; message: string }

export function createIncomingAttempt(
  { record: { row, payments: attempts }, incoming }: { record: OrderRecord; incoming: IncomingPaymentRow },
  ctx: DataContext,
) {
  const id = newId(ctx)
  const nowMs = ctx.clock()
  const attempt = {
    id,
    orderId: row.id,
    attempt: (attempts.at(-1)?.attempt ?? 0) + 1,
    ...({ provider: 'manual', manualType: 'till', state: 'pending' } as const),
    amountCents: incoming.amountCents,
    receipt: incoming.receipt,
    createdAtMs: nowMs,
    nextCheckAtMs: nowMs,
  }
  const statements = [
    createUnassignedGuard(incoming, ctx),
    createUnrefundedGuard(incoming, ctx),
    ...createPossibleMatchGuards(incoming, ctx),
    ctx.db.insert(payments).values(attempt),
  ] as const
  return { id, statements }
}

export function createUnassignedGuard({ provider, receipt }: IncomingPaymentRow, ctx: DataContext) {
  const unassignedPayment = ctx.db
    .select({ receipt: incomingPayments.receipt })
    .from(incomingPayments)
    .where(and(byReceipt(provider, receipt), byUnassignedState))
  return failUnless(exists(unassignedPayment), 'incomingChanged', ctx)
}

function createUnrefundedGuard({ provider, receipt }: IncomingPaymentRow, ctx: DataContext) {
  const startedRefunds = ctx.db
    .select({ receipt: incomingRefunds.receipt })
    .from(incomingRefunds)
    .where(and(eq(incomingRefunds.provider, provider), eq(incomingRefunds.receipt, receipt)))
  return failUnless(notExists(startedRefunds), 'incomingChanged', ctx)
}

/** Whether the attempt may be this payment, whose receipt it doesn't have yet. `byPossibleMatch` is the same in SQL. */
export function isPossibleMatch(attempt: PaymentRow, { provider, amountCents }: IncomingPaymentRow): boolean {
  return (
    (attempt.provider === provider || attempt.manualType === 'till') &&
    attempt.receipt === null &&
    attempt.amountCents === amountCents
  )
}

function byPossibleMatch({ provider, amountCents }: IncomingPaymentRow): SQL | undefined {
  return and(
    or(eq(payments.provider, provider), eq(payments.manualType, 'till')),
    isNull(payments.receipt),
    eq(payments.amountCents, amountCents),
  )
}

/** Whether the attempt can still settle without another payment. `byAwaitedResult` is the same in SQL. */
export function isResultAwaited(attempt: PaymentRow): boolean {
  return isOpen(attempt) || (attempt.state === 'expired' && attempt.nextCheckAtMs !== null)
}

const byAwaitedResult = or(byOpenState, and(eq(payments.state, 'expired'), isNotNull(payments.nextCheckAtMs)))

/**
 * The guards fail if this payment may be an attempt of the order it names: with `paymentSettled` if the attempt has
 * settled without a receipt, and with `orderChanged` if its result is awaited. Returns none if the payment names no order.
 */
export function createPossibleMatchGuards(incoming: IncomingPaymentRow, ctx: DataContext) {
  const number = parseAccountReference(incoming.account ?? '')
  if (!number) return []
  const selectPossibleMatches = (byState: SQL | undefined) =>
    ctx.db
      .select({ id: payments.id })
      .from(payments)
      .innerJoin(orders, eq(orders.id, payments.orderId))
      .where(and(eq(orders.number, number), byPossibleMatch(incoming), byState))
  return [
    failUnless(notExists(selectPossibleMatches(eq(payments.state, 'settled'))), 'paymentSettled', ctx),
    failUnless(notExists(selectPossibleMatches(byAwaitedResult)), 'orderChanged', ctx),
  ]
}

/** Returns nothing if the guard isn't one of `createPossibleMatchGuards`. */
export function describePossibleMatch(
  guard: GuardViolation['guard'] | undefined,
  { account }: IncomingPaymentRow,
): string | undefined {
  const order = `order ${parseAccountReference(account ?? '')}`
  switch (guard) {
    case 'paymentSettled':
      return `This is probably a payment of ${order} that has no receipt yet. Assign it to ${order}.`
    case 'orderChanged':
      return `M-Pesa is still confirming a payment of this amount for ${order}. Try again in a few minutes.`
    default:
      return undefined
  }
}

export type Assignment = {
  /** The order's payment that only lacks this receipt. */
  recorded: PaymentRow | undefined
  dueCents: number
  leftCents: number
}

export function planAssignment(
  record: OrderRecord,
  incoming: IncomingPaymentRow,
): Result<Assignment, Refusal> {
  if (incoming.verifiedAtMs === null)
    return createRefusal(
      'M-Pesa hasn’t confirmed this payment yet. Try again in a few minutes, or upload a statement.',
    )
  const dueCents = calculatePayableCents(record)
  // A payment that the operator recorded may still have to settle.
  const recorded = record.payments.find(
    (payment) =>
      isPossibleMatch(payment, incoming) &&
      (payment.state === 'settled' || (payment.manualType === 'till' && isOpen(payment))),
  )
  if (dueCents === 0 && !recorded)
    return createRefusal(
      `Order ${record.row.number} has already been paid or cancelled. Choose another order.`,
    )
  const leftCents = recorded?.state === 'settled' ? dueCents : Math.max(dueCents - incoming.amountCents, 0)
  return { ok: true, data: { recorded, dueCents, leftCents } }
}

export async function assignIncomingPayment(
  { provider, receipt, number, actor }: IncomingPaymentInput & { number: string },
  ctx: DataContext,
): Promise<Result<{ number: string; leftCents: number }, Refusal>> {
  const { db } = ctx
  const [[incoming], ...rows] = await db.batch([
    db.select().from(incomingPayments).where(byReceipt(provider, receipt)),
    ...selectOrderRecord(db, byOrderNumber(number)),
  ])
  const record = toOrderRecord(rows)
  if (!incoming) return createRefusal('We can’t find this payment. Reload the page and try again.')
  if (!record) return createRefusal(`We can’t find order ${number}. Check the number.`)
  const planned = planAssignment(record, incoming)
  if (!planned.ok) return planned
  const { recorded, leftCents } = planned.data
  const statements = recorded
    ? assignReceiptStatements({ id: recorded.id, incoming }, ctx)
    : createIncomingAttempt({ record, incoming }, ctx).statements
  const audit = {
    actor,
    action: 'incoming.assign',
    subject: record.row.number,
    from: null,
    to: receipt,
  } as const
  const data = { number: record.row.number, leftCents }
  return (await commitIncomingPaymentChange({ statements, audit }, incoming, ctx)) ?? { ok: true, data }
}

export function assignReceiptStatements(
  { id, incoming }: { id: string; incoming: IncomingPaymentRow },
  ctx: DataContext,
) {
  const { db } = ctx
  const byMissingReceipt = and(eq(payments.id, id), isNull(payments.receipt))
  return [
    createUnassignedGuard(incoming, ctx),
    createUnrefundedGuard(incoming, ctx),
    failUnless(
      exists(db.select({ id: payments.id }).from(payments).where(byMissingReceipt)),
      'incomingChanged',
      ctx,
    ),
    db.update(payments).set({ receipt: incoming.receipt }).where(byMissingReceipt),
  ] as const
}

export async function markIncomingPaymentReturned(
  { provider, receipt, actor }: IncomingPaymentInput,
  ctx: DataContext,
): Promise<Result<{ receipt: string }, Refusal>> {
  const { db, clock } = ctx
  const byKey = byReceipt(provider, receipt)
  const incoming = await db.select().from(incomingPayments).where(byKey).get()
  if (!incoming) return createRefusal('We can’t find this payment. Reload the page and try again.')
  const statements = [
    createUnassignedGuard(incoming, ctx),
    db.update(incomingPayments).set({ returnedAtMs: clock() }).where(byKey),
    db
      .update(incomingRefunds)
      .set({ state: 'done', nextAtMs: null })
      .where(and(eq(incomingRefunds.provider, provider), eq(incomingRefunds.receipt, receipt))),
  ] as const
  const audit = {
    actor,
    action: 'incoming.return',
    subject: receipt,
    to: formatMoney(incoming.amountCents),
  } as const
  return (
    (await commitIncomingPaymentChange({ statements, audit }, incoming, ctx)) ?? {
      ok: true,
      data: { receipt },
    }
  )
}

export const ALREADY_HANDLED_MESSAGE =
  'This payment has already been assigned or refunded, or its refund is in progress.'

async function commitIncomingPaymentChange(
  change: Parameters<typeof commitAudited>[0],
  incoming: IncomingPaymentRow,
  ctx: DataContext,
): Promise<{ ok: false; error: Refusal } | undefined> {
  try {
    await commitAudited(change, ctx)
    return undefined
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    if (guard === 'incomingChanged' || guard === 'receiptAlreadyUsed')
      return createRefusal(ALREADY_HANDLED_MESSAGE)
    const possibleMatch = describePossibleMatch(guard, incoming)
    if (possibleMatch) return createRefusal(possibleMatch)
    if (guard === 'attemptNumberTaken') return createRefusal('This order has just changed. Please try again.')
    throw error
  }
}

function createRefusal(message: string): { ok: false; error: Refusal } {
  return { ok: false, error: { code: 'refused', message } }
}
