import { type Context, Hono } from 'hono'
import {
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_HEADER,
  listOrders as listCall,
  placeOrder as placeCall,
} from '#shared/contract/orders.ts'
import { type ErrorCode, errors } from '#shared/errors.ts'
import type { AppEnv } from '../app.ts'
import type { Deps } from '../deps.ts'
import { deliverInBackground } from '../mail/outbox.ts'
import {
  findUser,
  refuseStranger,
  requireCredential,
  requireUser,
  type UserVariables,
} from '../middleware/session.ts'
import { listOrders, type OrderCursor } from '../services/orders/list.ts'
import { type PlaceOutcome, placeOrder, readsBeforePlacing } from '../services/orders/place.ts'
import { answerError } from './answer.ts'
import { jsonOnly, parseBody } from './body.ts'

/** `POST /api/orders` and `GET /api/orders`, both for a signed-in person's own orders. */
export function ordersApi(deps: Deps) {
  return new Hono<AppEnv & { Variables: UserVariables }>()
    .post(placeCall.path, requireCredential, jsonOnly, async (c) => {
      const key = c.req.header(IDEMPOTENCY_KEY_HEADER) ?? ''
      const { body: request, refuse } = await parseBody(c, placeCall)
      const found = await findUser(c, deps, (userId) =>
        readsBeforePlacing(deps.db, { userId, key, promoCode: request?.promoCode }),
      )
      if (!found) return refuseStranger(c)
      if (!IDEMPOTENCY_KEY.test(key)) return answerError(c, 'invalid_key')
      if (!request) return refuse()
      const origin = deps.config.SITE_ORIGIN ?? new URL(c.req.url).origin
      const input = { userId: found.user.id, key, request, origin, before: found.read }
      const outcome = await placeOrder(input, deps)
      if (outcome.kind === 'placed') deliverInBackground(deps)
      return answerOutcome(c, outcome)
    })
    .get(listCall.path, requireUser(deps), async (c) => {
      const before = c.req.query('before')
      const cursor = before === undefined ? undefined : cursorFrom(before)
      if (cursor === null) return answerError(c, 'bad_request')
      const { orders, next } = await listOrders({ userId: c.var.user.id, before: cursor }, deps)
      return c.json({ orders, next: next ? `${next.placedAtMs}.${next.number}` : null })
    })
}

function answerOutcome(c: Context, outcome: PlaceOutcome) {
  switch (outcome.kind) {
    case 'placed':
      return c.json({ order: outcome.order }, 201)
    case 'replayed':
      return c.json({ order: outcome.order }, 200)
    case 'key_reused':
      return answerMore(c, 'key_reused', { order: outcome.order })
    case 'unknown_product':
      return answerUnknownProduct(c, outcome.productIds)
    case 'prices_changed':
      return answerMore(c, 'prices_changed', outcome.changed)
    case 'promotion_refused':
      return answerMore(c, 'promotion_refused', { ...outcome.changed, message: outcome.message })
    case 'payment_declined':
      return answerError(c, 'payment_declined', { message: outcome.message })
  }
}

/** 422, naming the products that the shop no longer has. */
export function answerUnknownProduct(c: Context, productIds: readonly number[]) {
  const named =
    productIds.length === 1 ? `Product ${productIds[0]} is` : `Products ${productIds.join(', ')} are`
  const message = `${named} no longer sold. Please take it out of the cart and try again.`
  return answerMore(c, 'unknown_product', { message, productIds })
}

/** A failure whose body says more than the message: the totals, the order, the products. */
function answerMore(c: Context, code: ErrorCode, more: object) {
  const { status, message } = errors[code]
  return c.json({ message, code, ...more }, status)
}

/** The place in the list that `?before=` names; null for anything that is not an answer's `next`. */
function cursorFrom(text: string): OrderCursor | null {
  const [, placedAtMs, number] = /^(\d{1,15})\.(P-\w{6})$/.exec(text) ?? []
  return placedAtMs && number ? { placedAtMs: Number(placedAtMs), number } : null
}
