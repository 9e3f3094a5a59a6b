import { eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { blockHashKeys, customerBlocks } from '#server/platform/db/schema.ts'
import { toEmailIdentity } from '#shared/accounts/auth-forms.ts'
import { toPhoneKey } from '#shared/payments/payment.ts'

type Buyer = {
  userId: string
  /** The email addresses of the order and of the account, which can differ. */
  emails: readonly string[]
  phones: readonly (string | null | undefined)[]
}

/** What a block can match: the account and the plain texts or, once a blocked account is deleted, their hashes. */
export type BlockLookup = { userId: string; emails: readonly string[]; phones: readonly string[] }

/** Selects nothing until a blocked account is deleted. */
export function selectBlockHashKey({ db }: DataContext) {
  return db.select({ key: blockHashKeys.key }).from(blockHashKeys)
}

/** `hashKey` is from `selectBlockHashKey`. */
export async function createBlockLookup(
  { userId, emails, phones }: Buyer,
  hashKey: string | undefined,
): Promise<BlockLookup> {
  const withHashes = async (texts: readonly string[]) => {
    const unique = [...new Set(texts)].filter(Boolean)
    if (hashKey === undefined) return unique
    return [...unique, ...(await Promise.all(unique.map((text) => hashBlockedText(text, hashKey))))]
  }
  return {
    userId,
    emails: await withHashes(emails.map(toEmailIdentity)),
    phones: await withHashes(phones.map((phone) => toPhoneKey(phone ?? ''))),
  }
}

const HASH_PREFIX = 'hash '

/** Plain email addresses and phone numbers never start with the prefix. */
export async function hashBlockedText(text: string, hashKey: string): Promise<string> {
  return HASH_PREFIX + (await sha256Hex(JSON.stringify([hashKey, text])))
}

export const byPlainBlock = sql`${customerBlocks.email} not like ${`${HASH_PREFIX}%`}`

export function byBlockedBuyer(buyer: BlockLookup): SQL {
  return sql`exists (select 1 from ${customerBlocks} where ${byBuyer(buyer)})`
}

export function selectBlocks(buyer: BlockLookup, { db }: DataContext) {
  return db.select({ id: customerBlocks.id }).from(customerBlocks).where(byBuyer(buyer)).limit(1)
}

function byBuyer({ userId, ...texts }: BlockLookup): SQL | undefined {
  return or(eq(customerBlocks.userId, userId), byBlockedTexts(texts))
}

/** Passes the texts as JSON because D1 allows only 100 bound parameters per statement. */
export function byBlockedTexts({ emails, phones }: Pick<BlockLookup, 'emails' | 'phones'>): SQL | undefined {
  const values = (texts: readonly string[]) => sql`(select value from json_each(${JSON.stringify(texts)}))`
  return or(inArray(customerBlocks.email, values(emails)), inArray(customerBlocks.phone, values(phones)))
}
