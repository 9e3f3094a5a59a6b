import { and, eq, inArray, type SQLWrapper, sql } from 'drizzle-orm'
import { getReturnCosts } from '#server/content/default-texts.ts'
import type { ServiceContext } from '#server/context.ts'
import { formatPaidAmount } from '#server/payments/payment-attempts.ts'
import { findSettledPayment, listSettledPayments } from '#server/payments/refunds.ts'
import { type Credential, createSessionQuery } from '#server/platform/auth/sessions.ts'
import { verifyOrderKey } from '#server/platform/auth/signed-link.ts'
import type { Database } from '#server/platform/db/client.ts'
import { orderEvents, orders } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { calculateLatestDeliveryMs } from '#shared/checkout/delivery.ts'
import type { Order, OrderView } from '#shared/orders/contract.ts'
import { getVisibleFields, type VisibleFields } from '#shared/orders/fields.ts'
import { listStatusesBefore, type OrderStatus } from '#shared/orders/order-status.ts'
import { isFullyRefunded, listBalanceLines, listPaymentLines } from '#shared/orders/payment-status.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { formatUnbrokenPhone } from '#shared/payments/payment.ts'
import { shop } from '#shared/shop.ts'
import { DAY_MS, formatDateTime, formatDayAndMonth, formatLongDate, formatTimeOfDay } from '#shared/time.ts'
import { ORDER_NOT_FOUND } from './find-own-order.ts'
import { type OrderRecord, selectOrderRecord, toOrderRecord } from './order-record.ts'
import { type OrderReturn, selectReturns, toReturns } from './order-returns.ts'
import { redactForLinkHolder, toOrderAndPayment } from './payment-state.ts'
import { checkClaimedAttempt, claimDueAttemptStatement } from './query-payment.ts'
import { toReturnPlace } from './return-steps.ts'
import { createReturnsView, type ReturnShopData } from './returns-view.ts'
import type { OrderEvent } from './status-emails.ts'

export type VisibleOrder = {
  number: string
  credential: Credential | null
  /** The signature of an order link. Empty if the URL has none. */
  key: string
}

type FoundOrder = {
  record: OrderRecord
  events: readonly OrderEvent[]
  returns: readonly OrderReturn[]
  isOwner: boolean
}
type ClaimedOrder = FoundOrder & { claimed: { id: string } | undefined }

/**
 * Finds an order for its owner or a holder of its signed link. The response time doesn't reveal to others whether the
 * order exists.
 */
export async function findVisibleOrder(
  orderRef: VisibleOrder,
  ctx: ServiceContext,
): Promise<Result<FoundOrder, ServiceError<'not_found'>>> {
  return findOrder({ ...orderRef, claimsCheck: false }, ctx)
}

/** With `claimsCheck`, also claims a due check of one of the order's payments. The caller must then run this check. */
async function findOrder(
  { number, credential, key, claimsCheck }: VisibleOrder & { claimsCheck: boolean },
  ctx: ServiceContext,
): Promise<Result<ClaimedOrder, ServiceError<'not_found'>>> {
  const { db } = ctx
  const orderNumber = number.toUpperCase()
  const hasKey = await verifyOrderKey(key, orderNumber, ctx)
  if (!credential && !hasKey) return ORDER_NOT_FOUND
  const session = await createSessionQuery(credential, ctx)
  const byOwner = hasKey ? undefined : eq(orders.userId, session.userId)
  const byOrder = and(eq(orders.number, orderNumber), byOwner)
  const id = db.select({ id: orders.id }).from(orders).where(byOrder)
  const [sessionRows, events, returns, returnedLines, [claimed], ...rows] = await db.batch([
    session.select,
    selectEvents(db, id),
    ...selectReturns(db, id),
    claimDueAttemptStatement(claimsCheck ? byOrder : sql`0`, ctx),
    ...selectOrderRecord(db, byOrder),
  ])
  const record = toOrderRecord(rows)
  if (!record) return ORDER_NOT_FOUND
  const isOwner = record.row.userId === session.readLiveSession(sessionRows)?.user.id
  return {
    ok: true,
    data: { record, events, returns: toReturns(returns, returnedLines), isOwner, claimed },
  }
}

function selectEvents(db: Database, orderIds: SQLWrapper) {
  return db.select().from(orderEvents).where(inArray(orderEvents.orderId, orderIds))
}

export async function viewOrder(
  { origin, ...orderRef }: VisibleOrder & { origin: string },
  ctx: ServiceContext,
): Promise<Result<OrderView, ServiceError<'not_found'>>> {
  const found = await findOrder({ ...orderRef, claimsCheck: true }, ctx)
  if (!found.ok) return found
  const record = await checkClaimedAttempt({ ...found.data, origin }, ctx)
  // Without the catalogue, the exchange form offers no sizes, but the shopper can still send it.
  const catalogue = record.row.status === 'delivered' ? await ctx.catalogue.load().catch(() => []) : []
  const { pages, deliveryTime } = await ctx.content.load()
  const place = toReturnPlace(ctx.delivery.pickup, pages)
  const getCosts: ReturnShopData['getCosts'] = (reason) => getReturnCosts(pages, reason)
  return {
    ok: true,
    data: toOrderView(
      { ...found.data, record },
      { catalogue, place, getCosts, delivery: ctx.delivery, deliveryTime },
      ctx,
    ),
  }
}

function toOrderView(
  { record, events, returns, isOwner }: FoundOrder,
  { deliveryTime, ...shopData }: ReturnShopData & { deliveryTime: string | undefined },
  ctx: ServiceContext,
): OrderView {
  const { row } = record
  const state = toOrderAndPayment(record, ctx)
  const { order, payment } = isOwner ? state : redactForLinkHolder(state)
  const fields = getVisibleFields(row, isOwner ? 'orderPage' : 'orderLink')
  const steps = toOrderSteps(record, events)
  const isCancellable = listStatusesBefore('cancelByShopper', 'cancelled').includes(row.status)
  return {
    order,
    payment,
    isOwner,
    isCancellable: isOwner && isCancellable,
    placedOn: formatLongDate(row.createdAtMs),
    address: row.pickup === null ? formatAddressLines(fields, order, payment) : [row.pickup],
    extras: fields.extras,
    payments: listPayments(record, order),
    reservedUntil: payment.expiresInMs === null ? null : formatDeadline(payment.expiresInMs, ctx.clock()),
    expectedBy: formatLatestDelivery(deliveryTime, order, { steps, nowMs: ctx.clock() }),
    ...createReturnsView(record, events, returns, { ...shopData, nowMs: ctx.clock() }),
    steps,
  }
}

/** Counts from the day on which the order was sent or, until then, placed. Null if that day has passed. */
function formatLatestDelivery(
  time: string | undefined,
  { status, pickup }: Pick<Order, 'status' | 'pickup'>,
  { steps, nowMs }: Pick<OrderView, 'steps'> & { nowMs: number },
): string | null {
  const isExpected = pickup === null && ['placed', 'packed', 'shipped'].includes(status)
  const findTime = (step: OrderStatus) => steps.find((reached) => reached.status === step)?.atMs
  const fromMs = findTime('shipped') ?? findTime('placed')
  if (!time || !isExpected || !fromMs) return null
  const untilMs = calculateLatestDeliveryMs(time, fromMs)
  return untilMs === undefined || untilMs < nowMs ? null : formatDayAndMonth(untilMs)
}

/** Several payments, such as an order's and the difference of an exchange, are listed one by one. */
function listPayments({ payments, refunds }: OrderRecord, order: Order): string[] {
  const settled = listSettledPayments(payments, refunds)
  return settled.length > 1
    ? [...settled.map(formatPaidAmount), ...listBalanceLines(order.balance)]
    : listPaymentLines(order)
}

function formatAddressLines(
  { name, address, phone }: VisibleFields,
  { status, balance }: Order,
  payment: PaymentState,
): string[] {
  const isFinal = status === 'delivered' || status === 'cancelled' || status === 'expired'
  const calledPhone = isFinal || isFullyRefunded(balance) ? '' : phone || payment.phone
  const phoneLine = calledPhone ? `The rider will call ${formatUnbrokenPhone(calledPhone)}.` : phone
  return [name, ...address, phoneLine].filter(Boolean)
}

/** Returns a time such as `00:36`, with the date if it is later than a day from now. */
function formatDeadline(inMs: number, nowMs: number): string {
  return inMs < DAY_MS ? formatTimeOfDay(nowMs + inMs) : formatDateTime(nowMs + inMs)
}

function toOrderSteps(
  { row, payments, refunds }: OrderRecord,
  events: readonly OrderEvent[],
): OrderView['steps'] {
  const { status, isCashOnDelivery } = row
  const payment = findSettledPayment(payments, refunds)
  const wasPlaced = payment !== undefined || isCashOnDelivery
  if (!wasPlaced || status === 'awaiting_payment' || status === 'expired') return []
  const placedAtMs = (isCashOnDelivery ? null : payment?.endedAtMs) ?? row.createdAtMs
  const findEvent = (step: OrderEvent['status']) => events.find((event) => event.status === step)
  const isReady = status === 'ready' || findEvent('ready') !== undefined
  const isPickup = isReady || (row.pickup !== null && !findEvent('shipped'))
  const all: OrderStatus[] = ['placed', 'packed', isPickup ? 'ready' : 'shipped', 'delivered']
  const reached = all.filter((step) => step === 'placed' || findEvent(step))
  const visible: OrderStatus[] = status === 'cancelled' ? [...reached, 'cancelled'] : all
  const last = visible.indexOf(status)
  // Creating the formatter at module level would slow down the Worker's start.
  const dateTime = new Intl.DateTimeFormat(shop.locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: shop.timeZone,
  })
  return visible.map((step, index) => {
    const event = index <= last ? findEvent(step) : undefined
    const atMs = step === 'placed' ? placedAtMs : (event?.atMs ?? null)
    const { note = null, trackingUrl = null } = event ?? {}
    return {
      status: step,
      at: atMs === null ? null : dateTime.format(atMs),
      atMs,
      note,
      trackingAddress: trackingUrl,
    }
  })
}
