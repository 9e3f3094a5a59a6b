import { asc, desc, eq } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { promotions } from '#server/platform/db/schema.ts'
import type { PromotionRow } from './promotions.ts'

const MAX_PROMOTIONS = 100

export function listPromotions({ db }: OwnerContext): Promise<PromotionRow[]> {
  return db
    .select()
    .from(promotions)
    .orderBy(desc(promotions.createdAtMs), asc(promotions.code))
    .limit(MAX_PROMOTIONS)
}

export function readPromotion(code: string, { db }: DataContext): Promise<PromotionRow | undefined> {
  return db.select().from(promotions).where(eq(promotions.code, code)).get()
}
