import { and, eq } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { byPlainBlock, hashBlockedText, selectBlockHashKey } from '#server/orders/blocked-customers.ts'
import { newId } from '#server/platform/crypto.ts'
import { blockHashKeys, customerBlocks } from '#server/platform/db/schema.ts'
import { DELETED_USER_ID } from './personal-data.ts'

/** Selects the blocks of deleted accounts that still contain the email address and phone number. */
export function selectErasedBlocks({ db }: DataContext) {
  return db
    .select({ id: customerBlocks.id, email: customerBlocks.email, phone: customerBlocks.phone })
    .from(customerBlocks)
    .where(and(eq(customerBlocks.userId, DELETED_USER_ID), byPlainBlock))
}

/** Replaces the email addresses and phone numbers with hashes. If this fails, the next housekeeping run retries. */
export async function hashErasedBlocks(
  blocks: Awaited<ReturnType<typeof selectErasedBlocks>>,
  ctx: DataContext,
): Promise<void> {
  if (blocks.length === 0) return
  const { db } = ctx
  const [, [stored]] = await db.batch([
    db
      .insert(blockHashKeys)
      .values({ id: 1, key: newId(ctx) })
      .onConflictDoNothing(),
    selectBlockHashKey(ctx),
  ])
  if (!stored) throw new Error('The key for hashing blocks is missing right after it was inserted.')
  for (const { id, email, phone } of blocks) {
    const hashes = {
      email: await hashBlockedText(email, stored.key),
      phone: phone && (await hashBlockedText(phone, stored.key)),
    }
    // Concurrent runs must not hash twice.
    await db
      .update(customerBlocks)
      .set(hashes)
      .where(and(eq(customerBlocks.id, id), byPlainBlock))
  }
}
