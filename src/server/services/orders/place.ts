import { eq } from 'drizzle-orm'
import type { Order, OrderRequest } from '#shared/contract/orders.ts'
import { centsOf, type OrderTotals } from '#shared/rules/pricing.ts'
import { shop } from '#shared/shop.ts'
import { sha256Hex } from '../../crypto.ts'
import { Unavailable } from '../../db/errors.ts'
import { promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { deliverInBackground } from '../../mail/outbox.ts'
import type { Result, ServiceError } from '../../result.ts'
import { authenticate, type Credential } from '../auth/sessions.ts'
import type { SoldLine } from '../catalogue/sold-lines.ts'
import { type PriceError, priceOrder, promotionRefused } from './price.ts'
import { recordOrder } from './record.ts'
import { type OrderLineRow, type OrderRow, orderOf, orderUnderKey } from './stored-order.ts'

/** `isReplay`: the same request has placed this order before. */
type PlacedOrder = { order: Order; isReplay: boolean }
type PlaceError = PriceError | ServiceError<'key_reused' | 'payment_declined' | 'unauthorized'>

type PlaceInput = {
  /** Whose order it is. */
  credential: Credential | null
  /** The request's idempotency key. */
  key: string
  request: OrderRequest
  /** The shop's public origin, for links in mails. */
  origin: string
}

type OwnedInput = PlaceInput & { userId: string }

type PlaceDeps = Pick<
  Deps,
  'db' | 'catalogue' | 'clock' | 'randomBytes' | 'config' | 'payment' | 'background' | 'mailer' | 'log'
>

/**
 * Places an order at the catalogue's prices. However many times, even at once, it is called with one user and key,
 * there is one order. Rejects when database, catalogue or payment fail; the same key may be sent again then.
 */
export async function placeOrder(
  input: PlaceInput,
  deps: PlaceDeps,
): Promise<Result<PlacedOrder, PlaceError>> {
  const { credential, key, request, origin } = input
  // What an order starts from is read together with the session: any order under its key, and its code.
  const authenticated = await authenticate({ credential }, deps, (userId) => [
    ...orderUnderKey(deps.db, userId, key),
    deps.db
      .select()
      .from(promotions)
      .where(eq(promotions.code, request.promoCode ?? '')),
  ])
  if (!authenticated.ok) return authenticated
  const { user, read } = authenticated.data
  const owned = { ...input, userId: user.id }
  const requestHash = await hashOrderRequest(request)
  const [[earlier], earlierLines, [promotion]] = read
  if (earlier) return replay(earlier, earlierLines, requestHash)

  const priced = await priceOrder({ request, promotion }, deps)
  if (!priced.ok) return priced
  const { lines, totals } = priced.data
  const payment = await authorise(owned, requestHash, totals, deps)
  if (payment.outcome === 'declined')
    return { ok: false, error: { code: 'payment_declined', message: payment.message } }
  const row = orderRow(owned, requestHash, totals, payment.reference, deps)
  const recorded = await recordOrder({ row, lines: lines.map(lineRow), origin }, deps)
  if (recorded.ok) {
    deliverInBackground(deps)
    return { ok: true, data: { order: orderOf(recorded.data.row, recorded.data.lines), isReplay: false } }
  }
  switch (recorded.error.code) {
    case 'promotion_exhausted':
      deps.background(deps.payment.release(payment.reference))
      return { ok: false, error: promotionRefused(lines, { code: 'promotion_exhausted' }) }
    case 'key_taken': {
      const [[taken], takenLines] = await deps.db.batch(orderUnderKey(deps.db, user.id, key))
      if (!taken) throw new Unavailable('The order under this key cannot be read.')
      const replayed = replay(taken, takenLines, requestHash)
      // A replay's amount is the one that was just authorised again; another order's amount is not needed.
      if (!replayed.ok) deps.background(deps.payment.release(payment.reference))
      return replayed
    }
  }
}

function replay(
  row: OrderRow,
  lines: readonly OrderLineRow[],
  requestHash: string,
): Result<PlacedOrder, ServiceError<'key_reused'>> {
  const order = orderOf(row, lines)
  return row.requestHash === requestHash
    ? { ok: true, data: { order, isReplay: true } }
    : { ok: false, error: { code: 'key_reused', details: { order } } }
}

/** Asks the provider to authorise the amount; another order under the same key is another payment. */
async function authorise(
  { userId, key, request }: OwnedInput,
  requestHash: string,
  { totalCents }: OrderTotals,
  { payment }: PlaceDeps,
) {
  try {
    return await payment.authorise({
      idempotencyKey: await sha256Hex(JSON.stringify([userId, key, requestHash, totalCents])),
      amountCents: totalCents,
      currency: shop.currencyIso,
      token: request.payment.token,
    })
  } catch (cause) {
    throw new Unavailable('The payment provider cannot be reached.', { cause })
  }
}

function orderRow(
  { userId, key, request }: OwnedInput,
  requestHash: string,
  { roundingCents: _, ...totals }: OrderTotals,
  paymentReference: string,
  { payment }: PlaceDeps,
) {
  const { billing, promoCode = null } = request
  const { card } = request.payment
  return {
    ...billing,
    ...totals,
    address2: billing.address2 || null,
    userId,
    idempotencyKey: key,
    requestHash,
    promoCode,
    paymentProvider: payment.name,
    paymentReference,
    cardBrand: card.brand,
    cardLastFour: card.lastFour,
  }
}

function lineRow({ id, title, image, price, qty }: SoldLine) {
  return { productId: id, title, image, unitPriceCents: centsOf(price), qty }
}

/**
 * SHA-256 (hex) of what identifies an order: lines, promo code and billing. The card and the expected total are left
 * out: a shopper who never got the response may retry from a reloaded page with another card.
 */
export function hashOrderRequest({ lines, billing, promoCode }: OrderRequest): Promise<string> {
  const sorted = lines.toSorted((a, b) => a.id - b.id).map(({ id, qty }) => [id, qty])
  return sha256Hex(JSON.stringify([sorted, promoCode ?? null, Object.entries(billing).toSorted()]))
}
