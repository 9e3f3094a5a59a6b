import { and, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { recipientEmail } from '#server/orders/order-record.ts'
import { recordActivityStatement } from '#server/platform/auth/activity.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { isKnownDevice } from '#server/platform/auth/cookies.ts'
import { queueFullError } from '#server/platform/auth/hash-queue.ts'
import { isRequestAllowed } from '#server/platform/auth/login-attempts.ts'
import { commonPasswordError, hashPassword, isCommonPassword } from '#server/platform/auth/passwords.ts'
import { newId, sha256Hex } from '#server/platform/crypto.ts'
import { insertRowWhere } from '#server/platform/db/client.ts'
import { orders, outbox, passwordResets, sessions, users } from '#server/platform/db/schema.ts'
import { deliverEmailsInBackground, toOutboxRow } from '#server/platform/email/outbox.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result } from '#server/platform/result.ts'
import { findPasswordProblem } from '#shared/accounts/auth-forms.ts'
import { createPasswordChangedEmail } from './emails.ts'

type ResetPasswordInput = { oobCode: string; newPassword: string; client: Client; origin: string }

/**
 * Ends the user's sessions, invalidates their reset links and sends a notice. An unverified email address moves to a new
 * account unless the device has logged in to the old one, because someone else may have registered it. The orders whose
 * emails go to the address move with it.
 */
export async function resetPassword(
  { oobCode, newPassword, client, origin }: ResetPasswordInput,
  ctx: ServiceContext,
): Promise<Result<{ email: string; areDetailsRemoved?: true }>> {
  const weakness = findPasswordProblem({ password: newPassword })
  if (weakness) return { ok: false, error: { code: 'weak_password', message: weakness.message } }
  // `isRequestAllowed` suffices here instead of `isAttemptAllowed`, because only requests with a valid link hash a
  // password.
  if (!(await isRequestAllowed('reset', client, client.device !== null, ctx.limits)))
    return { ok: false, error: tooManyRequestsError }
  const slot = ctx.hashQueue.reserve('unknownDevice')
  if (!slot) return { ok: false, error: queueFullError }
  try {
    const { db } = ctx
    const codeHash = await sha256Hex(oobCode)
    const nowMs = ctx.clock()
    const [found] = await db
      .select({ reset: passwordResets, owner: users })
      .from(passwordResets)
      .innerJoin(users, eq(users.id, passwordResets.userId))
      .where(eq(passwordResets.codeHash, codeHash))
    if (!found) return { ok: false, error: { code: 'reset_link_invalid' } }
    const { reset, owner } = found
    if (reset.usedAtMs !== null || reset.expiresAtMs <= nowMs) return LINK_EXPIRED
    if (await isCommonPassword(newPassword, ctx)) return { ok: false, error: commonPasswordError }

    const passwordHash = await hashPassword(newPassword, { ...ctx, ...slot })
    const isOwnDevice = await isKnownDevice(client.device, owner.email)
    const isMoved = owner.emailVerifiedAtMs === null && !isOwnDevice
    const savePassword = isMoved ? moveToNewAccount : updatePassword
    const isChanged = await savePassword(
      { owner, isOwnDevice, codeHash, passwordHash, nowMs, client, origin },
      ctx,
    )
    if (!isChanged) return LINK_EXPIRED
    deliverEmailsInBackground(ctx)
    return { ok: true, data: { email: owner.email, ...(isMoved && { areDetailsRemoved: true }) } }
  } finally {
    slot.release()
  }
}

const LINK_EXPIRED = { ok: false, error: { code: 'reset_link_expired' } } as const

type LinkUse = {
  owner: typeof users.$inferSelect
  isOwnDevice: boolean
  codeHash: string
  passwordHash: string
  nowMs: number
  client: Client
  origin: string
}

function fromLinkOwner({ owner, isOwnDevice, codeHash, nowMs }: LinkUse): SQL {
  const byVerification =
    owner.emailVerifiedAtMs === null ? isNull(users.emailVerifiedAtMs) : isNotNull(users.emailVerifiedAtMs)
  const byUsableLink = and(
    eq(passwordResets.codeHash, codeHash),
    isNull(passwordResets.usedAtMs),
    gt(passwordResets.expiresAtMs, nowMs),
  )
  return sql`from ${users} join ${passwordResets} on ${passwordResets.userId} = ${users.id} where ${and(byUsableLink, isOwnDevice ? undefined : byVerification)}`
}

async function updatePassword(linkUse: LinkUse, ctx: ServiceContext): Promise<boolean> {
  const { db } = ctx
  const { owner, passwordHash, nowMs, client } = linkUse
  const from = fromLinkOwner(linkUse)
  const owners = sql`(select ${users.id} ${from})`
  const event = { kind: 'password_reset', userId: owner.id, client } as const
  const emailRow = createResetEmailRow({ userId: owner.id, ...linkUse }, ctx)
  // The last statement marks the link as used, because the others find the owner through the unused link.
  const [changed] = await db.batch([
    db
      .update(users)
      .set({ passwordHash, emailVerifiedAtMs: owner.emailVerifiedAtMs ?? nowMs })
      .where(inArray(users.id, owners))
      .returning({ id: users.id }),
    db.delete(sessions).where(inArray(sessions.userId, owners)),
    recordActivityStatement(event, ctx, from),
    db.insert(outbox).select(insertRowWhere(outbox, emailRow, from)),
    db.update(passwordResets).set({ usedAtMs: nowMs }).where(inArray(passwordResets.userId, owners)),
  ])
  return changed.length > 0
}

/** Leaves the old account without a password, so that nobody can log in to it. */
async function moveToNewAccount(linkUse: LinkUse, ctx: ServiceContext): Promise<boolean> {
  const { db } = ctx
  const { owner, passwordHash, nowMs, client } = linkUse
  const from = fromLinkOwner(linkUse)
  const owners = sql`(select ${users.id} ${from})`
  const account = {
    id: newId(ctx),
    email: owner.email,
    name: '',
    passwordHash,
    emailVerifiedAtMs: nowMs,
    createdAtMs: nowMs,
  }
  const lastOrderAtMs = sql`(select max(${orders.createdAtMs}) from ${orders} where ${orders.userId} = ${users.id})`
  const movedUser = sql`from ${users} where ${users.id} = ${account.id}`
  const event = { kind: 'password_reset', userId: account.id, client } as const
  const emailRow = createResetEmailRow({ userId: account.id, ...linkUse }, ctx)
  const [, changed] = await db.batch([
    db
      .update(users)
      .set({ email: `detached:${owner.id}`, passwordHash: '' })
      .where(inArray(users.id, owners)),
    db
      .insert(users)
      .select(insertRowWhere(users, account, from))
      .returning({ id: users.id }),
    db
      .update(orders)
      .set({ userId: account.id })
      .where(and(inArray(orders.userId, owners), eq(sql`lower(${recipientEmail})`, owner.email))),
    db
      .update(users)
      .set({ lastOrderAtMs })
      .where(inArray(users.id, [owner.id, account.id])),
    db.delete(sessions).where(inArray(sessions.userId, owners)),
    recordActivityStatement(event, ctx, movedUser),
    db.insert(outbox).select(insertRowWhere(outbox, emailRow, movedUser)),
    db.update(passwordResets).set({ usedAtMs: nowMs }).where(inArray(passwordResets.userId, owners)),
  ])
  return changed.length > 0
}

function createResetEmailRow(
  { userId, owner: { email }, client, origin }: LinkUse & { userId: string },
  ctx: ServiceContext,
) {
  const loggedOut = 'All devices'
  return toOutboxRow(createPasswordChangedEmail({ userId, email, client, origin, loggedOut }), ctx)
}

export async function checkResetLink(
  { oobCode, client }: { oobCode: string; client: Client },
  { db, clock, limits }: ServiceContext,
): Promise<Result<null>> {
  if (!(await isRequestAllowed('reset link', client, client.device !== null, limits)))
    return { ok: false, error: tooManyRequestsError }
  const [reset] = await db
    .select({ usedAtMs: passwordResets.usedAtMs, expiresAtMs: passwordResets.expiresAtMs })
    .from(passwordResets)
    .where(eq(passwordResets.codeHash, await sha256Hex(oobCode)))
  if (!reset) return { ok: false, error: { code: 'reset_link_invalid' } }
  const isUsable = reset.usedAtMs === null && reset.expiresAtMs > clock()
  return isUsable ? { ok: true, data: null } : { ok: false, error: { code: 'reset_link_expired' } }
}
