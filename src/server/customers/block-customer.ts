import { and, eq, exists, ne, notExists, or, type SQL } from 'drizzle-orm'
import { DELETED_USER_ID } from '#server/accounts/personal-data.ts'
import type { DataContext } from '#server/context.ts'
import { byBlockedTexts, createBlockLookup, selectBlockHashKey } from '#server/orders/blocked-customers.ts'
import { newId } from '#server/platform/crypto.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { customerBlocks, customerNotes, users } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { formatNumber } from '#shared/format.ts'
import { toPhoneKey } from '#shared/payments/payment.ts'
import type { Actor } from '#shared/team/roles.ts'

const TEXT_MAX_CHARACTERS = 1000

type CustomerActionInput = { id: string; actor: Actor }
type BlockError = ServiceError<'not_found' | 'invalid_fields' | 'status_changed'>

/** Also blocks orders from other accounts with the email address or phone number of this account. */
export async function blockCustomer(
  { id, reason, actor }: CustomerActionInput & { reason: string },
  ctx: DataContext,
): Promise<Result<null, BlockError>> {
  const { db, clock } = ctx
  if (reason.trim().length > TEXT_MAX_CHARACTERS) return createTooLongError('reason')
  const user = await findUser(id, ctx)
  if (!user) return { ok: false, error: { code: 'not_found' } }
  const block = {
    id: newId(ctx),
    userId: id,
    email: user.email,
    phone: toPhoneKey(user.phone ?? '') || null,
    reason: reason.trim() || null,
    actor: actor.email,
    atMs: clock(),
  }
  return commitUnlessChanged(
    [
      failUnless(notExists(selectBlock(id, ctx)), 'blockChanged', ctx),
      db.insert(customerBlocks).values(block),
    ],
    { actor, action: 'customer.block', subject: id },
    'This customer is already blocked.',
    ctx,
  )
}

export async function unblockCustomer(
  { id, actor }: CustomerActionInput,
  ctx: DataContext,
): Promise<Result<null, BlockError>> {
  const { db } = ctx
  const [user, hash] = await Promise.all([findUser(id, ctx), selectBlockHashKey(ctx).get()])
  if (!user) return { ok: false, error: { code: 'not_found' } }
  const byBlock = await byBlockOf({ id, ...user }, hash?.key)
  const blocks = db.select({ id: customerBlocks.id }).from(customerBlocks).where(byBlock)
  return commitUnlessChanged(
    [failUnless(exists(blocks), 'blockChanged', ctx), db.delete(customerBlocks).where(byBlock)],
    { actor, action: 'customer.unblock', subject: id },
    'This customer isn’t blocked.',
    ctx,
  )
}

export async function addCustomerNote(
  { id, text, actor }: CustomerActionInput & { text: string },
  ctx: DataContext,
): Promise<Result<null, BlockError>> {
  const note = text.trim()
  if (note === '' || note.length > TEXT_MAX_CHARACTERS) return createTooLongError('note')
  const user = await findUser(id, ctx)
  if (!user) return { ok: false, error: { code: 'not_found' } }
  const row = { id: newId(ctx), userId: id, author: actor.email, text: note, atMs: ctx.clock() }
  const audit = { actor, action: 'customer.note', subject: id } as const
  await commitAudited({ statements: [ctx.db.insert(customerNotes).values(row)], audit }, ctx)
  return { ok: true, data: null }
}

async function commitUnlessChanged(
  statements: Parameters<typeof commitAudited>[0]['statements'],
  audit: Parameters<typeof commitAudited>[0]['audit'],
  message: string,
  ctx: DataContext,
): Promise<Result<null, BlockError>> {
  try {
    await commitAudited({ statements, audit }, ctx)
    return { ok: true, data: null }
  } catch (error) {
    if (getGuardViolation(error)?.guard !== 'blockChanged') throw error
    return { ok: false, error: { code: 'status_changed', message } }
  }
}

function findUser(id: string, { db }: DataContext) {
  return db
    .select({ email: users.email, phone: users.phone })
    .from(users)
    .where(and(eq(users.id, id), ne(users.id, DELETED_USER_ID)))
    .get()
}

/** Matches the customer's own block and those of deleted accounts with the same email address or phone number. */
export async function byBlockOf(
  { id, email, phone }: { id: string; email: string; phone: string | null },
  hashKey: string | undefined,
): Promise<SQL | undefined> {
  const texts = await createBlockLookup({ userId: id, emails: [email], phones: [phone] }, hashKey)
  const byDeletedCustomer = and(eq(customerBlocks.userId, DELETED_USER_ID), byBlockedTexts(texts))
  return or(eq(customerBlocks.userId, id), byDeletedCustomer)
}

function selectBlock(userId: string, { db }: DataContext) {
  return db.select({ id: customerBlocks.id }).from(customerBlocks).where(eq(customerBlocks.userId, userId))
}

function createTooLongError(field: 'reason' | 'note'): { ok: false; error: BlockError } {
  const message =
    field === 'note'
      ? `Please enter a note of up to ${formatNumber(TEXT_MAX_CHARACTERS)} characters.`
      : `Reason must be at most ${formatNumber(TEXT_MAX_CHARACTERS)} characters.`
  return { ok: false, error: { code: 'invalid_fields', message } }
}
