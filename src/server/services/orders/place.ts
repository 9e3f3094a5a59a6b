import { eq, type SQL } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import type { Order, OrderRequest } from '#shared/contract/orders.ts'
import { centsOf, type OrderTotals } from '#shared/rules/pricing.ts'
import { shop } from '#shared/shop.ts'
import type { Database } from '../../db/client.ts'
import { Unavailable } from '../../db/failure.ts'
import { promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { sha256Hex } from '../../ids.ts'
import type { SoldLine } from '../catalogue/sold-lines.ts'
import { refusalOf } from '../promotions/validate.ts'
import { type PriceRefusal, priceOrder, promotionRefused } from './price.ts'
import { recordOrder } from './record.ts'
import { type OrderLineRow, type OrderRow, orderOf, orderUnderKey } from './stored-order.ts'

export type PlaceOutcome =
  | { kind: 'placed' | 'replayed' | 'key_reused'; order: Order }
  | { kind: 'payment_declined'; message: string }
  | PriceRefusal

type PlaceInput = {
  userId: string
  /** The request's idempotency key. */
  key: string
  request: OrderRequest
  /** The shop's public address. */
  origin: string
  /** What {@link readsBeforePlacing} found. */
  before: BatchResponse<[...ReturnType<typeof readsBeforePlacing>]>
}

type PlaceDeps = Pick<
  Deps,
  'db' | 'catalogue' | 'clock' | 'randomBytes' | 'config' | 'payment' | 'background'
>

/** The statements whose answers an order starts from: any order under its key, and its code. They are read together with the session. */
export function readsBeforePlacing(
  db: Database,
  { userId, key, promoCode = '' }: { userId: SQL; key: string; promoCode: string | undefined },
) {
  const code = db.select().from(promotions).where(eq(promotions.code, promoCode))
  return [...orderUnderKey(db, userId, key), code] as const
}

/**
 * Places an order at the catalogue's prices, or says why not. However often and however much at once it is called
 * with one user and key, there is one order. Rejects when records, catalogue or payment are out of reach; the same
 * key may be tried again then.
 */
export async function placeOrder(input: PlaceInput, deps: PlaceDeps): Promise<PlaceOutcome> {
  const { userId, key, request, origin } = input
  const requestHash = await hashOrderRequest(request)
  const [[earlier], earlierLines, [code]] = input.before
  if (earlier) return replayOf(earlier, earlierLines, requestHash)

  const priced = await priceOrder(request, code, deps)
  if (priced.kind !== 'priced') return priced
  const { lines, totals } = priced
  const payment = await authorise(input, requestHash, totals, deps)
  if (payment.outcome === 'declined') return { kind: 'payment_declined', message: payment.message }
  const row = orderRow(input, requestHash, totals, payment.reference, deps)
  const recorded = await recordOrder({ row, lines: lines.map(lineRow), origin }, deps)
  switch (recorded.kind) {
    case 'recorded':
      return { kind: 'placed', order: orderOf(recorded.row, recorded.lines) }
    case 'promotion_exhausted':
      deps.background(deps.payment.release(payment.reference))
      return promotionRefused(lines, refusalOf('promotion_exhausted').message)
    case 'key_taken': {
      const [[taken], takenLines] = await deps.db.batch(orderUnderKey(deps.db, userId, key))
      if (!taken) throw new Unavailable('An order that was there a moment ago cannot be read.')
      // The same order holds the very amount that was just authorised again; another order's is not needed.
      const outcome = replayOf(taken, takenLines, requestHash)
      if (outcome.kind === 'key_reused') deps.background(deps.payment.release(payment.reference))
      return outcome
    }
  }
}

function replayOf(row: OrderRow, lines: readonly OrderLineRow[], requestHash: string) {
  const kind: 'replayed' | 'key_reused' = row.requestHash === requestHash ? 'replayed' : 'key_reused'
  return { kind, order: orderOf(row, lines) }
}

/** Asks the provider to hold the amount; another order under the same key is another payment. */
async function authorise(
  { userId, key, request }: PlaceInput,
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
  { userId, key, request }: PlaceInput,
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
 * What makes an order this order and not another: its things, its code and where it goes, as SHA-256 (hex). The card
 * and the total shown do not count: a shopper who lost the answer may have typed another card into a reloaded page.
 */
export function hashOrderRequest({ lines, billing, promoCode }: OrderRequest): Promise<string> {
  const sorted = lines.toSorted((a, b) => a.id - b.id).map(({ id, qty }) => [id, qty])
  return sha256Hex(JSON.stringify([sorted, promoCode ?? null, Object.entries(billing).toSorted()]))
}
