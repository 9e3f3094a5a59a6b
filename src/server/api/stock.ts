import { Hono } from 'hono'
import { checkStock } from '#shared/contract/stock.ts'
import type { AppEnv } from '../app-env.ts'
import type { Deps } from '../deps.ts'
import { requireJson, validJson } from '../http/body.ts'
import { credentialOf, requireCredential, unauthorized } from '../middleware/session.ts'
import { leftFor } from '../services/stock/short-lines.ts'

/** `/api/stock`: what is left. */
export function stockApi(deps: Deps) {
  return new Hono<AppEnv>().post(
    checkStock.path,
    requireCredential(deps),
    requireJson,
    validJson(checkStock),
    async (c) => {
      const result = await leftFor({ credential: credentialOf(c), itemIds: c.req.valid('json').ids }, deps)
      return result.ok ? c.json(result.data) : unauthorized(c, deps)
    },
  )
}
