import { type Context, Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { parseClient } from '#server/platform/auth/client.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireJson, validateJson } from '#server/platform/http/body.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import { getRequestOrigin } from '#server/platform/http/request.ts'
import {
  getRequestCredential,
  requireCredential,
  requireUser,
  respondUnauthorized,
  type UserVariables,
} from '#server/platform/middleware/session.ts'
import type { ServiceError } from '#server/platform/result.ts'
import {
  cancelOrderCall,
  getOrderCall,
  getPaymentCall,
  IDEMPOTENCY_KEY_HEADER,
  IDEMPOTENCY_KEY_PATTERN,
  listOrdersCall,
  payOrderCall,
  placeOrderCall,
  requestOrderLinkCall,
} from '#shared/orders/contract.ts'
import { ORDER_KEY_PARAM } from '#shared/orders/order-link.ts'
import { cancelOwnOrder } from './cancel-order.ts'
import { listOwnOrders } from './list-own-orders.ts'
import { viewOrder } from './order-page-view.ts'
import { payByLink, payOwnOrder } from './pay-order.ts'
import { placeOrder } from './place-order.ts'
import { refreshPayment } from './query-payment.ts'
import { requestOrderLink } from './request-link.ts'

export function orderRoutes(ctx: ServiceContext) {
  const respondToFailure = (c: Context, error: ServiceError) =>
    error.code === 'unauthorized' ? respondUnauthorized(c, ctx) : respondWithError(c, error)
  const ownOrder = (c: Context) => ({
    credential: getRequestCredential(c),
    number: c.req.param('number') ?? '',
    origin: getRequestOrigin(c.req, ctx.config),
  })

  const credential = requireCredential(ctx)
  const requireCredentialOrKey: typeof credential = (c, next) =>
    c.req.query(ORDER_KEY_PARAM) === undefined ? credential(c, next) : next()

  return new Hono<AppEnv & { Variables: UserVariables }>()
    .post(
      placeOrderCall.path,
      requireCredential(ctx),
      requireJson,
      validateJson(placeOrderCall),
      async (c) => {
        const key = c.req.header(IDEMPOTENCY_KEY_HEADER) ?? ''
        if (!IDEMPOTENCY_KEY_PATTERN.test(key)) return respondWithError(c, 'invalid_key')
        const client = await parseClient(c, ctx)
        const input = { credential: getRequestCredential(c), key, request: c.req.valid('json'), client }
        const result = await placeOrder({ ...input, origin: getRequestOrigin(c.req, ctx.config) }, ctx)
        if (!result.ok) return respondToFailure(c, result.error)
        const { order, payment, isPaid, isReplay } = result.data
        return c.json({ order, payment }, isPaid ? (isReplay ? 200 : 201) : 202)
      },
    )
    .get(listOrdersCall.path, requireUser(ctx), async (c) => {
      const key = c.req.header(IDEMPOTENCY_KEY_HEADER)
      const result = await listOwnOrders({ userId: c.var.user.id, before: c.req.query('before'), key }, ctx)
      return result.ok ? c.json(result.data) : respondWithError(c, result.error)
    })
    .post(requestOrderLinkCall.path, requireJson, validateJson(requestOrderLinkCall), async (c) => {
      const input = { ...c.req.valid('json'), client: await parseClient(c, ctx) }
      const result = await requestOrderLink({ ...input, origin: getRequestOrigin(c.req, ctx.config) }, ctx)
      return result.ok ? c.json({}) : respondWithError(c, result.error)
    })
    .get(getOrderCall.path, async (c) => {
      const result = await viewOrder({ ...ownOrder(c), key: c.req.query(ORDER_KEY_PARAM) ?? '' }, ctx)
      return result.ok ? c.json(result.data) : respondWithError(c, result.error)
    })
    .get(getPaymentCall.path, requireCredential(ctx), async (c) => {
      const result = await refreshPayment(ownOrder(c), ctx)
      return result.ok ? c.json(result.data) : respondToFailure(c, result.error)
    })
    .post(payOrderCall.path, requireCredentialOrKey, requireJson, validateJson(payOrderCall), async (c) => {
      const input = { ...ownOrder(c), paymentDetails: c.req.valid('json').payment }
      const key = c.req.query(ORDER_KEY_PARAM)
      const result =
        key === undefined
          ? await payOwnOrder(input, ctx)
          : await payByLink({ ...input, key, client: await parseClient(c, ctx) }, ctx)
      if (!result.ok) return respondToFailure(c, result.error)
      const { order, payment, isPaid } = result.data
      return c.json({ order, payment }, isPaid ? 200 : 202)
    })
    .post(cancelOrderCall.path, requireCredential(ctx), requireJson, async (c) => {
      const result = await cancelOwnOrder(ownOrder(c), ctx)
      return result.ok ? c.json(result.data) : respondToFailure(c, result.error)
    })
}
