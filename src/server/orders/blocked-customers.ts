import { type SQL, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { customerBlocks } from '#server/platform/db/schema.ts'
import { toPhoneKey } from '#shared/payments/payment.ts'

type Buyer = { userId: string; email: string; phone?: string | null | undefined }

export function byBlockedBuyer(buyer: Buyer): SQL {
  return sql`exists (select 1 from ${customerBlocks} where ${byBuyer(buyer)})`
}

export function selectBlocks(buyer: Buyer, { db }: DataContext) {
  return db.select({ id: customerBlocks.id }).from(customerBlocks).where(byBuyer(buyer)).limit(1)
}

function byBuyer({ userId, email, phone }: Buyer): SQL {
  const { userId: account, email: blockedEmail, phone: blockedPhone } = customerBlocks
  const key = toPhoneKey(phone ?? '')
  const orPhone = key === '' ? sql`` : sql` or ${blockedPhone} = ${key}`
  return sql`(${account} = ${userId} or ${blockedEmail} = ${email.trim().toLowerCase()}${orPhone})`
}
