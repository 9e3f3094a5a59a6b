import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireJson } from '#server/platform/http/body.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import { parseJson } from '#server/platform/http/parse-json.ts'
import { findProviderByToken, handleConfirmation } from './incoming-payments.ts'
import { pullIncomingPayments } from './pull-incoming.ts'
import { handleIncomingRefundCallback } from './refund-incoming.ts'

const ACCEPTED_BODY = { ResultCode: '0', ResultDesc: 'Accepted' }

export function incomingRoutes(ctx: ServiceContext) {
  return new Hono<AppEnv>()
    .post('/incoming/:token', requireJson, async (c) => {
      const body: unknown = await c.req.json().catch(() => undefined)
      if (body === undefined) return respondWithError(c, 'malformed_json')
      const recorded = await handleConfirmation({ token: c.req.param('token'), body }, ctx)
      if (!recorded.ok) return respondWithError(c, recorded.error)
      ctx.waitUntil(pullIncomingPayments(ctx))
      return c.json(ACCEPTED_BODY)
    })
    .post('/incoming/:token/refund', requireJson, async (c) => {
      const rawBody = await c.req.text()
      const request = { rawBody, body: parseJson(rawBody), header: () => '', isTimeout: false }
      const handled = await handleIncomingRefundCallback({ token: c.req.param('token'), request }, ctx)
      return handled.ok ? c.json(handled.data) : respondWithError(c, handled.error)
    })
    .post('/incoming/:token/check', requireJson, async (c) => {
      const provider = await findProviderByToken(c.req.param('token'), ctx)
      return provider ? c.json(ACCEPTED_BODY) : respondWithError(c, 'not_found')
    })
}
