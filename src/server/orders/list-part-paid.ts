import { asc, sql } from 'drizzle-orm'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { orders } from '#server/platform/db/schema.ts'
import { byPartPayment } from './amount-due.ts'

const MAX_ORDERS = 50

/** `isReserved` is false after the order's reservations have expired. */
export function listPartPaidOrders({ db }: OwnerContext) {
  const netPaidCents = sql<number>`${orders.paidCents} - ${orders.refundCents}`
  return db
    .select({
      number: orders.number,
      firstName: orders.firstName,
      lastName: orders.lastName,
      createdAtMs: orders.createdAtMs,
      netPaidCents,
      dueCents: sql<number>`${orders.totalCents} - (${netPaidCents})`,
      isReserved: sql<number>`${orders.expiresAtMs} is not null`.mapWith(Boolean),
    })
    .from(orders)
    .where(byPartPayment)
    .orderBy(asc(orders.createdAtMs))
    .limit(MAX_ORDERS)
}

export type PartPaidOrder = Awaited<ReturnType<typeof listPartPaidOrders>>[number]
