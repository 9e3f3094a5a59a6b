import { Hono } from 'hono'
import { checkPromotion as call } from '#shared/contract/promotions.ts'
import type { Deps } from '../deps.ts'
import { parseJson, requireJson } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { networkAddressOf } from '../http/request.ts'
import { checkPromotion } from '../services/promotions/check.ts'

/** `POST /api/promotions/check`. */
export function promotionsApi(deps: Deps) {
  return new Hono().post(call.path, requireJson, async (c) => {
    const body = await parseJson(c, call)
    if (!body.ok) return errorResponse(c, body.error)
    const result = await checkPromotion({ ...body.data, clientAddress: networkAddressOf(c) }, deps)
    return result.ok ? c.json(result.data) : errorResponse(c, result.error)
  })
}
