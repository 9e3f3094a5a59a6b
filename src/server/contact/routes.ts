import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { requireJson, validateJson } from '#server/platform/http/body.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import { getIpAddress } from '#server/platform/http/request.ts'
import { sendMessageCall } from '#shared/contact/contract.ts'
import { sendContactMessage } from './messages.ts'

export function contactRoutes(ctx: ServiceContext) {
  return new Hono().post(sendMessageCall.path, requireJson, validateJson(sendMessageCall), async (c) => {
    const result = await sendContactMessage({ ...c.req.valid('json'), ipAddress: getIpAddress(c) }, ctx)
    return result.ok ? c.json(result.data, 201) : respondWithError(c, result.error)
  })
}
