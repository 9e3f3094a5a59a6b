import { Hono } from 'hono'
import { sendMessage } from '#shared/contract/contact.ts'
import type { Deps } from '../deps.ts'
import { requireJson, validJson } from '../http/body.ts'
import { errorResponse } from '../http/errors.ts'
import { networkAddressOf } from '../http/request.ts'
import { sendContactMessage } from '../services/contact.ts'

/** `POST /api/contact`. */
export function contactApi(deps: Deps) {
  return new Hono().post(sendMessage.path, requireJson, validJson(sendMessage), async (c) => {
    const result = await sendContactMessage(
      { ...c.req.valid('json'), clientAddress: networkAddressOf(c) },
      deps,
    )
    return result.ok ? c.json(result.data, 201) : errorResponse(c, result.error)
  })
}
