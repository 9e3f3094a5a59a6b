import { type Context, Hono } from 'hono'
import {
  cancelOrder as cancelCall,
  getPayment as getCall,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_HEADER,
  requestOrderLink as linkCall,
  listOrders as listCall,
  payOrder as payCall,
  placeOrder as placeCall,
  getOrder as viewCall,
} from '#shared/contract/orders.ts'
import { ORDER_KEY_PARAM } from '#shared/rules/order-link.ts'
import type { AppEnv } from '../app-env.ts'
import { clientOf } from '../auth/client.ts'
import type { Deps } from '../deps.ts'
import { requireJson, validJson } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { originOf } from '../http/request.ts'
import {
  credentialOf,
  requireCredential,
  requireUser,
  type UserVariables,
  unauthorized,
} from '../middleware/session.ts'
import type { ServiceError } from '../result.ts'
import { cancelOwnOrder } from '../services/orders/cancel.ts'
import { listOrders } from '../services/orders/list.ts'
import { placeOrder } from '../services/orders/place.ts'
import { requestOrderLink } from '../services/orders/request-link.ts'
import { viewOrder } from '../services/orders/view.ts'
import { getPayment } from '../services/payments/check.ts'
import { payOwnOrder } from '../services/payments/pay-order.ts'

/** `/api/orders` and what is below: the signed-in user's own orders, and their payments. */
export function ordersApi(deps: Deps) {
  const failed = (c: Context, error: ServiceError) =>
    error.code === 'unauthorized' ? unauthorized(c, deps) : errorResponse(c, error)
  const ownOrder = (c: Context) => ({
    credential: credentialOf(c),
    number: c.req.param('number') ?? '',
    origin: originOf(c.req, deps.config),
  })

  return new Hono<AppEnv & { Variables: UserVariables }>()
    .post(placeCall.path, requireCredential(deps), requireJson, validJson(placeCall), async (c) => {
      const key = c.req.header(IDEMPOTENCY_KEY_HEADER) ?? ''
      if (!IDEMPOTENCY_KEY.test(key)) return errorResponse(c, 'invalid_key')
      const input = { credential: credentialOf(c), key, request: c.req.valid('json') }
      const result = await placeOrder({ ...input, origin: originOf(c.req, deps.config) }, deps)
      if (!result.ok) return failed(c, result.error)
      const { order, payment, isPaid, isReplay } = result.data
      return c.json({ order, payment }, isPaid ? (isReplay ? 200 : 201) : 202)
    })
    .get(listCall.path, requireUser(deps), async (c) => {
      const key = c.req.header(IDEMPOTENCY_KEY_HEADER)
      const result = await listOrders({ userId: c.var.user.id, before: c.req.query('before'), key }, deps)
      return result.ok ? c.json(result.data) : errorResponse(c, result.error)
    })
    .post(linkCall.path, requireJson, validJson(linkCall), async (c) => {
      const input = { ...c.req.valid('json'), client: await clientOf(c, deps) }
      const result = await requestOrderLink({ ...input, origin: originOf(c.req, deps.config) }, deps)
      return result.ok ? c.json({}) : errorResponse(c, result.error)
    })
    .get(viewCall.path, async (c) => {
      const result = await viewOrder({ ...ownOrder(c), key: c.req.query(ORDER_KEY_PARAM) ?? '' }, deps)
      return result.ok ? c.json(result.data) : errorResponse(c, result.error)
    })
    .get(getCall.path, requireCredential(deps), async (c) => {
      const result = await getPayment(ownOrder(c), deps)
      return result.ok ? c.json(result.data) : failed(c, result.error)
    })
    .post(payCall.path, requireCredential(deps), requireJson, validJson(payCall), async (c) => {
      const result = await payOwnOrder({ ...ownOrder(c), chosen: c.req.valid('json').payment }, deps)
      if (!result.ok) return failed(c, result.error)
      const { order, payment, isPaid } = result.data
      return c.json({ order, payment }, isPaid ? 200 : 202)
    })
    .post(cancelCall.path, requireCredential(deps), requireJson, async (c) => {
      const result = await cancelOwnOrder(ownOrder(c), deps)
      return result.ok ? c.json(result.data) : failed(c, result.error)
    })
}
