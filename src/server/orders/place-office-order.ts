import { eq } from 'drizzle-orm'
import type { DataContext, PricingContext } from '#server/context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { requirePermission } from '#server/platform/db/audit.ts'
import { promotions, type users } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { createOutOfStockError, selectUnitsLeft } from '#server/stock/availability.ts'
import { COUNTRIES } from '#shared/checkout/checkout-form.ts'
import type { DeliveryMethod } from '#shared/checkout/delivery.ts'
import { findOfficeOrderProblems, type OfficeOrderValues } from '#shared/orders/office-order.ts'
import { toPhoneKey } from '#shared/payments/payment.ts'
import type { Actor } from '#shared/team/roles.ts'
import { HOUR_MS } from '#shared/time.ts'
import { createBlockLookup, selectBlockHashKey } from './blocked-customers.ts'
import { insertOrder } from './insert-order.ts'
import { selectOpenCashOrders } from './open-cash-orders.ts'
import { byIdempotencyKey, type OrderRecord, selectOrderRecord, toOrderRecord } from './order-record.ts'
import { findCashOnDeliveryError } from './pay-order.ts'
import { hashOrderRequest, toLineRow, toOrderRow, toStockLine } from './place-order.ts'
import { createPromotionRefusedError, type PriceOrderError, priceOrder } from './price-order.ts'

type OfficeOrderInput = {
  /** The form's key. Submitting the form twice creates only one order. */
  key: string
  values: OfficeOrderValues
  method: DeliveryMethod
  lines: readonly { id: number; qty: number }[]
  promoCode: string
  expectedTotalKsh: number
  paysOnDelivery: boolean
  /** The order expires after this many hours, unless a payment has arrived or it is paid on delivery. */
  hours: number
  actor: Actor
}

type OfficeOrderError =
  | PriceOrderError
  | ServiceError<'invalid_fields' | 'out_of_stock' | 'key_reused' | 'too_many_requests' | 'order_refused'>

/**
 * Creates at most one order per phone number and key. The next housekeeping run places orders that are free or paid on
 * delivery.
 */
export async function placeOfficeOrder(
  input: OfficeOrderInput,
  ctx: DataContext & PricingContext,
): Promise<Result<{ record: OrderRecord; isReplay: boolean }, OfficeOrderError>> {
  const { key, values, method, lines: requested, promoCode, expectedTotalKsh, hours, actor } = input
  requirePermission(actor, 'order.create')
  const fieldErrors = findOfficeOrderProblems(values, method)
  const [problem] = Object.values(fieldErrors)
  if (problem) return { ok: false, error: { code: 'invalid_fields', message: `${problem}.`, fieldErrors } }
  if (requested.length === 0) return { ok: false, error: noLinesError }

  const { db } = ctx
  const billing = { ...values, country: COUNTRIES[0], zip: '' }
  const request = {
    lines: [...requested],
    billing,
    deliveryMethod: method,
    expectedTotal: expectedTotalKsh,
    ...(promoCode ? { promoCode } : {}),
  }
  const customer = await createPhoneCustomer(values, ctx)
  const requestHash = await hashOrderRequest(request)
  const [[promotion], [openCashOrder], [hash], unitsLeft, ...earlierRows] = await db.batch([
    db.select().from(promotions).where(eq(promotions.code, promoCode)),
    selectOpenCashOrders(customer.id, ctx),
    selectBlockHashKey(ctx),
    selectUnitsLeft(
      requested.map(({ id }) => id),
      customer.id,
      ctx,
    ),
    ...selectOrderRecord(db, byIdempotencyKey(customer.id, key)),
  ])
  const earlier = toOrderRecord(earlierRows)
  if (earlier) return replayOrder(earlier, requestHash)

  const priced = await priceOrder({ request, promotion, promotionAdvice: PROMOTION_ADVICE }, ctx)
  if (!priced.ok) return priced
  const { lines, totals, deliveryQuote } = priced.data
  const isFree = totals.totalCents === 0
  // Without an attempt, which settles a total of 0, nothing would place a free order.
  const paymentDetails = isFree || input.paysOnDelivery ? CASH_ON_DELIVERY : null
  if (paymentDetails && !isFree) {
    const cashOrder = { pickup: deliveryQuote.pickup, county: values.state, totalCents: totals.totalCents }
    if (findCashOnDeliveryError(paymentDetails, cashOrder, ctx))
      return createNotPaidOnDeliveryError(
        deliveryQuote.pickup === null ? CASH_NOT_OFFERED_MESSAGE : PICKUP_IN_ADVANCE_MESSAGE,
      )
    if (openCashOrder) return createNotPaidOnDeliveryError(formatOpenOrderMessage(openCashOrder.number))
  }
  const outOfStock = createOutOfStockError(lines.map(toStockLine), unitsLeft, STOCK_ADVICE)
  if (outOfStock) return { ok: false, error: outOfStock }

  const row = toOrderRow({ userId: customer.id, key, request }, requestHash, priced.data)
  const inserted = await insertOrder(
    {
      row: { ...row, confirmationEmail: null },
      lines: lines.map(toLineRow),
      buyer: await createBlockLookup(
        { userId: customer.id, emails: [row.email, customer.email], phones: [row.phone] },
        hash?.key,
      ),
      paymentDetails,
      reservationSources: [],
      releasesEarlierOrders: false,
      expiresInMs: hours * HOUR_MS,
      placedBy: { actor, customer },
    },
    ctx,
  )
  if (inserted.ok) return { ok: true, data: { record: inserted.data.record, isReplay: false } }
  const { error } = inserted
  switch (error.code) {
    case 'key_taken':
      return replayOrder(error.record, requestHash)
    case 'promotion_exhausted':
    case 'promotion_used': {
      const refused = error.code === 'promotion_used' ? { ...error, message: PROMOTION_USED_MESSAGE } : error
      return { ok: false, error: createPromotionRefusedError(priced.data, refused, ctx, PROMOTION_ADVICE) }
    }
    case 'customer_blocked':
      return { ok: false, error: { code: 'order_refused', message: BLOCKED_MESSAGE } }
    case 'too_many_requests': {
      const { unitsLeft: left, ...limit } = error
      return { ok: false, error: createOutOfStockError(lines.map(toStockLine), left, STOCK_ADVICE) ?? limit }
    }
  }
}

const CASH_ON_DELIVERY = { provider: 'cash-on-delivery' } as const
const STOCK_ADVICE = 'Change the quantities, then try again.'
const PROMOTION_ADVICE = 'Change or remove the promo code, then try again.'
const PROMOTION_USED_MESSAGE = 'This customer has already used this promo code.'
const CASH_NOT_OFFERED_MESSAGE =
  'This order can’t be paid on delivery. Check its total and county against the limits under More → Content → Ways to pay.'
const PICKUP_IN_ADVANCE_MESSAGE =
  'Pickup orders are paid in advance. Please choose another payment, or delivery.'
const formatOpenOrderMessage = (number: string) =>
  `This customer still has to pay for order ${number} on delivery. Please choose “Send a payment link” for the new one.`

function createNotPaidOnDeliveryError(message: string): Result<never, OfficeOrderError> {
  return { ok: false, error: { code: 'invalid_fields', message, fieldErrors: { payment: message } } }
}

const noLinesError = { code: 'invalid_fields', message: 'Please add at least one product.' } as const
const BLOCKED_MESSAGE = 'This customer is blocked. To take their order, unblock them under More → Customers.'

function replayOrder(
  record: OrderRecord,
  requestHash: string,
): Result<{ record: OrderRecord; isReplay: boolean }, OfficeOrderError> {
  if (record.row.requestHash === requestHash) return { ok: true, data: { record, isReplay: true } }
  const message = `This form has already created order ${record.row.number}. To create another, start a new order.`
  return { ok: false, error: { code: 'key_reused', message } }
}

/** Orders need an account. This one has no password, so nobody can log in to it. */
async function createPhoneCustomer(
  { firstName, lastName, phone }: OfficeOrderValues,
  { clock }: DataContext,
): Promise<typeof users.$inferInsert> {
  const identity = `phone ${toPhoneKey(phone)}`
  return {
    id: (await sha256Hex(identity)).slice(0, 32),
    email: identity,
    name: `${firstName.trim()} ${lastName.trim()}`.trim(),
    passwordHash: '',
    firstName: firstName.trim(),
    lastName: lastName.trim(),
    phone: phone.trim(),
    createdAtMs: clock(),
  }
}
