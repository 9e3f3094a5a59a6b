import { and, eq, exists, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { ServiceContext } from '#server/context.ts'
import { replaceInvoicePlaceholderStatement } from '#server/invoices/invoice-email.ts'
import type { PaymentRow } from '#server/payments/payment-attempts.ts'
import { logPayment } from '#server/payments/payment-log.ts'
import { getAttemptTransition, getRefundTransition } from '#server/payments/payment-transitions.ts'
import type { SettledResult } from '#server/payments/providers/provider.ts'
import { unrefundedCents } from '#server/payments/refunds.ts'
import { recordActivityStatement } from '#server/platform/auth/activity.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { orders, outbox, payments, refunds, users } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { sellUnitsStatements } from '#server/stock/reservations.ts'
import { isReturnable } from '#shared/orders/returns.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import { calculateAmountDueCents, calculatePayableCents, insertSurplusRefundStatement } from './amount-due.ts'
import { createOperatorOrderEmail, createOrderConfirmationEmail } from './confirmation-emails.ts'
import { commitOrderChange, type OrderRecord, selectOrderRecord, toOrderRecord } from './order-record.ts'
import { type OrderReturn, selectReturns, toReturns } from './order-returns.ts'
import { transitionOrderStatements } from './order-transitions.ts'
import { createUnrecordedGuard } from './recorded-payment.ts'
import { expireOrdersStatements, redeemPromotionStatements } from './release-order.ts'
import { hasDearerReplacements } from './return-steps.ts'
import { createOutdatedGuards } from './revive-order.ts'
import { createPaymentReceivedEmail } from './status-emails.ts'

const ENDED_FIELDS = { nextCheckAtMs: null, problem: null, error: null, recordedAs: null } as const

export type OrderAttempt = { record: OrderRecord; payment: PaymentRow; origin: string }

/**
 * Places the order once its total is paid, if that's still possible. Refunds what isn't due, such as a surplus or the
 * payment of a closed order. Throws a `paymentRecorded` violation if the operator has recorded this payment by hand.
 */
export async function settlePayment(
  { record, payment, origin, result }: OrderAttempt & { result: SettledResult },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const { db } = ctx
  const nowMs = ctx.clock()
  const { row } = record
  const { reference, receipt } = result
  const providerReferences = {
    reference: sql`coalesce(${payments.reference}, ${reference})`,
    receipt: sql`coalesce(${payments.receipt}, ${receipt})`,
  }
  const isManual = hasFlow(payment.provider, 'manual')
  if (payment.state === 'settled') {
    const isFirstReceipt = receipt !== null && !payment.receipt && !isManual
    return addReceipt({ record, payment, providerReferences, isFirstReceipt }, ctx)
  }

  const transition = getAttemptTransition('settle')
  const settled = {
    ...providerReferences,
    ...transition.set,
    endedAtMs: nowMs,
    ...ENDED_FIELDS,
  }
  const byUnsettledState = and(eq(payments.id, payment.id), transition.where)
  const paidAttempt = {
    ...payment,
    reference: payment.reference ?? reference,
    receipt: payment.receipt ?? receipt,
  }
  const unchanged = isManual ? [] : await createOutdatedGuards(record, ctx)
  try {
    const placed = await commitOrderChange(
      row.id,
      [
        createUnrecordedGuard(paidAttempt, ctx),
        // The payment settles first, because placing the order issues the invoice for all its payments.
        db.update(payments).set(settled).where(byUnsettledState),
        ...(await placeOrderStatements(
          { record, payment: { ...paidAttempt, state: 'settled' }, origin, unchanged },
          ctx,
        )),
        insertSurplusRefundStatement(payment, ctx),
        failUnless(sql`${calculateAmountDueCents(row.id)} <= 0`, 'paymentIncomplete', ctx),
        replaceInvoicePlaceholderStatement(row.id, ctx),
      ],
      ctx,
    )
    deliverEmailsInBackground(ctx)
    return placed
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    if (guard === 'paymentIncomplete')
      return recordPartPayment({ record, payment: paidAttempt, origin, result }, ctx)
    if (
      guard !== 'orderChanged' &&
      guard !== 'orderOutdated' &&
      guard !== 'promotionExhausted' &&
      guard !== 'promotionUsed' &&
      guard !== 'outOfStock'
    )
      throw error
  }
  const unsettled = db.select({ id: payments.id }).from(payments).where(byUnsettledState)
  const exchange = await findUnpaidExchange(record, ctx)
  const statements = [
    failUnless(exists(unsettled), 'paymentSettled', ctx),
    createUnrecordedGuard(paidAttempt, ctx),
    db.update(payments).set(settled).where(byUnsettledState),
    // The order expires, because an order that can't be placed must not be paid again.
    ...expireOrdersStatements(eq(orders.id, row.id), ctx),
    insertSurplusRefundStatement(payment, ctx),
    insertPaymentEmailStatement({ record, payment: paidAttempt, exchange }, ctx),
  ] as const
  try {
    const changed = await commitOrderChange(row.id, statements, ctx)
    deliverEmailsInBackground(ctx)
    const isDue = changed.refunds.some(({ paymentId }) => paymentId === payment.id)
    const error = `The order is ${changed.row.status}.`
    if (isDue) logPayment({ payment, orderNumber: row.number, outcome: 'refund due', error }, ctx)
    return changed
  } catch (error) {
    if (getGuardViolation(error)?.guard !== 'paymentSettled') throw error
    // Another request, such as a webhook, has settled this attempt.
    return toOrderRecord(await db.batch(selectOrderRecord(db, eq(orders.id, row.id)))) ?? record
  }
}

async function recordPartPayment(
  attempt: OrderAttempt & { result: SettledResult },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const { db } = ctx
  const { payment } = attempt
  const { row } = attempt.record
  const { reference, receipt } = payment
  const transition = getAttemptTransition('settle')
  const byUnsettledState = and(eq(payments.id, payment.id), transition.where)
  const unsettled = db.select({ id: payments.id }).from(payments).where(byUnsettledState)
  const endedFields = { endedAtMs: ctx.clock(), ...ENDED_FIELDS }
  const payable = { orderId: row.id, transition: 'payPart', to: 'awaiting_payment' } as const
  const exchange = await findUnpaidExchange(attempt.record, ctx)
  const expiresAtMs = sql`iif(${orders.status} = 'expired', null, ${orders.expiresAtMs})`
  try {
    const changed = await commitOrderChange(
      row.id,
      [
        failUnless(exists(unsettled), 'paymentSettled', ctx),
        createUnrecordedGuard(payment, ctx),
        db
          .update(payments)
          .set({ reference, receipt, ...transition.set, ...endedFields })
          .where(byUnsettledState),
        db.update(orders).set({ expiresAtMs }).where(eq(orders.id, row.id)),
        ...transitionOrderStatements(payable, ctx),
        failUnless(sql`${calculateAmountDueCents(row.id)} > 0`, 'orderChanged', ctx),
        insertPaymentEmailStatement({ ...attempt, exchange }, ctx),
      ],
      ctx,
    )
    deliverEmailsInBackground(ctx)
    return changed
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    if (guard !== 'paymentSettled' && guard !== 'orderChanged') throw error
    const record = toOrderRecord(await db.batch(selectOrderRecord(db, eq(orders.id, row.id))))
    const current = record?.payments.find(({ id }) => id === payment.id)
    if (!record || !current) return attempt.record
    // A concurrent request has settled this payment or changed its order.
    return guard === 'paymentSettled' ? record : settlePayment({ ...attempt, record, payment: current }, ctx)
  }
}

type PaymentEmailInput = Pick<OrderAttempt, 'record' | 'payment'> & { exchange: OrderReturn | undefined }

function insertPaymentEmailStatement({ record, payment, exchange }: PaymentEmailInput, ctx: ServiceContext) {
  const dueCents = calculatePayableCents(record) - payment.amountCents
  const email = createPaymentReceivedEmail(record.row, payment, dueCents, exchange)
  const byUnrefundedPayment = sql`exists (select 1 from ${payments} where ${eq(payments.id, payment.id)} and ${unrefundedCents} > 0)`
  const byRecipient = sql`${email.recipient} <> ''`
  return ctx.db
    .insert(outbox)
    .select(
      insertRowWhere(outbox, toOutboxRow(email, ctx), sql`where ${byUnrefundedPayment} and ${byRecipient}`),
    )
}

async function findUnpaidExchange(
  { row }: OrderRecord,
  { db }: ServiceContext,
): Promise<OrderReturn | undefined> {
  if (!isReturnable(row.status)) return undefined
  const returns = toReturns(...(await db.batch(selectReturns(db, sql`(${row.id})`))))
  return returns.find(
    (item) => item.kind === 'exchange' && item.state === 'received' && hasDearerReplacements(item),
  )
}

type Placement = OrderAttempt & {
  unchanged?: readonly BatchItem<'sqlite'>[]
  set?: Partial<typeof orders.$inferInsert>
}

/**
 * The batch can fail with `orderChanged`, `outOfStock`, `promotionExhausted` or `promotionUsed`, or with a guard in
 * `unchanged`.
 */
export async function placeOrderStatements(
  { record: { row, lines }, payment, origin, unchanged = [], set = {} }: Placement,
  ctx: ServiceContext,
) {
  const { db } = ctx
  const { deliveryTime } = await ctx.content.load()
  const emails = [
    createOrderConfirmationEmail(row, lines, payment, origin, deliveryTime),
    createOperatorOrderEmail(row, lines, payment, ctx.config),
  ]
  const { firstName, lastName, address, address2, country, state, zip, phone, landmark } = row
  const addressFields = { firstName, lastName, address, address2, country, state, zip, landmark }
  return [
    ...redeemPromotionStatements(row.id, ctx),
    ...unchanged,
    ...sellUnitsStatements(row.id, ctx),
    ...transitionOrderStatements(
      { orderId: row.id, transition: 'settle', to: 'placed', set: { ...set, hasPromotionUse: true } },
      ctx,
    ),
    db.insert(outbox).values(emails.map((email) => toOutboxRow(email, ctx))),
    recordActivityStatement(
      { kind: 'address_changed', userId: row.userId, client: null },
      ctx,
      fromUserWithOtherAddress(row),
    ),
    db
      .update(users)
      .set({ ...addressFields, ...(phone ? { phone } : {}) })
      .where(eq(users.id, row.userId)),
  ] as const
}

type ProviderReferences = { reference: SQL; receipt: SQL }

/**
 * The first receipt also resumes the payment's manual refunds, because the provider may need the receipt for them.
 */
function addReceipt(
  {
    record: { row },
    payment,
    providerReferences,
    isFirstReceipt,
  }: Pick<OrderAttempt, 'record' | 'payment'> & {
    providerReferences: ProviderReferences
    isFirstReceipt: boolean
  },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const { set, where } = getRefundTransition('resume')
  const resumeRefunds = ctx.db
    .update(refunds)
    .set({ ...set, nextAtMs: ctx.clock() })
    .where(and(eq(refunds.paymentId, payment.id), where))
  const addToPayment = ctx.db.update(payments).set(providerReferences).where(eq(payments.id, payment.id))
  return commitOrderChange(row.id, isFirstReceipt ? [addToPayment, resumeRefunds] : [addToPayment], ctx)
}

function fromUserWithOtherAddress({
  userId,
  address,
  address2,
  country,
  state,
  zip,
}: OrderRecord['row']): SQL {
  const byOtherAddress = sql`(${users.address}, coalesce(${users.address2}, ''), ${users.country}, ${users.state}, ${users.zip})
    <> (${address}, ${address2 ?? ''}, ${country}, ${state}, ${zip})`
  return sql`from ${users} where ${users.id} = ${userId} and ${users.address} is not null and ${byOtherAddress}`
}
