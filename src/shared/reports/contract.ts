import * as z from 'zod/mini'
import { defineCall } from '#shared/api-call.ts'
import { routes } from '#shared/routes.ts'

const TEN_MINUTES_MS = 600_000
const boundedNumber = (most: number, problem: string) =>
  z.optional(z.number(problem).check(z.minimum(0, problem), z.maximum(most, problem)))
const milliseconds = boundedNumber(TEN_MINUTES_MS, 'A duration is a number of milliseconds.')

/**
 * Page speed of one visit, in milliseconds; `cls` has no unit. 204; 400 `invalid_fields`, 413, 415, 429 with
 * Retry-After.
 */
export const reportVisit = defineCall({
  method: 'POST',
  path: '/visits',
  request: z.object({
    page: z.enum([...Object.keys(routes), 'notFound'], 'The page is not known.'),
    lcp: milliseconds,
    inp: milliseconds,
    cls: boundedNumber(100, 'The layout shift is a number.'),
    hydration: milliseconds,
  }),
  response: z.undefined(),
})
export type VisitReport = z.infer<typeof reportVisit.request>
