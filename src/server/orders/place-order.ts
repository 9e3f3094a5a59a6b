import { and, count, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import type { ResolvedLine } from '#server/catalogue/resolve-lines.ts'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { Client } from '#server/platform/auth/client.ts'
import { type Credential, createSessionQuery, UNAUTHORIZED } from '#server/platform/auth/sessions.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { orders, promotions, users } from '#server/platform/db/schema.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { PromotionRow } from '#server/promotions/promotions.ts'
import { createOutOfStockError, selectUnitsLeft, type UnitsLeftRow } from '#server/stock/availability.ts'
import {
  hashReservationSources,
  mustReleaseEarlierOrders,
  selectOwnReservations,
} from '#server/stock/reservation-limits.ts'
import { VAT_PERCENT } from '#shared/checkout/fees.ts'
import { kshToCents } from '#shared/format.ts'
import type { Order, OrderRequest } from '#shared/orders/contract.ts'
import { getStoredOrderFields } from '#shared/orders/fields.ts'
import { getPaymentMethod, type PaymentState } from '#shared/payments/contract.ts'
import { normaliseMobile } from '#shared/payments/payment.ts'
import { hasFlow } from '#shared/payments/providers.ts'
import { DAY_MS } from '#shared/time.ts'
import { createBlockLookup, selectBlockHashKey } from './blocked-customers.ts'
import { type InsertOrderError, insertOrder } from './insert-order.ts'
import { getPromptPhone } from './new-payment-attempt.ts'
import { byIdempotencyKey, type OrderRecord, selectOrderRecord, toOrderRecord } from './order-record.ts'
import {
  findAmountError,
  findCashOnDeliveryError,
  findMethodError,
  type PayOrderError,
  payOrder,
} from './pay-order.ts'
import { toOrderAndPayment } from './payment-state.ts'
import {
  createPromotionRefusedError,
  type PricedOrder,
  type PriceOrderError,
  priceOrder,
} from './price-order.ts'
import { startPayment } from './start-payment.ts'

/** `isReplay` is true if an earlier request with the same key created the order. */
type PlacedOrder = { order: Order; payment: PaymentState; isPaid: boolean; isReplay: boolean }
type PlaceOrderError =
  | PriceOrderError
  | PayOrderError
  | ServiceError<'key_reused' | 'unauthorized' | 'out_of_stock' | 'order_refused'>

type PlaceOrderInput = {
  credential: Credential | null
  key: string
  request: OrderRequest
  origin: string
  client: Client
}

/** The number of orders per account and day whose emails may go to an address other than the account's. */
const THIRD_PARTY_EMAIL_LIMIT = { orders: 3, withinMs: DAY_MS } as const

/** Places at most one order per user and key, so a failed request can be retried with the same key. */
export async function placeOrder(
  input: PlaceOrderInput,
  ctx: ServiceContext,
): Promise<Result<PlacedOrder, PlaceOrderError>> {
  const { credential, key, request, origin, client } = input
  if (!credential) return UNAUTHORIZED
  const requestHash = await hashOrderRequest(request)

  const session = await createSessionQuery(credential, ctx)
  const { userId } = session
  const productIds = request.lines.map(({ id }) => id)
  const [sessionRows, [promotion], [thirdPartyEmails], [reserved], [hash], unitsLeft, ...earlierRows] =
    await ctx.db.batch([
      session.select,
      ctx.db
        .select()
        .from(promotions)
        .where(eq(promotions.code, request.promoCode ?? '')),
      countThirdPartyEmails(userId, ctx),
      selectOwnReservations(userId, ctx),
      selectBlockHashKey(ctx),
      selectUnitsLeft(productIds, userId, ctx),
      ...selectOrderRecord(ctx.db, byIdempotencyKey(userId, key)),
    ])
  const user = session.readLiveSession(sessionRows)?.user
  if (!user) return UNAUTHORIZED
  const earlier = toOrderRecord(earlierRows)
  if (earlier) return replayOrder({ record: earlier, requestHash, request, origin }, ctx)

  const priced = await priceAndCheckOrder({ request, promotion, unitsLeft, client }, ctx)
  if (!priced.ok) return priced
  const { lines } = priced.data

  const isOverLimit = (thirdPartyEmails?.n ?? 0) >= THIRD_PARTY_EMAIL_LIMIT.orders
  const confirmationEmail = isOverLimit ? user.email : null
  const row = { ...toOrderRow({ ...input, userId: user.id }, requestHash, priced.data), confirmationEmail }
  const inserted = await insertOrder(
    {
      row,
      lines: lines.map(toLineRow),
      buyer: await createBlockLookup(
        { userId: user.id, emails: [row.email, user.email], phones: [row.phone] },
        hash?.key,
      ),
      paymentDetails: request.payment,
      reservationSources: await hashReservationSources(
        { userId: user.id, client, phone: getPayerPhone(request) },
        ctx,
      ),
      releasesEarlierOrders: reserved !== undefined && mustReleaseEarlierOrders(reserved, countUnits(lines)),
    },
    ctx,
  )
  if (!inserted.ok) {
    const { error } = inserted
    return error.code === 'key_taken'
      ? replayOrder({ record: error.record, requestHash, request, origin }, ctx)
      : { ok: false, error: toPlaceOrderError(error, priced.data, ctx) }
  }

  const [payment] = inserted.data.record.payments
  if (!payment) throw new Error('The payment attempt is missing right after it was inserted.')
  const started = await startPayment({ ...inserted.data, payment, origin }, ctx)
  return started.ok ? { ok: true, data: { ...started.data, isReplay: false } } : started
}

type PriceAndCheckInput = Pick<PlaceOrderInput, 'request' | 'client'> & {
  promotion: PromotionRow | undefined
  unitsLeft: readonly UnitsLeftRow[]
}

async function priceAndCheckOrder(
  { request, promotion, unitsLeft, client }: PriceAndCheckInput,
  ctx: ServiceContext,
): Promise<Result<PricedOrder, PlaceOrderError>> {
  const { payment, promoCode, billing } = request
  if (promoCode && !(await ctx.limits.attempts(`order with a promo code from ${client.ipAddress}`)))
    return { ok: false, error: tooManyRequestsError }
  const methodError = findMethodError(payment, ctx)
  if (methodError) return { ok: false, error: methodError }
  const priced = await priceOrder({ request, promotion }, ctx)
  if (!priced.ok) return priced
  const { lines, totals, deliveryQuote } = priced.data
  const cashOrder = { pickup: deliveryQuote.pickup, county: billing.state, totalCents: totals.totalCents }
  const error =
    findAmountError(payment, totals.totalCents) ??
    findCashOnDeliveryError(payment, cashOrder, ctx) ??
    createOutOfStockError(lines.map(toStockLine), unitsLeft)
  return error ? { ok: false, error } : priced
}

function toPlaceOrderError(
  error: Exclude<InsertOrderError, { code: 'key_taken' }>,
  priced: PricedOrder,
  ctx: ServiceContext,
): PlaceOrderError {
  switch (error.code) {
    case 'promotion_exhausted':
    case 'promotion_used':
      return createPromotionRefusedError(priced, error, ctx)
    case 'customer_blocked':
      return { code: 'order_refused' }
    case 'too_many_requests': {
      const { unitsLeft, ...limit } = error
      return createOutOfStockError(priced.lines.map(toStockLine), unitsLeft) ?? limit
    }
  }
}

function getPayerPhone({ payment, billing: { phone } }: OrderRequest): string | null {
  const isPayOnDelivery = hasFlow(getPaymentMethod(payment), 'on-delivery')
  return getPromptPhone(payment) ?? (isPayOnDelivery && phone ? (normaliseMobile(phone) ?? phone) : null)
}

function countThirdPartyEmails(userId: SQL, { db, clock }: DataContext) {
  const own = db.select({ email: users.email }).from(users).where(eq(users.id, userId))
  return db
    .select({ n: count() })
    .from(orders)
    .where(
      and(
        eq(orders.userId, userId),
        gt(orders.createdAtMs, clock() - THIRD_PARTY_EMAIL_LIMIT.withinMs),
        isNull(orders.confirmationEmail),
        sql`lower(${orders.email}) <> (${own})`,
      ),
    )
}

type ReplayInput = { record: OrderRecord; requestHash: string; request: OrderRequest; origin: string }

async function replayOrder(
  { record, requestHash, request, origin }: ReplayInput,
  ctx: ServiceContext,
): Promise<Result<PlacedOrder, PlaceOrderError>> {
  if (record.row.requestHash !== requestHash)
    return { ok: false, error: { code: 'key_reused', details: toOrderAndPayment(record, ctx) } }
  const paid = await payOrder(
    { record, paymentDetails: request.payment, origin, isByOwner: true, isRetry: true },
    ctx,
  )
  return paid.ok ? { ok: true, data: { ...paid.data, isReplay: true } } : paid
}

export type WithoutPayment<Request> = Omit<Request, 'payment'>

export function toOrderRow(
  { userId, key, request }: { userId: string; key: string; request: WithoutPayment<OrderRequest> },
  requestHash: string,
  { totals: { roundingCents: _, ...totals }, deliveryQuote }: PricedOrder,
) {
  const { billing, promoCode = null } = request
  return {
    ...getStoredOrderFields(billing),
    ...totals,
    vatPercent: VAT_PERCENT,
    deliveryZone: deliveryQuote.deliveryZone,
    pickup: deliveryQuote.pickup,
    userId,
    idempotencyKey: key,
    requestHash,
    promoCode,
  }
}

function countUnits(lines: readonly ResolvedLine[]): number {
  return lines.reduce((sum, { qty }) => sum + qty, 0)
}

export function toStockLine({ id, product, size, qty }: ResolvedLine) {
  return { id, title: product.title, size, qty }
}

export function toLineRow({ id, product, size, price, qty }: ResolvedLine) {
  const { title, image } = product
  return { productId: id, title, size: size ?? null, image, unitPriceCents: kshToCents(price), qty }
}

/** Excludes the payment, because a shopper who got no response may retry with another method. */
export function hashOrderRequest({
  lines,
  billing,
  promoCode,
  deliveryMethod,
}: WithoutPayment<OrderRequest>): Promise<string> {
  const sorted = lines.toSorted((a, b) => a.id - b.id).map(({ id, qty }) => [id, qty])
  // Empty fields are excluded, so that a field added later doesn't change the hash of existing orders.
  const filledFields = Object.entries(billing)
    .filter(([, text]) => text)
    .toSorted()
  const pickup = deliveryMethod === 'pickup' ? [deliveryMethod] : []
  return sha256Hex(JSON.stringify([sorted, promoCode ?? null, filledFields, ...pickup]))
}
