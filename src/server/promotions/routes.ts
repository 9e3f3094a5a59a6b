import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { requireJson, validateJson } from '#server/platform/http/body.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import { getIpAddress } from '#server/platform/http/request.ts'
import { checkPromotionCall } from '#shared/promotions/contract.ts'
import { checkPromotion } from './promotions.ts'

export function promotionRoutes(ctx: ServiceContext) {
  return new Hono().post(
    checkPromotionCall.path,
    requireJson,
    validateJson(checkPromotionCall),
    async (c) => {
      const result = await checkPromotion({ ...c.req.valid('json'), ipAddress: getIpAddress(c) }, ctx)
      return result.ok ? c.json(result.data) : respondWithError(c, result.error)
    },
  )
}
