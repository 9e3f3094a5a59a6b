import { Hono } from 'hono'
import { reportVisit } from '#shared/contract/visits.ts'
import type { Deps } from '../deps.ts'
import { requireJson, validJson } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { networkAddressOf } from '../http/request.ts'
import { recordVisit } from '../services/visits/speed.ts'

/** `POST /api/visits`: how fast a page was. */
export function visitsApi(deps: Deps) {
  return new Hono().post(reportVisit.path, requireJson, validJson(reportVisit), async (c) => {
    const result = await recordVisit({ ...c.req.valid('json'), clientAddress: networkAddressOf(c) }, deps)
    return result.ok ? c.body(null, 204) : errorResponse(c, result.error)
  })
}
