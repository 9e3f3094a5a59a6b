import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireJson, validateJson } from '#server/platform/http/body.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import { getIpAddress } from '#server/platform/http/request.ts'
import {
  getRequestCredential,
  requireCredential,
  respondUnauthorized,
} from '#server/platform/middleware/session.ts'
import { checkStockCall, listLowStockCall, requestStockAlertCall } from '#shared/stock/contract.ts'
import { requestStockAlert } from './alerts.ts'
import { readUnitsLeft } from './availability.ts'

/** Pages show the stock of the snapshot, while carts check the stock in the database. */
export function stockRoutes(ctx: ServiceContext) {
  return new Hono<AppEnv>()
    .get(listLowStockCall.path, (c) => {
      const left = Object.entries(ctx.stock.current()).map(([id, left]) => ({ id: Number(id), left }))
      return c.json({ left })
    })
    .post(requestStockAlertCall.path, requireJson, validateJson(requestStockAlertCall), async (c) => {
      const { item: itemId, email } = c.req.valid('json')
      const result = await requestStockAlert({ itemId, email, ipAddress: getIpAddress(c) }, ctx)
      return result.ok ? c.json(result.data, 201) : respondWithError(c, result.error)
    })
    .post(
      checkStockCall.path,
      requireCredential(ctx),
      requireJson,
      validateJson(checkStockCall),
      async (c) => {
        const result = await readUnitsLeft(
          { credential: getRequestCredential(c), itemIds: c.req.valid('json').ids },
          ctx,
        )
        return result.ok ? c.json(result.data) : respondUnauthorized(c, ctx)
      },
    )
}
