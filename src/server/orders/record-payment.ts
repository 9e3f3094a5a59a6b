import { and, eq, inArray, ne, or, type SQL, sql } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { isOpenState, type PaymentRow } from '#server/payments/attempts.ts'
import type {
  Declined,
  PaymentLogLine,
  QueryResult,
  Settled,
  StartResult,
} from '#server/payments/providers/provider.ts'
import { recordActivity } from '#server/platform/auth/activity.ts'
import { brokenConstraint, onlyIf } from '#server/platform/db/client.ts'
import { orders, outbox, payments, promotions, users } from '#server/platform/db/schema.ts'
import { deliverInBackground, outboxRow } from '#server/platform/email/outbox.ts'
import { isOutOfStock, sellUnits } from '#server/stock/reservations.ts'
import { orderConfirmation, orderNotice } from './emails.ts'
import { changeOrder, type OrderRecord } from './order-record.ts'
import { codeOf, expireStatements, releaseUnlessOpen } from './release.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
/** How often a provider is asked about an attempt, by its age: money can come long after its order has expired. */
const CHECKS = [
  { untilMs: MINUTE_MS, everyMs: 10 * SECOND_MS },
  { untilMs: 5 * MINUTE_MS, everyMs: 30 * SECOND_MS },
  { untilMs: HOUR_MS, everyMs: 5 * MINUTE_MS },
  { untilMs: 24 * HOUR_MS, everyMs: HOUR_MS },
  { untilMs: 72 * HOUR_MS, everyMs: 6 * HOUR_MS },
] as const

/** When a provider is to be asked next about an attempt; null when nothing more is expected. */
export function nextCheckAtMs(createdAtMs: number, nowMs: number): number | null {
  const check = CHECKS.find(({ untilMs }) => nowMs - createdAtMs < untilMs)
  return check ? nowMs + check.everyMs : null
}

type Outcome = { record: OrderRecord; payment: PaymentRow; origin: string }

/**
 * Writes down what a provider said of an attempt, in one batch, and returns the order as it is then. Safe to repeat,
 * and in any order: what is settled stays settled. Rejects when the database fails.
 */
export async function recordOutcome(
  { result, ...about }: Outcome & { result: StartResult | QueryResult },
  ctx: ServiceContext,
): Promise<OrderRecord> {
  try {
    switch (result.outcome) {
      case 'settled':
        return await settle(about, result, ctx)
      case 'declined':
        return await decline(about, result, ctx)
      case 'pending':
      case 'unknown':
        return await keepOpen(about, result, ctx)
    }
  } catch (error) {
    const broken = brokenConstraint(error) ?? ''
    if (!broken.includes('payments.receipt') && !broken.includes('payments.reference')) throw error
    return ignoreDoubleEntry(about, ctx)
  }
}

/**
 * The money is there. Its order becomes `placed`, with its mails, and its units are sold, unless it is paid or
 * cancelled already, or its units or its promo code are gone meanwhile: then the money is to be given back.
 */
async function settle(
  { record, payment, origin }: Outcome,
  { reference, receipt }: Settled,
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const { db } = ctx
  const nowMs = ctx.clock()
  const { row, lines } = record
  const isIt = eq(payments.id, payment.id)
  const proof = {
    reference: sql`coalesce(${payments.reference}, ${reference})`,
    receipt: sql`coalesce(${payments.receipt}, ${receipt})`,
  }
  if (payment.state === 'settled')
    return changeOrder(db, row.id, [
      db
        .update(payments)
        .set({ ...proof, ...(receipt ? askedForAgain(nowMs) : {}) })
        .where(isIt),
    ])

  const settled = {
    ...proof,
    state: 'settled' as const,
    endedAtMs: nowMs,
    nextCheckAtMs: null,
    problem: null,
    error: null,
  }
  const paid = { ...payment, reference: payment.reference ?? reference, receipt: payment.receipt ?? receipt }
  const mails = [
    orderConfirmation(row, lines, paid, origin),
    orderNotice(row, lines, paid, ctx.config.OPERATOR_EMAIL),
  ]
  const { firstName, lastName, address, address2, country, state, zip, phone } = row
  const profile = { firstName, lastName, address, address2, country, state, zip, ...(phone ? { phone } : {}) }
  const isUnpaid = inArray(orders.status, ['awaiting_payment', 'expired'])
  try {
    const placed = await changeOrder(db, row.id, [
      // An order that expired takes its use of the code again; one use too many fails the batch.
      db
        .update(promotions)
        .set({ uses: sql`${promotions.uses} + 1` })
        .where(eq(promotions.code, codeOf(row.id, false, ctx))),
      ...sellUnits(row.id, ctx),
      db
        .update(orders)
        .set({ status: onlyIf(isUnpaid, 'placed'), holdsPromotion: true })
        .where(eq(orders.id, row.id)),
      db.update(payments).set(settled).where(isIt),
      db.insert(outbox).values(mails.map((mail) => outboxRow(mail, ctx))),
      recordActivity({ kind: 'address_changed', userId: row.userId, client: null }, ctx, addressDiffers(row)),
      db.update(users).set(profile).where(eq(users.id, row.userId)),
    ])
    deliverInBackground(ctx)
    return placed
  } catch (error) {
    const broken = brokenConstraint(error) ?? ''
    const isExpected = ['orders.status', 'promotions_within_limit'].some((rule) => broken.includes(rule))
    if (!isExpected && !isOutOfStock(broken)) throw error
  }
  // Unless this very attempt has been settled meanwhile, by the same news on another way.
  const isNews = and(isIt, ne(payments.state, 'settled'))
  const refundDue = { ...settled, refundState: 'due' as const, nextRefundAtMs: nowMs }
  const isAwaiting = and(eq(orders.id, row.id), eq(orders.status, 'awaiting_payment'))
  const changed = await changeOrder(db, row.id, [
    db.update(payments).set(refundDue).where(isNews),
    // Its units are somebody else's: nobody shall pay for it once more.
    ...expireStatements(isAwaiting, ctx),
  ])
  const isDue = changed.payments.some(({ id, refundState }) => id === payment.id && refundState === 'due')
  if (isDue)
    logPayment(ctx, { record, payment, outcome: 'refund due', error: `The order is ${changed.row.status}.` })
  return changed
}

/** The user of an order, if the address that is remembered differs from the order's; the first one does not count. */
function addressDiffers({ userId, address, address2, country, state, zip }: OrderRecord['row']): SQL {
  const differs = sql`(${users.address}, coalesce(${users.address2}, ''), ${users.country}, ${users.state}, ${users.zip})
    <> (${address}, ${address2 ?? ''}, ${country}, ${state}, ${zip})`
  return sql`from ${users} where ${users.id} = ${userId} and ${users.address} is not null and ${differs}`
}

/** With its receipt, a payment that had to be given back by hand can be given back by the provider. */
function askedForAgain(nowMs: number) {
  const isByHand = eq(payments.refundState, 'by_hand')
  return {
    refundState: sql<'due'>`case when ${isByHand} then 'due' else ${payments.refundState} end`,
    nextRefundAtMs: sql<number>`case when ${isByHand} then ${nowMs} else ${payments.nextRefundAtMs} end`,
  }
}

/** One receipt, or one prompt, is one payment: whoever names it for another one is not believed. */
function ignoreDoubleEntry({ record, payment }: Outcome, ctx: ServiceContext): Promise<OrderRecord> {
  const error = 'Another payment has this receipt or this reference.'
  logPayment(ctx, { record, payment, outcome: 'ignored', error })
  const { db } = ctx
  return changeOrder(db, record.row.id, [
    db.update(payments).set({ error }).where(eq(payments.id, payment.id)),
  ])
}

/** Nothing was charged. The order can be paid otherwise; until then its promo code and its units are free for others. */
async function decline(
  { record, payment }: Outcome,
  { problem, error }: Declined,
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const { db } = ctx
  const isIt = and(eq(payments.id, payment.id), sql`${payments.state} <> 'settled'`)
  if (error) logPayment(ctx, { record, payment, outcome: 'declined', error })
  const ended = { endedAtMs: ctx.clock(), nextCheckAtMs: null }
  return changeOrder(db, record.row.id, [
    db
      .update(payments)
      .set({ state: 'declined', problem, error: error ?? null, ...ended })
      .where(isIt),
    ...releaseUnlessOpen(record.row.id, ctx),
  ])
}

/** Not decided yet: what is known of the attempt, and when to ask again. */
async function keepOpen(
  { record, payment }: Outcome,
  result: Exclude<StartResult | QueryResult, Settled | Declined>,
  ctx: ServiceContext,
): Promise<OrderRecord> {
  const { db } = ctx
  const nowMs = ctx.clock()
  const isUnknown = result.outcome === 'unknown'
  const reference = 'reference' in result ? result.reference : payment.reference
  const redirectTo = 'redirectTo' in result ? result.redirectTo : null
  const wasSending = sql`${payments.state} in ('sending', 'unknown')`
  if (isUnknown) logPayment(ctx, { record, payment, outcome: 'unknown', error: result.error })
  return changeOrder(db, record.row.id, [
    db
      .update(payments)
      .set({
        // A provider that is out of reach for a moment has not forgotten what it knew.
        state: isUnknown
          ? sql`case when ${payments.state} = 'sending' then 'unknown' else ${payments.state} end`
          : sql`case when ${wasSending} then 'pending' else ${payments.state} end`,
        reference: sql`coalesce(${payments.reference}, ${reference})`,
        redirectTo: sql`coalesce(${payments.redirectTo}, ${redirectTo ?? null})`,
        error: isUnknown ? result.error : null,
        nextCheckAtMs: nextCheckAtMs(payment.createdAtMs, nowMs),
      })
      .where(and(eq(payments.id, payment.id), or(isOpenState, eq(payments.state, 'expired')))),
  ])
}

/** Logs what became of an attempt. */
export function logPayment(
  { log, clock }: ServiceContext,
  {
    record: { row },
    payment: { id, provider },
    outcome,
    error,
  }: {
    record: Pick<OrderRecord, 'row'>
    payment: PaymentRow
    outcome: PaymentLogLine['outcome']
    error: string
  },
): void {
  const at = new Date(clock()).toISOString()
  log({ level: 'error', at, payment: id, order: row.number, provider, outcome, reason: error })
}
