import { and, asc, eq, exists, inArray, isNull, lte, notExists, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import {
  getRefundRetryDelayMs,
  NEVER_CONFIRMED_RESULT,
  RESULT_TIMEOUT_MS,
} from '#server/orders/process-refunds.ts'
import type { RefundResult, WebhookRequest } from '#server/payments/providers/provider.ts'
import { createSignature } from '#server/platform/auth/signed-link.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { incomingPayments, incomingRefunds, providerTokens, withdrawals } from '#server/platform/db/schema.ts'
import { getPublicOrigin } from '#server/platform/http/request.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { runEach } from '#server/platform/run-each.ts'
import { formatMoney } from '#shared/format.ts'
import {
  ALREADY_HANDLED_MESSAGE,
  createPossibleMatchGuards,
  createUnassignedGuard,
  describePossibleMatch,
} from './assign-incoming.ts'
import { byReceipt, byUnassignedState, type IncomingPaymentInput } from './incoming-payments.ts'

const REFUNDS_PER_RUN = 10

type IncomingRefundRow = typeof incomingRefunds.$inferSelect
type RefundKey = Pick<IncomingRefundRow, 'provider' | 'receipt'>

const byRefundKey = ({ provider, receipt }: RefundKey) =>
  and(eq(incomingRefunds.provider, provider), eq(incomingRefunds.receipt, receipt))

/** The next housekeeping run sends the refund. */
export async function refundIncomingPayment(
  { provider, receipt, actor }: IncomingPaymentInput,
  ctx: DataContext,
): Promise<Result<undefined, { code: 'refused'; message: string }>> {
  const { db, clock } = ctx
  const incoming = await db.select().from(incomingPayments).where(byReceipt(provider, receipt)).get()
  if (incoming?.verifiedAtMs == null)
    return {
      ok: false,
      error: {
        code: 'refused',
        message:
          'M-Pesa hasn’t confirmed this payment yet. Try again in a few minutes, or upload a statement.',
      },
    }
  const dueRefund = { state: 'due', attempts: 0, nextAtMs: clock(), error: null } as const
  const byStartedState = inArray(incomingRefunds.state, ['due', 'requested', 'done'])
  const startedRefunds = db
    .select({ receipt: incomingRefunds.receipt })
    .from(incomingRefunds)
    .where(and(byRefundKey(incoming), byStartedState))
  const statements = [
    createUnassignedGuard(incoming, ctx),
    failUnless(notExists(startedRefunds), 'incomingChanged', ctx),
    ...createPossibleMatchGuards(incoming, ctx),
    db
      .insert(incomingRefunds)
      .values({ provider, receipt, ...dueRefund, requestedAtMs: clock() })
      .onConflictDoUpdate({ target: [incomingRefunds.provider, incomingRefunds.receipt], set: dueRefund }),
  ] as const
  const to = formatMoney(incoming.amountCents)
  try {
    await commitAudited(
      { statements, audit: { actor, action: 'incoming.refund', subject: receipt, to } },
      ctx,
    )
    return { ok: true, data: undefined }
  } catch (error) {
    const guard = getGuardViolation(error)?.guard
    const possibleMatch = describePossibleMatch(guard, incoming)
    if (!possibleMatch && guard !== 'incomingChanged') throw error
    return { ok: false, error: { code: 'refused', message: possibleMatch ?? ALREADY_HANDLED_MESSAGE } }
  }
}

export async function sendDueIncomingRefunds(ctx: ServiceContext): Promise<void> {
  const { db, clock } = ctx
  const byPayment = and(
    eq(withdrawals.provider, incomingPayments.provider),
    eq(withdrawals.linkedReceipt, incomingPayments.receipt),
    eq(withdrawals.amountCents, incomingPayments.amountCents),
  )
  const byUnmatchedState = and(
    eq(withdrawals.isFee, false),
    isNull(withdrawals.matchedTo),
    isNull(withdrawals.dismissedAtMs),
  )
  const withdrawal = db
    .select({ receipt: withdrawals.receipt })
    .from(withdrawals)
    .where(and(byPayment, byUnmatchedState))
  const rows = await db
    .select({
      refund: incomingRefunds,
      amountCents: incomingPayments.amountCents,
      isWithdrawn: sql<number>`${exists(withdrawal)}`.mapWith(Boolean),
    })
    .from(incomingRefunds)
    .innerJoin(incomingPayments, byReceipt(incomingRefunds.provider, incomingRefunds.receipt))
    .where(and(lte(incomingRefunds.nextAtMs, clock()), byUnassignedState))
    .orderBy(asc(incomingRefunds.nextAtMs))
    .limit(REFUNDS_PER_RUN)
  await runEach(rows, ({ refund, amountCents, isWithdrawn }) =>
    // A statement shows that the customer already has the money, for example because the operator sent it herself.
    isWithdrawn
      ? recordRefundResult(refund, { outcome: 'done' }, ctx)
      : sendRefund({ refund, amountCents }, ctx),
  )
}

async function sendRefund(
  { refund, amountCents }: { refund: IncomingRefundRow; amountCents: number },
  ctx: ServiceContext,
): Promise<void> {
  const { db, clock } = ctx
  const { provider: name, receipt, attempts } = refund
  const token = await sha256Hex(await createSignature('incoming refund', `${name} ${receipt}`, ctx))
  const nextAtMs = clock() + (getRefundRetryDelayMs(attempts + 1) ?? RESULT_TIMEOUT_MS)
  const claimedRows = await db
    .update(incomingRefunds)
    .set({ attempts: attempts + 1, nextAtMs, callbackHash: await sha256Hex(token) })
    .where(
      and(
        byRefundKey(refund),
        eq(incomingRefunds.attempts, attempts),
        lte(incomingRefunds.nextAtMs, clock()),
      ),
    )
    .returning({ receipt: incomingRefunds.receipt })
  if (claimedRows.length === 0) return
  const provider = ctx.payments.providers.find((configured) => configured.name === name)
  const storedToken = await db.select().from(providerTokens).where(eq(providerTokens.provider, name)).get()
  const payment = {
    id: receipt,
    orderNumber: receipt,
    amountCents,
    email: '',
    phone: null,
    reference: null,
    receipt,
    token: storedToken ? { value: storedToken.token, expiresAtMs: storedToken.expiresAtMs } : null,
  }
  const callbackUrl = `${getPublicOrigin(ctx.config)}/api/incoming/${token}/refund`
  const request = { payment, amountCents, reference: receipt, isRetry: attempts > 0 }
  const result: RefundResult = provider
    ? await provider
        .refund(request, { callbackUrl })
        .catch((error) => ({ outcome: 'failed', error: String(error) }))
    : { outcome: 'by_hand', error: `The payment provider ${name} isn’t configured.` }
  await recordRefundResult({ ...refund, attempts: attempts + 1 }, result, ctx)
}

async function recordRefundResult(
  refund: IncomingRefundRow,
  result: RefundResult,
  { db, clock }: ServiceContext,
): Promise<void> {
  const byOpenRefund = and(byRefundKey(refund), inArray(incomingRefunds.state, ['due', 'requested']))
  const update = (values: Partial<IncomingRefundRow>) =>
    db.update(incomingRefunds).set(values).where(byOpenRefund)
  const isLast = getRefundRetryDelayMs(refund.attempts + 1) === undefined
  switch (result.outcome) {
    case 'done':
      await db.batch([
        // Updates the refund in any state, because the result can arrive after the operator was asked to refund
        // manually.
        db
          .update(incomingRefunds)
          .set({ state: 'done', nextAtMs: null, error: null })
          .where(byRefundKey(refund)),
        db
          .update(incomingPayments)
          .set({ returnedAtMs: clock() })
          .where(and(byReceipt(refund.provider, refund.receipt), byUnassignedState)),
      ])
      return
    case 'requested':
      if (isLast) await update({ state: 'by_hand', nextAtMs: null, error: NEVER_CONFIRMED_RESULT.error })
      else await update({ state: 'requested', nextAtMs: clock() + RESULT_TIMEOUT_MS, error: null })
      return
    case 'failed':
      if (isLast) await update({ state: 'by_hand', nextAtMs: null, error: result.error })
      else {
        const nextAtMs = clock() + (getRefundRetryDelayMs(refund.attempts) ?? 0)
        await update({ state: 'due', nextAtMs, error: result.error })
      }
      return
    case 'by_hand':
      await update({ state: 'by_hand', nextAtMs: null, error: result.error })
  }
}

export async function handleIncomingRefundCallback(
  { token, request }: { token: string; request: WebhookRequest },
  ctx: ServiceContext,
): Promise<Result<Readonly<Record<string, unknown>>, ServiceError<'not_found' | 'bad_request'>>> {
  const [found] = await ctx.db
    .select({ refund: incomingRefunds, amountCents: incomingPayments.amountCents })
    .from(incomingRefunds)
    .innerJoin(incomingPayments, byReceipt(incomingRefunds.provider, incomingRefunds.receipt))
    .where(eq(incomingRefunds.callbackHash, await sha256Hex(token)))
  const provider = ctx.payments.providers.find(({ name }) => name === found?.refund.provider)
  if (!found || !provider?.webhook) return { ok: false, error: { code: 'not_found' } }
  const event = await provider.parseWebhook(request)
  if (event.kind === 'invalid') return { ok: false, error: { code: 'bad_request' } }
  const isForThisRefund = event.kind === 'refund' && [null, found.amountCents].includes(event.amountCents)
  if (isForThisRefund) await recordRefundResult(found.refund, event.result, ctx)
  return { ok: true, data: provider.webhook.acknowledgement }
}
