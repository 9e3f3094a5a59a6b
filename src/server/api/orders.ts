import { Hono } from 'hono'
import {
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_HEADER,
  listOrders as listCall,
  placeOrder as placeCall,
} from '#shared/contract/orders.ts'
import type { AppEnv } from '../app-env.ts'
import type { Deps } from '../deps.ts'
import { parseJson, requireJson } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { originOf } from '../http/request.ts'
import {
  credentialOf,
  requireCredential,
  requireUser,
  type UserVariables,
  unauthorized,
} from '../middleware/session.ts'
import { listOrders } from '../services/orders/list.ts'
import { placeOrder } from '../services/orders/place.ts'

/** `POST /api/orders` and `GET /api/orders`, both for the signed-in user's own orders. */
export function ordersApi(deps: Deps) {
  return new Hono<AppEnv & { Variables: UserVariables }>()
    .post(placeCall.path, requireCredential(deps), requireJson, async (c) => {
      const key = c.req.header(IDEMPOTENCY_KEY_HEADER) ?? ''
      if (!IDEMPOTENCY_KEY.test(key)) return errorResponse(c, 'invalid_key')
      const body = await parseJson(c, placeCall)
      if (!body.ok) return errorResponse(c, body.error)
      const input = { credential: credentialOf(c), key, request: body.data }
      const result = await placeOrder({ ...input, origin: originOf(c.req, deps.config) }, deps)
      if (!result.ok)
        return result.error.code === 'unauthorized' ? unauthorized(c, deps) : errorResponse(c, result.error)
      const { order, isReplay } = result.data
      return c.json({ order }, isReplay ? 200 : 201)
    })
    .get(listCall.path, requireUser(deps), async (c) => {
      const result = await listOrders({ userId: c.var.user.id, before: c.req.query('before') }, deps)
      return result.ok ? c.json(result.data) : errorResponse(c, result.error)
    })
}
