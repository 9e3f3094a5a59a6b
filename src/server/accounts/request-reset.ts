import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { ServiceContext } from '#server/context.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { isKnownDevice } from '#server/platform/auth/cookies.ts'
import { isRequestAllowed, recordAttemptsStatement } from '#server/platform/auth/login-attempts.ts'
import { encodeBase64Url, sha256Hex } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { outbox, passwordResets, users } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'
import { toEmailIdentity } from '#shared/accounts/auth-forms.ts'
import { sendOobCodeCall } from '#shared/accounts/contract.ts'
import { RESET_TTL_SECONDS } from '#shared/accounts/password-reset.ts'
import { href } from '#shared/routes.ts'
import { createPasswordResetEmail } from './emails.ts'

/** The limit on unused links per account. Further requests get the same response but send no email. */
const MAX_UNUSED_LINKS = 3
const CODE_BYTES = 32

type RequestResetInput = { email: string; client: Client; origin: string }

export async function requestReset(
  { email, client, origin }: RequestResetInput,
  ctx: ServiceContext,
): Promise<Result<null>> {
  const identity = toEmailIdentity(email)
  const isKnown = await isKnownDevice(client.device, identity)
  if (!(await isRequestAllowed('reset email', client, isKnown, ctx.limits)))
    return { ok: false, error: tooManyRequestsError }
  const { IDENTITY_BASE, IDENTITY_KEY } = ctx.config
  if (IDENTITY_BASE)
    return requestResetFromIdentityService({ base: IDENTITY_BASE, key: IDENTITY_KEY, email: identity })
  await createReset({ identity, origin }, ctx)
  return { ok: true, data: null }
}

type CreateResetInput = { identity: string; origin: string }

/**
 * Runs the same statements for every email address, so that the response time doesn't reveal whether it has an account.
 */
async function createReset({ identity, origin }: CreateResetInput, ctx: ServiceContext): Promise<void> {
  const { db } = ctx
  const oobCode = encodeBase64Url(ctx.randomBytes(CODE_BYTES))
  const codeHash = await sha256Hex(oobCode)
  const createdAtMs = ctx.clock()
  const expiresAtMs = createdAtMs + RESET_TTL_SECONDS * 1000
  const reset = { codeHash, userId: sql`${users.id}`, createdAtMs, expiresAtMs }
  const link = origin + href('resetPassword', {}, { oobCode })
  const emailRow = toOutboxRow(createPasswordResetEmail({ codeHash, email: identity, link }), ctx)

  const unusedLinks = sql`select count(*) from ${passwordResets} where ${passwordResets.userId} = ${users.id}
    and ${passwordResets.usedAtMs} is null and ${passwordResets.expiresAtMs} > ${createdAtMs}`
  const owner = sql`from ${users} where ${users.email} = ${identity} and (${unusedLinks}) < ${MAX_UNUSED_LINKS}`
  const createdReset = sql`from ${passwordResets} where ${passwordResets.codeHash} = ${codeHash}`
  await db.batch([
    // This statement also writes for unknown email addresses, because a batch without a write would be measurably
    // faster.
    recordAttemptsStatement([await sha256Hex(`reset email ${identity}`)], ctx),
    db.insert(passwordResets).select(insertRowWhere(passwordResets, reset, owner)),
    db.insert(outbox).select(insertRowWhere(outbox, emailRow, createdReset)),
  ])
  deliverEmailsInBackground(ctx)
}

const IDENTITY_SERVICE_TIMEOUT_MS = 10_000
/** The message that § 8 sets for a failed reset. */
const DEFAULT_MESSAGE = 'Reset failed. Try again.'

const errorSchema = z.object({
  error: z.object({ message: z.string().check(z.minLength(1), z.maxLength(500)) }),
})

type IdentityServiceRequest = { base: string; key: string | undefined; email: string }

/** Forwards the identity service's error message (§ 8). */
async function requestResetFromIdentityService({
  base,
  key,
  email,
}: IdentityServiceRequest): Promise<Result<null>> {
  const url = new URL(base.replace(/\/$/, '') + sendOobCodeCall.path)
  if (key) url.searchParams.set('key', key)
  try {
    const response = await fetch(url, {
      method: sendOobCodeCall.method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ requestType: 'PASSWORD_RESET', email, clientType: 'CLIENT_TYPE_WEB' }),
      redirect: 'manual',
      signal: AbortSignal.timeout(IDENTITY_SERVICE_TIMEOUT_MS),
    })
    if (response.ok) return { ok: true, data: null }
    const failure = errorSchema.safeParse(await response.json())
    const message = failure.success ? failure.data.error.message : DEFAULT_MESSAGE
    return { ok: false, error: { code: toErrorCode(response.status), message } }
  } catch {
    return { ok: false, error: { code: 'unavailable', message: DEFAULT_MESSAGE } }
  }
}

/** A 401 or 403 means that the shop's own key was refused. Forwarding a 401 would also end the shopper's session. */
function toErrorCode(status: number) {
  if (status === 429) return 'too_many_requests'
  return status >= 500 || status === 401 || status === 403 ? 'unavailable' : 'bad_request'
}
