import { Hono } from 'hono'
import { checkStock, listShort } from '#shared/contract/stock.ts'
import type { AppEnv } from '../app-env.ts'
import type { Deps } from '../deps.ts'
import { requireJson, validJson } from '../http/body.ts'
import { credentialOf, requireCredential, unauthorized } from '../middleware/session.ts'
import { leftFor } from '../services/stock/short-lines.ts'

/** `/api/stock`: what is left, for pages from the snapshot, for a cart from the records. */
export function stockApi(deps: Deps) {
  return new Hono<AppEnv>()
    .get(listShort.path, (c) => {
      const left = Object.entries(deps.stock.current()).map(([id, left]) => ({ id: Number(id), left }))
      return c.json({ left })
    })
    .post(checkStock.path, requireCredential(deps), requireJson, validJson(checkStock), async (c) => {
      const result = await leftFor({ credential: credentialOf(c), itemIds: c.req.valid('json').ids }, deps)
      return result.ok ? c.json(result.data) : unauthorized(c, deps)
    })
}
