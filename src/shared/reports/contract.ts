import * as z from 'zod/mini'
import { defineCall } from '#shared/api-call.ts'
import { routes } from '#shared/routes.ts'

const TEN_MINUTES_MS = 600_000
const boundedNumber = (max: number, problem: string) =>
  z.optional(z.number(problem).check(z.minimum(0, problem), z.maximum(max, problem)))
const milliseconds = boundedNumber(TEN_MINUTES_MS, 'Durations must be in milliseconds.')

/** Durations are in milliseconds; `cls` has no unit. */
export const reportVisitCall = defineCall({
  method: 'POST',
  path: '/visits',
  request: z.object({
    page: z.enum([...Object.keys(routes), 'notFound'], 'Unknown page.'),
    lcp: milliseconds,
    inp: milliseconds,
    cls: boundedNumber(100, 'Layout shift must be a number.'),
    hydration: milliseconds,
  }),
  response: z.undefined(),
})
export type VisitReport = z.infer<typeof reportVisitCall.request>
