import { and, eq, exists, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { changeRefund } from '#server/orders/request-refund.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { incomingPayments, orders, refunds, withdrawals } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import { formatMoney } from '#shared/format.ts'
import type { Actor } from '#shared/team/roles.ts'
import type { StatementProvider } from './statement.ts'

type WithdrawalInput = { provider: StatementProvider; receipt: string; amountCents: number; actor: Actor }
type WithdrawalResult = Result<undefined, { code: 'refused'; message: string }>

const CHANGED_MESSAGE = 'This withdrawal or refund has changed. Check the list and try again.'
const REFUSED: WithdrawalResult = { ok: false, error: { code: 'refused', message: CHANGED_MESSAGE } }

/** Also completes the matched refund if it is still open. */
export async function matchWithdrawal(
  { outgoingKey, ...input }: WithdrawalInput & { outgoingKey: string },
  ctx: DataContext,
): Promise<WithdrawalResult> {
  const { db } = ctx
  const { amountCents, actor } = input
  const [[refund], [returned]] = await db.batch([
    db
      .select({ id: refunds.id, state: refunds.state, number: orders.number })
      .from(refunds)
      .innerJoin(orders, eq(orders.id, refunds.orderId))
      .where(and(eq(refunds.id, outgoingKey), eq(refunds.amountCents, amountCents))),
    db
      .select({ receipt: incomingPayments.receipt })
      .from(incomingPayments)
      .where(
        and(
          eq(incomingPayments.provider, input.provider),
          eq(incomingPayments.receipt, outgoingKey.replace(/^returned /, '')),
          eq(incomingPayments.amountCents, amountCents),
          isNotNull(incomingPayments.returnedAtMs),
        ),
      ),
  ])
  const subject = refund?.number ?? returned?.receipt
  if (!subject) return REFUSED
  const byMissingMatch = sql`not exists (select 1 from ${withdrawals} where ${withdrawals.matchedTo} = ${outgoingKey}
    and ${withdrawals.receipt} <> ${input.receipt})`
  const set = { matchedTo: outgoingKey }
  const match = createWithdrawalChange(
    { ...input, set, guard: byMissingMatch, action: 'withdrawal.match', subject },
    ctx,
  )
  if (!refund || refund.state === 'done') return toWithdrawalResult(commitAudited(match, ctx))
  const { id: refundId, state: expectedState, number } = refund
  const completed = changeRefund(
    { number, refundId, change: 'complete', expectedState, actor, withdrawalMatch: match },
    ctx,
  )
  return toWithdrawalResult(completed.then(({ ok }) => ok))
}

/**
 * Dismisses a withdrawal that refunds no customer, such as a transfer to the bank. If it was matched to a refund that the
 * operator has to make, that refund can be sent again.
 */
export function dismissWithdrawal(input: WithdrawalInput, ctx: DataContext): Promise<WithdrawalResult> {
  const set = { matchedTo: null, dismissedAtMs: ctx.clock() }
  const auditFields = { action: 'withdrawal.dismiss', subject: input.receipt } as const
  return toWithdrawalResult(
    commitAudited(createWithdrawalChange({ ...input, set, guard: sql`1`, ...auditFields }, ctx), ctx),
  )
}

type WithdrawalChange = WithdrawalInput & {
  set: Partial<typeof withdrawals.$inferInsert>
  guard: ReturnType<typeof sql>
  action: 'withdrawal.match' | 'withdrawal.dismiss'
  subject: string
}

function createWithdrawalChange(
  { provider, receipt, amountCents, actor, set, guard, action, subject }: WithdrawalChange,
  ctx: DataContext,
) {
  const { db } = ctx
  const manualRefund = db
    .select({ id: refunds.id })
    .from(refunds)
    .where(and(eq(refunds.id, withdrawals.matchedTo), eq(refunds.state, 'by_hand')))
  const byOpenWithdrawal = and(
    eq(withdrawals.provider, provider),
    eq(withdrawals.receipt, receipt),
    eq(withdrawals.amountCents, amountCents),
    eq(withdrawals.isFee, false),
    isNull(withdrawals.dismissedAtMs),
    or(isNull(withdrawals.matchedTo), exists(manualRefund)),
  )
  const openWithdrawal = db.select({ receipt: withdrawals.receipt }).from(withdrawals).where(byOpenWithdrawal)
  const audit = { actor, action, subject, to: `${receipt}, ${formatMoney(amountCents)}` } as const
  const statements = [
    failUnless(sql`${exists(openWithdrawal)} and ${guard}`, 'incomingChanged', ctx),
    db.update(withdrawals).set(set).where(byOpenWithdrawal),
  ] as const
  return { statements, audit }
}

async function toWithdrawalResult(change: Promise<unknown>): Promise<WithdrawalResult> {
  try {
    const changed = await change
    return changed === false ? REFUSED : { ok: true, data: undefined }
  } catch (error) {
    if (getGuardViolation(error)?.guard !== 'incomingChanged') throw error
    return REFUSED
  }
}
