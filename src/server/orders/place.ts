import { and, count, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import type { SoldLine } from '#server/catalogue/sold-lines.ts'
import type { DataContext, ServiceContext } from '#server/context.ts'
import { authenticate, type Credential } from '#server/platform/auth/sessions.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { orders, promotions, users } from '#server/platform/db/schema.ts'
import { tooManyRequests } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { outOfStock, readLeft } from '#server/stock/availability.ts'
import { centsOf, VAT_PERCENT } from '#shared/checkout/pricing.ts'
import type { Order, OrderRequest } from '#shared/orders/contract.ts'
import { storedOrderFields } from '#shared/orders/fields.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { recordOrder } from './insert.ts'
import { isUnderKey, type OrderRecord, orderRecordOf, readOrderRecord } from './order-record.ts'
import { type PayError, payOrder, requireOffered } from './pay.ts'
import { orderAndPayment } from './payment-state.ts'
import { type PricedOrder, type PriceError, priceOrder, promotionRefused } from './price.ts'
import { begin } from './start-payment.ts'

/** `isReplay`: a request before this one placed the order. `isPaid` is false while its payment is awaited. */
type PlacedOrder = { order: Order; payment: PaymentState; isPaid: boolean; isReplay: boolean }
type PlaceError = PriceError | PayError | ServiceError<'key_reused' | 'unauthorized' | 'out_of_stock'>

type PlaceInput = {
  /** Whose order it is. */
  credential: Credential | null
  /** The request's idempotency key. */
  key: string
  request: OrderRequest
  /** The shop's public origin, for links in mails. */
  origin: string
}

/** How many orders a day have their mails sent to an address beside the account's own; the others' go to the account. */
const FOREIGN_MAILS = { orders: 3, withinMs: 24 * 3_600_000 } as const

type ReadInput = { userId: SQL; key: string; request: OrderRequest }

/**
 * The statements whose answers an order starts from: any order under its key, its code, how many orders went to
 * other addresses of late, and what is left of its items. They are read together with the session.
 */
function readsBeforePlacing(
  { userId, key, request: { lines, promoCode = '' } }: ReadInput,
  ctx: DataContext,
) {
  const { db, clock } = ctx
  const code = db.select().from(promotions).where(eq(promotions.code, promoCode))
  const isRecent = gt(orders.createdAtMs, clock() - FOREIGN_MAILS.withinMs)
  const own = db.select({ email: users.email }).from(users).where(eq(users.id, userId))
  const isForeign = sql`lower(${orders.email}) <> (${own})`
  const foreign = db
    .select({ n: count() })
    .from(orders)
    .where(and(eq(orders.userId, userId), isRecent, isNull(orders.confirmationEmail), isForeign))
  const left = readLeft(
    lines.map(({ id }) => id),
    userId,
    ctx,
  )
  return [...readOrderRecord(db, isUnderKey(userId, key)), code, foreign, left] as const
}

/**
 * Places an order at the catalogue's prices and begins its payment. However many times, even at once, it is called
 * with one user and key, there is one order, and one open attempt to pay it each way. Rejects when database or
 * catalogue fail; the same key may be sent again then.
 */
export async function placeOrder(
  input: PlaceInput,
  ctx: ServiceContext,
): Promise<Result<PlacedOrder, PlaceError>> {
  const { credential, key, request, origin } = input
  // What an order starts from is read together with the session.
  const authenticated = await authenticate({ credential }, ctx, (userId) =>
    readsBeforePlacing({ userId, key, request }, ctx),
  )
  if (!authenticated.ok) return authenticated
  const { user, read } = authenticated.data
  const requestHash = await hashOrderRequest(request)
  const [rows, orderLines, payments, tokens, [promotion], [foreign], left] = read
  const earlier = orderRecordOf([rows, orderLines, payments, tokens])
  if (earlier) return continueOrder({ record: earlier, requestHash, request, origin }, ctx)

  const refused = requireOffered(request.payment, ctx)
  if (refused) return { ok: false, error: refused }
  const priced = await priceOrder({ request, promotion }, ctx)
  if (!priced.ok) return priced
  const { lines } = priced.data
  const short = outOfStock(lines.map(titled), left)
  if (short) return { ok: false, error: short }
  const confirmationEmail = (foreign?.n ?? 0) < FOREIGN_MAILS.orders ? null : user.email
  const row = { ...orderRow({ ...input, userId: user.id }, requestHash, priced.data), confirmationEmail }
  const recorded = await recordOrder({ row, lines: lines.map(lineRow), chosen: request.payment }, ctx)
  if (recorded.ok) {
    const { record, attempt } = recorded.data
    const [payment] = record.payments
    if (!payment) throw new Error('An attempt that was just written cannot be read.')
    const { callbackToken } = attempt
    const started = await begin({ record, payment, callbackToken, origin }, ctx)
    return started.ok ? { ok: true, data: { ...started.data, isReplay: false } } : started
  }
  switch (recorded.error.code) {
    case 'key_taken':
      return continueOrder({ record: recorded.error.record, requestHash, request, origin }, ctx)
    case 'promotion_exhausted':
      return { ok: false, error: promotionRefused(priced.data, { code: 'promotion_exhausted' }, ctx) }
    case 'too_many_requests':
      return { ok: false, error: outOfStock(lines.map(titled), recorded.error.left) ?? tooManyRequests }
  }
}

type ContinueInput = { record: OrderRecord; requestHash: string; request: OrderRequest; origin: string }

/** Answers a request whose key has an order already: pays it, where it is the same order and not paid yet. */
async function continueOrder(
  { record, requestHash, request, origin }: ContinueInput,
  ctx: ServiceContext,
): Promise<Result<PlacedOrder, PlaceError>> {
  if (record.row.requestHash !== requestHash)
    return { ok: false, error: { code: 'key_reused', details: orderAndPayment(record, ctx) } }
  const paid = await payOrder({ record, chosen: request.payment, origin, isRetry: true }, ctx)
  return paid.ok ? { ok: true, data: { ...paid.data, isReplay: true } } : paid
}

function orderRow(
  { userId, key, request }: PlaceInput & { userId: string },
  requestHash: string,
  { totals: { roundingCents: _, ...totals }, agreed }: PricedOrder,
) {
  const { billing, promoCode = null } = request
  return {
    ...storedOrderFields(billing),
    ...totals,
    vatPercent: VAT_PERCENT,
    deliveryZone: agreed.deliveryZone,
    pickup: agreed.pickup,
    userId,
    idempotencyKey: key,
    requestHash,
    promoCode,
  }
}

function titled({ id, product, size, qty }: SoldLine) {
  return { id, title: product.title, size, qty }
}

function lineRow({ id, product, size, price, qty }: SoldLine) {
  const { title, image } = product
  return { productId: id, title, size: size ?? null, image, unitPriceCents: centsOf(price), qty }
}

/**
 * SHA-256 (hex) of what identifies an order: lines, promo code, billing and pickup. The card and the expected total are left
 * out: a shopper who never got the response may retry from a reloaded page with another card.
 */
export function hashOrderRequest({
  lines,
  billing,
  promoCode,
  deliveryMethod,
}: OrderRequest): Promise<string> {
  const sorted = lines.toSorted((a, b) => a.id - b.id).map(({ id, qty }) => [id, qty])
  // Empty fields are left out, so that a field added later does not change the hash of orders without it.
  const typed = Object.entries(billing)
    .filter(([, text]) => text)
    .toSorted()
  const pickup = deliveryMethod === 'pickup' ? [deliveryMethod] : []
  return sha256Hex(JSON.stringify([sorted, promoCode ?? null, typed, ...pickup]))
}
