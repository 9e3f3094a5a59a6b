import { Hono } from 'hono'
import { sendMessage } from '#shared/contract/contact.ts'
import type { Deps } from '../deps.ts'
import { limitByAddress } from '../middleware/limit-by-address.ts'
import { sendContactMessage } from '../services/contact/send.ts'
import { jsonOnly, validBody } from './body.ts'

/** `POST /api/contact`. */
export function contactApi(deps: Deps) {
  return new Hono().post(
    sendMessage.path,
    limitByAddress(deps.limits.writes, 'contact'),
    jsonOnly,
    validBody(sendMessage),
    async (c) => c.json(await sendContactMessage(c.req.valid('json'), deps), 201),
  )
}
