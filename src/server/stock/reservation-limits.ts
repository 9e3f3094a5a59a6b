import { and, eq, inArray, isNotNull, ne, or, type SQL, sql } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { createSignature } from '#server/platform/auth/signed-link.ts'
import {
  orderLines,
  orders,
  reservationSources,
  stock,
  stockReservations,
} from '#server/platform/db/schema.ts'
import { PAID_STATUSES } from '#shared/orders/order-status.ts'

/** Limits the reservations of unpaid orders. An order above the limit is accepted but reserves nothing. */
type ReservationLimit = { units: number; orders: number }
/**
 * Applies per account, device, phone and network until the account has a paid order. From then on, only
 * `KNOWN_CUSTOMER_LIMIT` applies, per account.
 */
export const NEW_CUSTOMER_LIMIT: ReservationLimit = { units: 10, orders: 2 }
export const KNOWN_CUSTOMER_LIMIT: ReservationLimit = { units: 100, orders: 10 }

const SIGNATURE_PURPOSE = 'reservation source'
const UNKNOWN_IP_ADDRESS = 'local'

type ReservationSourceInput = { userId: string; client: Client; phone: string | null }

/** The hashes are keyed, because plain hashes of phone numbers and networks could be reversed by guessing. */
export function hashReservationSources(
  { userId, client: { device, ipAddress, network }, phone }: ReservationSourceInput,
  ctx: ServiceContext,
): Promise<string[]> {
  const sources = [
    `account ${userId}`,
    ...(device ? [`device ${device.id}`] : []),
    ...(phone ? [`phone ${phone}`] : []),
    ...(ipAddress === UNKNOWN_IP_ADDRESS ? [] : [`network ${network}`]),
  ]
  return Promise.all(sources.map((source) => createSignature(SIGNATURE_PURPOSE, source, ctx)))
}

/** Stores nothing for known customers, who are limited by account only. */
export function insertReservationSourcesStatement(
  { id, userId }: { id: string; userId: string },
  sources: readonly string[],
  { db }: DataContext,
) {
  const values = sql`select ${orders.id}, source.value from ${orders} join json_each(${JSON.stringify(sources)}) source
    where ${orders.id} = ${id} and not ${byKnownCustomer(userId)}`
  return db.insert(reservationSources).select(values)
}

function byKnownCustomer(userId: string | SQL): SQL {
  const byPaidOrder = and(
    eq(orders.userId, userId),
    inArray(orders.status, [...PAID_STATUSES]),
    isNotNull(orders.firstPaidAtMs),
  )
  return sql`exists (select 1 from ${orders} where ${byPaidOrder})`
}

export function selectOwnReservations(userId: string | SQL, { db }: DataContext) {
  return db
    .select({
      isKnown: sql<number>`${byKnownCustomer(userId)}`.as('is_known'),
      units: sql<number>`${sumOwnUnits(userId)}`.as('units'),
      orders: sql<number>`${countOwnOrders(userId)}`.as('orders'),
    })
    .from(sql`(select 1)`)
}

/**
 * Returns true if an order can reserve this many units only after the customer's earlier unpaid orders have released
 * theirs.
 */
export function mustReleaseEarlierOrders(
  { isKnown, ...reserved }: { isKnown: number; units: number; orders: number },
  units: number,
): boolean {
  const limit = isKnown ? KNOWN_CUSTOMER_LIMIT : NEW_CUSTOMER_LIMIT
  return units <= limit.units && (reserved.orders >= limit.orders || reserved.units + units > limit.units)
}

/**
 * Matches if the order may reserve its units and promo code. Must follow the statements that insert its lines and
 * sources.
 */
export function byReservationLimit({ id, userId }: { id: string; userId: string }): SQL {
  const units = sql`(select coalesce(sum(${orderLines.qty}), 0) from ${orderLines} join ${stock} on ${stock.itemId} = ${orderLines.productId} where ${orderLines.orderId} = ${id})`
  const fromSources = sql`from ${reservationSources} same cross join ${orders} on ${orders.id} = same.order_id`
  const byOtherOrder = sql`same.source = mine.source and same.order_id <> ${id}`
  const sourceOrders = sql`(select count(*) ${fromSources} where ${byOtherOrder} and ${byReservation})`
  const sourceUnits = sql`(select coalesce(sum(${stockReservations.qty}), 0) ${fromSources} cross join ${stockReservations} on ${stockReservations.orderId} = ${orders.id} where ${byOtherOrder} and ${eq(stockReservations.state, 'held')})`
  const byExceededLimit = (
    { units: most, orders: mostOrders }: ReservationLimit,
    counted: SQL,
    countedUnits: SQL,
  ) => sql`(${counted} >= ${mostOrders} or ${countedUnits} + ${units} > ${most})`
  const byExceededSourceLimit = sql`exists (select 1 from ${reservationSources} mine where mine.order_id = ${id} and ${byExceededLimit(NEW_CUSTOMER_LIMIT, sourceOrders, sourceUnits)})`
  return sql`(not ${byExceededSourceLimit} and not ${byExceededLimit(KNOWN_CUSTOMER_LIMIT, countOwnOrders(userId, id), sumOwnUnits(userId, id))})`
}

const byReservedUnits = sql`exists (select 1 from ${stockReservations} where ${stockReservations.orderId} = ${orders.id} and ${eq(stockReservations.state, 'held')})`
const byReservation = and(
  eq(orders.status, 'awaiting_payment'),
  or(byReservedUnits, and(isNotNull(orders.promoCode), eq(orders.hasPromotionUse, true))),
)

function countOwnOrders(userId: string | SQL, exceptId = ''): SQL {
  return sql`(select count(*) from ${orders} where ${and(eq(orders.userId, userId), ne(orders.id, exceptId), byReservation)})`
}

function sumOwnUnits(userId: string | SQL, exceptId = ''): SQL {
  const byOwnOrder = and(
    eq(orders.userId, userId),
    eq(orders.status, 'awaiting_payment'),
    ne(orders.id, exceptId),
    eq(stockReservations.state, 'held'),
  )
  return sql`(select coalesce(sum(${stockReservations.qty}), 0) from ${orders} cross join ${stockReservations} on ${stockReservations.orderId} = ${orders.id} where ${byOwnOrder})`
}
