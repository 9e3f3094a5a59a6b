import { and, asc, eq, exists, inArray, isNotNull, or, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { failUnless, getGuardViolation } from '#server/platform/db/guards.ts'
import { orders, stockReservations } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { Actor } from '#shared/team/roles.ts'
import { expireOrdersStatements } from './release-order.ts'

const MAX_RESERVATIONS = 50

export type Reservation = Pick<
  typeof orders.$inferSelect,
  'number' | 'firstName' | 'lastName' | 'totalCents' | 'createdAtMs' | 'expiresAtMs' | 'promoCode'
> & { items: { itemId: number; qty: number }[] }

const byUnpaidStatus = and(eq(orders.status, 'awaiting_payment'), eq(orders.paidCents, 0))

export async function listReservations({ db }: OwnerContext): Promise<Reservation[]> {
  const reservation = db
    .select({ id: stockReservations.orderId })
    .from(stockReservations)
    .where(and(eq(stockReservations.orderId, orders.id), eq(stockReservations.state, 'held')))
  const byPromotionUse = and(isNotNull(orders.promoCode), eq(orders.hasPromotionUse, true))
  const byReservation = and(byUnpaidStatus, or(exists(reservation), byPromotionUse))
  const page = db
    .select({ id: orders.id })
    .from(orders)
    .where(byReservation)
    .orderBy(asc(orders.createdAtMs))
    .limit(MAX_RESERVATIONS)
  const [rows, reservations] = await db.batch([
    db.select().from(orders).where(inArray(orders.id, page)).orderBy(asc(orders.createdAtMs)),
    db
      .select()
      .from(stockReservations)
      .where(and(inArray(stockReservations.orderId, page), eq(stockReservations.state, 'held'))),
  ])
  return rows.map((row) => ({ ...row, items: reservations.filter(({ orderId }) => orderId === row.id) }))
}

type ReleaseReservationsInput = { numbers: readonly string[]; actor: Actor }

/**
 * Expires the orders now, at most `MAX_RESERVATIONS`. If one of them has been paid, cancelled or expired, changes none
 * and returns `status_changed`.
 */
export async function releaseReservations(
  { numbers, actor }: ReleaseReservationsInput,
  ctx: DataContext,
): Promise<Result<undefined, ServiceError<'status_changed'>>> {
  const chosenNumbers = [...new Set(numbers)].slice(0, MAX_RESERVATIONS)
  const byChosenOrder = and(byUnpaidStatus, inArray(orders.number, chosenNumbers))
  const unpaid = sql`(select count(*) from ${orders} where ${byChosenOrder})`
  const audit = chosenNumbers.map(
    (subject) =>
      ({ actor, action: 'order.release', subject, from: 'awaiting_payment', to: 'expired' }) as const,
  )
  const statements = [
    failUnless(sql`${unpaid} = ${chosenNumbers.length}`, 'orderChanged', ctx),
    ...expireOrdersStatements(byChosenOrder, ctx),
  ] as const
  try {
    await commitAudited({ statements, audit }, ctx)
    return { ok: true, data: undefined }
  } catch (error) {
    if (getGuardViolation(error)?.guard !== 'orderChanged') throw error
    return { ok: false, error: { code: 'status_changed' } }
  }
}
