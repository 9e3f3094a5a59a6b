import { Hono } from 'hono'
import { checkPromotion as call } from '#shared/contract/promotions.ts'
import type { Deps } from '../deps.ts'
import { requireJson, validJson } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { networkAddressOf } from '../http/request.ts'
import { checkPromotion } from '../services/promotions.ts'

/** `POST /api/promotions/check`. */
export function promotionsApi(deps: Deps) {
  return new Hono().post(call.path, requireJson, validJson(call), async (c) => {
    const result = await checkPromotion({ ...c.req.valid('json'), clientAddress: networkAddressOf(c) }, deps)
    return result.ok ? c.json(result.data) : errorResponse(c, result.error)
  })
}
