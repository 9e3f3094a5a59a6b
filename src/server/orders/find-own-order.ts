import { and, eq, type SQL } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { type Credential, createSessionQuery, UNAUTHORIZED } from '#server/platform/auth/sessions.ts'
import { verifyOrderKey } from '#server/platform/auth/signed-link.ts'
import { orders } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { type OrderRecord, selectOrderRecord, toOrderRecord } from './order-record.ts'

export type OwnOrder = {
  credential: Credential | null
  number: string
  /** The signature of an order link, which opens the order without logging in. */
  key?: string
}

export const ORDER_NOT_FOUND = { ok: false, error: { code: 'not_found' } } as const

export async function findOwnOrder(
  { credential, number, key }: OwnOrder,
  ctx: ServiceContext,
): Promise<Result<OrderRecord, ServiceError<'unauthorized' | 'not_found'>>> {
  const orderNumber = number.toUpperCase()
  if (key && (await verifyOrderKey(key, orderNumber, ctx))) {
    const rows = await ctx.db.batch(selectOrderRecord(ctx.db, eq(orders.number, orderNumber)))
    const record = toOrderRecord(rows)
    return record ? { ok: true, data: record } : ORDER_NOT_FOUND
  }
  if (!credential) return key === undefined ? UNAUTHORIZED : ORDER_NOT_FOUND
  const session = await createSessionQuery(credential, ctx)
  const [sessionRows, ...rows] = await ctx.db.batch([
    session.select,
    ...selectOrderRecord(ctx.db, byOwnOrder(session.userId, number)),
  ])
  if (!session.readLiveSession(sessionRows)) return UNAUTHORIZED
  const record = toOrderRecord(rows)
  return record ? { ok: true, data: record } : ORDER_NOT_FOUND
}

export function byOwnOrder(userId: SQL, number: string): SQL | undefined {
  return and(eq(orders.userId, userId), eq(orders.number, number.toUpperCase()))
}
