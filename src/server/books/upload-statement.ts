import type { DataContext } from '#server/context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import type { Result } from '#server/platform/result.ts'
import type { Actor } from '#shared/team/roles.ts'
import { recordIncoming } from './incoming-payments.ts'
import { readStatement, type Statement, type StatementProvider } from './statement.ts'

type UploadInput = { provider: StatementProvider; bytes: Uint8Array; actor: Actor }

/** Records the payments of a statement. Uploading it again changes nothing. */
export async function uploadStatement(
  { provider, bytes, actor }: UploadInput,
  ctx: DataContext,
): Promise<Result<Statement, { code: 'invalid_file'; message: string }>> {
  const statement = readStatement(bytes, provider)
  if (typeof statement === 'string') return { ok: false, error: { code: 'invalid_file', message: statement } }
  const [first, ...others] = recordIncoming(
    { provider, source: 'statement', payments: statement.payments },
    ctx,
  )
  if (!first) {
    const message = [`This statement has no payments to your shop.`, ...statement.problems].join(' ')
    return { ok: false, error: { code: 'invalid_file', message } }
  }
  const audit = {
    actor,
    act: 'statement.upload',
    subject: provider,
    to: `${statement.payments.length} payments`,
  } as const
  await commitAudited({ statements: [first, ...others], audit }, ctx)
  return { ok: true, data: statement }
}
