import { sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { statements, withdrawals } from '#server/platform/db/schema.ts'
import type { Result } from '#server/platform/result.ts'
import type { Actor } from '#shared/team/roles.ts'
import { recordIncomingPaymentsStatements, splitIntoChunks } from './incoming-payments.ts'
import { parseStatement, type Statement, type StatementProvider, type Withdrawal } from './statement.ts'

type UploadStatementInput = { provider: StatementProvider; bytes: Uint8Array; actor: Actor }

/** Uploading a statement again records no duplicates. */
export async function uploadStatement(
  { provider, bytes, actor }: UploadStatementInput,
  ctx: DataContext,
): Promise<Result<Statement, { code: 'invalid_file'; message: string }>> {
  const statement = parseStatement(bytes, provider)
  if (typeof statement === 'string') return { ok: false, error: { code: 'invalid_file', message: statement } }
  const { payments, withdrawals, period } = statement
  const [first, ...others] = [
    ...recordIncomingPaymentsStatements({ provider, source: 'statement', payments }, ctx),
    ...recordWithdrawalsStatements({ provider, withdrawals }, ctx),
  ]
  if (!first || !period) {
    const message = [`This statement has no payments or withdrawals.`, ...statement.problems].join(' ')
    return { ok: false, error: { code: 'invalid_file', message } }
  }
  const audit = {
    actor,
    action: 'statement.upload',
    subject: provider,
    to: `${formatCount(payments, 'payment')}, ${formatCount(withdrawals, 'withdrawal')}`,
  } as const
  const covered = { provider, ...period, uploadedAtMs: ctx.clock() }
  const cover = ctx.db.insert(statements).values(covered).onConflictDoNothing()
  await commitAudited({ statements: [first, ...others, cover], audit }, ctx)
  return { ok: true, data: statement }
}

function recordWithdrawalsStatements(
  { provider, withdrawals: rows }: { provider: StatementProvider; withdrawals: readonly Withdrawal[] },
  { db, clock }: DataContext,
) {
  return splitIntoChunks(rows).map((chunk) => {
    const field = (name: keyof Withdrawal) => sql`entry.value ->> ${name}`
    const values = {
      provider,
      recordedAtMs: clock(),
      receipt: field('receipt'),
      isFee: field('isFee'),
      amountCents: field('amountCents'),
      atMs: field('atMs'),
      details: field('details'),
      linkedReceipt: field('linkedReceipt'),
    }
    const from = sql`from json_each(${JSON.stringify(chunk)}) entry where true`
    return db
      .insert(withdrawals)
      .select(insertRowWhere(withdrawals, values, from))
      .onConflictDoNothing()
  })
}

function formatCount({ length }: readonly unknown[], noun: string): string {
  return `${length} ${noun}${length === 1 ? '' : 's'}`
}
