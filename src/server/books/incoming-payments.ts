import { and, eq, isNull, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { IncomingPayment, PaymentProvider } from '#server/payments/providers/provider.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { incomingPayments, incomingSources } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { PaymentProviderName } from '#shared/payments/providers.ts'
import type { Actor } from '#shared/team/roles.ts'

export type IncomingPaymentRow = typeof incomingPayments.$inferSelect

type ReportedPayments = {
  provider: PaymentProviderName
  source: IncomingPaymentRow['source']
  payments: readonly IncomingPayment[]
}

/**
 * Leaves recorded payments unchanged, except that a pull or a statement verifies and corrects a payment that only a
 * confirmation has reported.
 */
export function recordIncomingPaymentsStatements(
  { provider, source, payments }: ReportedPayments,
  { db, clock }: DataContext,
) {
  const nowMs = clock()
  const isVerified = source !== 'confirmation'
  const target = [incomingPayments.provider, incomingPayments.receipt]
  return splitIntoChunks(payments).map((chunk) => {
    const field = (name: keyof IncomingPayment) => sql`entry.value ->> ${name}`
    const values = {
      provider,
      source,
      recordedAtMs: nowMs,
      verifiedAtMs: isVerified ? nowMs : null,
      receipt: field('receipt'),
      amountCents: field('amountCents'),
      paidAtMs: field('paidAtMs'),
      account: field('account'),
      payer: field('payer'),
    }
    const from = sql`from json_each(${JSON.stringify(chunk)}) entry where true`
    const insert = db.insert(incomingPayments).select(insertRowWhere(incomingPayments, values, from))
    if (!isVerified) return insert.onConflictDoNothing({ target })
    return insert.onConflictDoUpdate({
      target,
      set: {
        verifiedAtMs: nowMs,
        amountCents: sql`excluded.amount_cents`,
        paidAtMs: sql`excluded.paid_at_ms`,
        account: sql`coalesce(excluded.account, ${incomingPayments.account})`,
        payer: sql`coalesce(${incomingPayments.payer}, excluded.payer)`,
      },
      setWhere: sql`${incomingPayments.verifiedAtMs} is null`,
    })
  })
}

/** With this many rows, a chunk's JSON stays below D1's limit of 2 MB per parameter. */
const ROWS_PER_CHUNK = 2000

export function splitIntoChunks<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_PER_CHUNK) }, (_, index) =>
    rows.slice(index * ROWS_PER_CHUNK, (index + 1) * ROWS_PER_CHUNK),
  )
}

type ConfirmationRequest = { token: string; body: unknown }
const URL_TOKEN_PATTERN = /^[0-9a-f]{64}$/

/**
 * Records the payment as unverified. A later pull or statement verifies it, or reports it if recording fails.
 */
export async function handleConfirmation(
  { token, body }: ConfirmationRequest,
  ctx: ServiceContext,
): Promise<Result<PaymentProvider, ServiceError<'not_found' | 'bad_request'>>> {
  const provider = await findProviderByToken(token, ctx)
  if (!provider) return { ok: false, error: { code: 'not_found' } }
  const payment = provider.incoming?.parseConfirmation(body)
  if (!payment) return { ok: false, error: { code: 'bad_request' } }
  const [statement] = recordIncomingPaymentsStatements(
    { provider: provider.name, source: 'confirmation', payments: [payment] },
    ctx,
  )
  await statement
  return { ok: true, data: provider }
}

export async function findProviderByToken(
  token: string,
  { db, payments }: ServiceContext,
): Promise<PaymentProvider | undefined> {
  if (!URL_TOKEN_PATTERN.test(token)) return undefined
  const source = await db
    .select({ provider: incomingSources.provider })
    .from(incomingSources)
    .where(eq(incomingSources.tokenHash, await sha256Hex(token)))
    .get()
  return payments.providers.find(({ name, incoming }) => incoming && name === source?.provider)
}

export type IncomingPaymentInput = { provider: PaymentProviderName; receipt: string; actor: Actor }

export const byUnassignedState = and(
  isNull(incomingPayments.paymentId),
  isNull(incomingPayments.returnedAtMs),
)

export function byReceipt(provider: PaymentProviderName | SQLiteColumn, receipt: string | SQLiteColumn) {
  return and(eq(incomingPayments.provider, provider), eq(incomingPayments.receipt, receipt))
}
