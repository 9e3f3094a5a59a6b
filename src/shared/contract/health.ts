import * as z from 'zod/mini'
import { call } from './call.ts'

/** The shop's health: its version and whether the database answers. 503 when it does not. */
export const health = call({
  method: 'GET',
  path: '/health',
  request: z.undefined(),
  response: z.object({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    database: z.enum(['ok', 'unavailable']),
  }),
})
