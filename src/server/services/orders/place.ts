import { eq } from 'drizzle-orm'
import type { z } from 'zod/mini'
import type { changedBodySchema, Order, OrderRequest } from '#shared/contract/orders.ts'
import { cardOf } from '#shared/rules/catalogue-views.ts'
import { centsOf, checkoutFigures, type Figures, subtotalCentsOf } from '#shared/rules/pricing.ts'
import { shop } from '#shared/shop.ts'
import { Unavailable } from '../../db/failure.ts'
import { promotions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import { sha256Hex } from '../../ids.ts'
import { type SoldLine, soldLines } from '../catalogue/sold-lines.ts'
import { judgePromotion, refusalOf } from '../promotions/judge.ts'
import { orderFingerprint } from './fingerprint.ts'
import { recordOrder } from './record.ts'
import { type OrderLineRow, type OrderRow, orderOf, orderUnderKey } from './stored-order.ts'

type Changed = Pick<z.infer<typeof changedBodySchema>, 'figures' | 'lines'>

export type PlaceOutcome =
  | { kind: 'placed' | 'replayed' | 'key_reused'; order: Order }
  | { kind: 'unknown_product'; productIds: readonly number[] }
  | { kind: 'prices_changed'; changed: Changed }
  | { kind: 'promotion_refused'; changed: Changed; message: string }
  | { kind: 'payment_declined'; message: string }

type PlaceInput = {
  userId: string
  /** The request's idempotency key. */
  key: string
  request: OrderRequest
  /** The shop's public address. */
  origin: string
}

type PlaceDeps = Pick<
  Deps,
  'db' | 'catalogue' | 'clock' | 'randomBytes' | 'config' | 'payment' | 'background'
>

/**
 * Places an order at the catalogue's prices, or says why not. However often and however much at once it is called
 * with one user and key, there is one order. Rejects when records, catalogue or payment are out of reach; the same
 * key may be tried again then.
 */
export async function placeOrder(input: PlaceInput, deps: PlaceDeps): Promise<PlaceOutcome> {
  const { userId, key, request } = input
  const fingerprint = await orderFingerprint(request)
  const [earlier, earlierLines, codes] = await deps.db.batch([
    ...orderUnderKey(deps.db, userId, key),
    deps.db
      .select()
      .from(promotions)
      .where(eq(promotions.code, request.promoCode ?? '')),
  ])
  if (earlier[0]) return replayOf(earlier[0], earlierLines, fingerprint)

  const sold = await soldLines(request.lines, deps)
  if ('unknownIds' in sold) return { kind: 'unknown_product', productIds: sold.unknownIds }
  const { lines } = sold
  const verdict = request.promoCode
    ? judgePromotion(codes[0], subtotalCentsOf(lines), deps.clock())
    : { usable: undefined }
  if ('refusal' in verdict) return promotionRefused(lines, verdict.refusal.message)
  const figures = checkoutFigures(lines, verdict.usable)
  if (figures.totalCents !== centsOf(request.expectedTotal))
    return { kind: 'prices_changed', changed: changedTo(lines, figures) }

  const payment = await authorise(input, fingerprint, figures, deps)
  if (payment.outcome === 'declined') return { kind: 'payment_declined', message: payment.message }
  const recorded = await recordOrder(
    {
      row: orderRow(input, fingerprint, figures, payment.reference, deps),
      lines: lines.map(lineRow),
      origin: input.origin,
    },
    deps,
  )
  switch (recorded.kind) {
    case 'recorded':
      return { kind: 'placed', order: orderOf(recorded.row, recorded.lines) }
    case 'promotion_exhausted':
      deps.background(deps.payment.release(payment.reference))
      return promotionRefused(lines, refusalOf('promotion_exhausted').message)
    case 'key_taken': {
      const [[row], rowLines] = await deps.db.batch(orderUnderKey(deps.db, userId, key))
      if (!row) throw new Unavailable('An order that was there a moment ago cannot be read.')
      // The same order's authorisation is the one that was just given again; another order's is not needed.
      const outcome = replayOf(row, rowLines, fingerprint)
      if (outcome.kind === 'key_reused') deps.background(deps.payment.release(payment.reference))
      return outcome
    }
  }
}

function replayOf(row: OrderRow, lines: readonly OrderLineRow[], fingerprint: string): PlaceOutcome {
  const kind = row.requestHash === fingerprint ? 'replayed' : 'key_reused'
  return { kind, order: orderOf(row, lines) }
}

function changedTo(lines: readonly SoldLine[], figures: Figures): Changed {
  return { figures, lines: lines.map((line) => ({ ...cardOf(line), qty: line.qty })) }
}

function promotionRefused(lines: readonly SoldLine[], reason: string): PlaceOutcome {
  return {
    kind: 'promotion_refused',
    changed: changedTo(lines, checkoutFigures(lines)),
    message: `${reason} Nothing was charged. Please look at the new total.`,
  }
}

/** Asks the provider to hold the amount; another order under the same key is another payment. */
async function authorise(
  { userId, key, request }: PlaceInput,
  fingerprint: string,
  figures: Figures,
  deps: PlaceDeps,
) {
  try {
    return await deps.payment.authorise({
      idempotencyKey: await sha256Hex(JSON.stringify([userId, key, fingerprint, figures.totalCents])),
      amountCents: figures.totalCents,
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
  { subtotalCents, discountCents, shippingCents, vatCents, totalCents }: Figures,
  paymentReference: string,
  { payment }: PlaceDeps,
) {
  const { card } = request.payment
  return {
    ...request.billing,
    address2: request.billing.address2 || null,
    userId,
    idempotencyKey: key,
    requestHash,
    subtotalCents,
    discountCents,
    shippingCents,
    vatCents,
    totalCents,
    promoCode: request.promoCode ?? null,
    paymentProvider: payment.name,
    paymentReference,
    cardBrand: card.brand,
    cardLastFour: card.lastFour,
  }
}

function lineRow({ id, title, image, price, qty }: SoldLine) {
  return { productId: id, title, image, unitPriceCents: centsOf(price), qty }
}
