import * as z from 'zod/mini'
import { routes } from '../routes.ts'
import { call } from './call.ts'

const TEN_MINUTES_MS = 600_000
const milliseconds = z.optional(z.number().check(z.minimum(0), z.maximum(TEN_MINUTES_MS)))

/**
 * Reports how fast a page was for one visit, in ms; `cls` is the layout shift, without a unit. 204. 400
 * `invalid_fields`, 413, 415, 429 with Retry-After.
 */
export const reportVisit = call({
  method: 'POST',
  path: '/visits',
  request: z.object({
    page: z.enum([...Object.keys(routes), 'notFound']),
    lcp: milliseconds,
    inp: milliseconds,
    cls: z.optional(z.number().check(z.minimum(0), z.maximum(100))),
    hydration: milliseconds,
  }),
  response: z.undefined(),
})
export type VisitReport = z.infer<typeof reportVisit.request>
