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
import {
  calculateAmountDueCents,
  calculatePayableCents,
  createUnchangedAmountGuard,
  insertSurplusRefundStatements,
} from './amount-due.ts'
import { createOperatorOrderEmail, createOrderConfirmationEmail } from './confirmation-emails.ts'
import { commitOrderChange, type OrderRecord, readOrderRecordById } from './order-record.ts'
import { type OrderReturn, selectReturns, toReturns } from './order-returns.ts'
import { transitionOrderStatements } from './order-transitions.ts'
import { createUnrecordedGuard } from './recorded-payment.ts'
import { expireOrdersStatements, redeemPromotionStatements } from './release-order.ts'
import { hasDearerReplacements } from './return-steps.ts'
import { createOutdatedGuards } from './revive-order.ts'
import { createPaymentReceivedEmail } from './status-emails.ts'

export type OrderAttempt = { record: OrderRecord; payment: PaymentRow; origin: string }

type SettledAttempt = OrderAttempt & { result: SettledResult }

/**
 * Places the order once its total is paid, if that's still possible. Refunds what isn't due, such as a surplus or the
 * payment of a closed order. Throws a `paymentRecorded` violation if the operator has recorded this payment by hand.
 */
export async function settlePayment(
  { record, payment, origin, result }: SettledAttempt,
  ctx: ServiceContext,
): Promise<OrderRecord> {
  if (payment.state === 'settled') return addReceipt({ record, payment, result }, ctx)

  const paidAttempt = {
    ...payment,
    reference: payment.reference ?? result.reference,
    receipt: payment.receipt ?? result.receipt,
  }
  const attempt = { record, payment: paidAttempt, origin, result }
  try {
    return await settleAndPlace(attempt, ctx)
  } catch (error) {
    switch (getGuardViolation(error)?.guard) {
      case 'paymentIncomplete':
        return recordPartPayment(attempt, ctx)
      case 'orderChanged':
      case 'orderOutdated':
      case 'promotionExhausted':
      case 'promotionUsed':
      case 'outOfStock':
        return settleWithoutPlacing(attempt, ctx)
      default:
        throw error
    }
  }
}

async function settleAndPlace(
  { record, payment, origin, result }: SettledAttempt,
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const { row } = record
  const guards = hasFlow(payment.provider, 'manual') ? [] : await createOutdatedGuards(record, ctx)
  const settled = { ...createProviderReferences(result), ...createSettledFields(ctx) }
  const placed = await commitOrderChange(
    row.id,
    [
      createUnrecordedGuard(payment, ctx),
      // The payment settles first, because placing the order issues the invoice for all its payments.
      ctx.db.update(payments).set(settled).where(byUnsettledAttempt(payment)),
      ...(await placeOrderStatements(
        { record, payment: { ...payment, state: 'settled' }, origin, guards },
        ctx,
      )),
      ...insertSurplusRefundStatements(payment, ctx),
      failUnless(sql`${calculateAmountDueCents(row.id)} <= 0`, 'paymentIncomplete', ctx),
      replaceInvoicePlaceholderStatement(row.id, ctx),
    ],
    ctx,
  )
  deliverEmailsInBackground(ctx)
  return placed
}

async function settleWithoutPlacing(attempt: SettledAttempt, ctx: ServiceContext): Promise<OrderRecord> {
  const { db } = ctx
  const { record, payment, result } = attempt
  const { row } = record
  const exchange = await findUnpaidExchange(record, ctx)
  const settled = { ...createProviderReferences(result), ...createSettledFields(ctx) }
  const statements = [
    createUnsettledGuard(payment, ctx),
    createUnchangedAmountGuard(row, ctx),
    createUnrecordedGuard(payment, ctx),
    db.update(payments).set(settled).where(byUnsettledAttempt(payment)),
    // The order expires, because an order that can't be placed must not be paid again.
    ...expireOrdersStatements(eq(orders.id, row.id), ctx),
    ...insertSurplusRefundStatements(payment, ctx),
    insertPaymentEmailStatement({ record, payment, exchange }, ctx),
  ] as const
  try {
    const changed = await commitOrderChange(row.id, statements, ctx)
    deliverEmailsInBackground(ctx)
    const isDue = changed.refunds.some(({ paymentId }) => paymentId === payment.id)
    const error = `The order is ${changed.row.status}.`
    if (isDue) logPayment({ payment, orderNumber: row.number, outcome: 'refund due', error }, ctx)
    return changed
  } catch (error) {
    return settleAgain(attempt, error, ctx)
  }
}

/** Call it if another request has settled this payment or changed the amount due. Throws any other error. */
async function settleAgain(
  attempt: SettledAttempt,
  error: unknown,
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const guard = getGuardViolation(error)?.guard
  if (guard !== 'paymentSettled' && guard !== 'orderChanged') throw error
  const record = await readOrderRecordById(attempt.record.row.id, ctx)
  const payment = record?.payments.find(({ id }) => id === attempt.payment.id)
  if (!record || !payment) return attempt.record
  return guard === 'paymentSettled' ? record : settlePayment({ ...attempt, record, payment }, ctx)
}

async function recordPartPayment(attempt: SettledAttempt, ctx: ServiceContext): Promise<OrderRecord> {
  const { db } = ctx
  const { payment } = attempt
  const { row } = attempt.record
  const { reference, receipt } = payment
  const payable = { orderId: row.id, transition: 'payPart', to: 'awaiting_payment' } as const
  const exchange = await findUnpaidExchange(attempt.record, ctx)
  const expiresAtMs = sql`iif(${orders.status} = 'expired', null, ${orders.expiresAtMs})`
  try {
    const changed = await commitOrderChange(
      row.id,
      [
        createUnsettledGuard(payment, ctx),
        createUnchangedAmountGuard(row, ctx),
        createUnrecordedGuard(payment, ctx),
        db
          .update(payments)
          .set({ reference, receipt, ...createSettledFields(ctx) })
          .where(byUnsettledAttempt(payment)),
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
    return settleAgain(attempt, error, ctx)
  }
}

function byUnsettledAttempt({ id }: PaymentRow): SQL | undefined {
  return and(eq(payments.id, id), getAttemptTransition('settle').where)
}

function createUnsettledGuard(payment: PaymentRow, ctx: ServiceContext) {
  const unsettled = ctx.db.select({ id: payments.id }).from(payments).where(byUnsettledAttempt(payment))
  return failUnless(exists(unsettled), 'paymentSettled', ctx)
}

function createSettledFields({ clock }: ServiceContext) {
  const { set } = getAttemptTransition('settle')
  return {
    ...set,
    endedAtMs: clock(),
    nextCheckAtMs: null,
    problem: null,
    error: null,
    recordedAs: null,
  } as const
}

/** Keeps the reference and the receipt that the attempt already has. */
function createProviderReferences({ reference, receipt }: SettledResult) {
  return {
    reference: sql`coalesce(${payments.reference}, ${reference})`,
    receipt: sql`coalesce(${payments.receipt}, ${receipt})`,
  }
}

type PaymentEmailInput = Pick<OrderAttempt, 'record' | 'payment'> & { exchange: OrderReturn | undefined }

/** The email names the amount due, so the batch also needs `createUnchangedAmountGuard`. */
function insertPaymentEmailStatement({ record, payment, exchange }: PaymentEmailInput, ctx: ServiceContext) {
  const dueCents = calculatePayableCents(record) - payment.amountCents
  const email = createPaymentReceivedEmail(record.row, payment, dueCents, exchange)
  const byUnrefundedPayment = sql`exists (select 1 from ${payments} where ${eq(payments.id, payment.id)} and ${unrefundedCents} > 0)`
  return ctx.db
    .insert(outbox)
    .select(insertRowWhere(outbox, toOutboxRow(email, ctx), sql`where ${byUnrefundedPayment}`))
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
  guards?: readonly BatchItem<'sqlite'>[]
  set?: Partial<typeof orders.$inferInsert>
}

/**
 * The batch can fail with `orderChanged`, `outOfStock`, `promotionExhausted` or `promotionUsed`, or with one of
 * `guards`.
 */
export async function placeOrderStatements(
  { record: { row, lines }, payment, origin, guards = [], set = {} }: Placement,
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
    ...guards,
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

/** The first receipt also resumes the payment's manual refunds, because the provider may need the receipt for them. */
function addReceipt(
  { record: { row }, payment, result }: Omit<SettledAttempt, 'origin'>,
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const isFirstReceipt = result.receipt !== null && !payment.receipt && !hasFlow(payment.provider, 'manual')
  const { set, where } = getRefundTransition('resume')
  const resumeRefunds = ctx.db
    .update(refunds)
    .set({ ...set, nextAtMs: ctx.clock() })
    .where(and(eq(refunds.paymentId, payment.id), where))
  const addToPayment = ctx.db
    .update(payments)
    .set(createProviderReferences(result))
    .where(eq(payments.id, payment.id))
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
