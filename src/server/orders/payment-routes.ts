import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { requireJson } from '#server/platform/http/body.ts'
import { errorResponse } from '#server/platform/http/errors.ts'
import { originOf } from '#server/platform/http/request.ts'
import { receiveMpesaCallback, receivePaystackEvent } from './payment-webhooks.ts'

/** What Daraja wants to read once a callback has been taken. */
const ACCEPTED = { ResultCode: 0, ResultDesc: 'Accepted' }

/**
 * Where payment providers report to: Paystack's signed events, and an address of its own for each of M-Pesa's
 * attempts. No part of the browser's contract.
 */
export function paymentsApi(ctx: ServiceContext) {
  return new Hono<AppEnv>()
    .post('/payments/paystack', requireJson, async (c) => {
      const result = await receivePaystackEvent(
        {
          signature: c.req.header('x-paystack-signature') ?? '',
          rawBody: await c.req.text(),
          origin: originOf(c.req, ctx.config),
        },
        ctx,
      )
      return result.ok ? c.json({}) : errorResponse(c, result.error)
    })
    .post('/payments/:token', requireJson, async (c) => {
      const body: unknown = await c.req.json().catch(() => undefined)
      if (body === undefined) return errorResponse(c, 'malformed_json')
      const origin = originOf(c.req, ctx.config)
      const result = await receiveMpesaCallback({ token: c.req.param('token'), body, origin }, ctx)
      return result.ok ? c.json(ACCEPTED) : errorResponse(c, result.error)
    })
}
