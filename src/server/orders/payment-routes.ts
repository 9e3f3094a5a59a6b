import { type Context, Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { TIMEOUT_PARAM, type WebhookRequest } from '#server/payments/providers/provider.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireJson } from '#server/platform/http/body.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import { parseJson } from '#server/platform/http/parse-json.ts'
import { getRequestOrigin } from '#server/platform/http/request.ts'
import { handleCallback, handleWebhookEvent } from './payment-webhooks.ts'

export function paymentRoutes(ctx: ServiceContext) {
  const api = new Hono<AppEnv>()
  for (const provider of ctx.payments.providers) {
    if (provider.webhook?.url !== 'provider') continue
    api.post(`/payments/${provider.name}`, requireJson, async (c) => {
      const request = await readWebhookRequest(c)
      const result = await handleWebhookEvent(
        { provider, request, origin: getRequestOrigin(c.req, ctx.config) },
        ctx,
      )
      return result.ok ? c.json(result.data) : respondWithError(c, result.error)
    })
  }
  return api.post('/payments/:token', requireJson, async (c) => {
    const request = await readWebhookRequest(c)
    if (request.body === undefined) return respondWithError(c, 'malformed_json')
    const token = c.req.param('token')
    const result = await handleCallback({ token, request, origin: getRequestOrigin(c.req, ctx.config) }, ctx)
    return result.ok ? c.json(result.data) : respondWithError(c, result.error)
  })
}

async function readWebhookRequest({ req }: Context<AppEnv>): Promise<WebhookRequest> {
  const rawBody = await req.text()
  const isTimeout = req.query(TIMEOUT_PARAM) !== undefined
  return { rawBody, body: parseJson(rawBody), header: (name) => req.header(name) ?? '', isTimeout }
}
