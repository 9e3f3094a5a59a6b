import * as z from 'zod/mini'
import { defineCall } from '#shared/api-call.ts'
import { routes } from '#shared/routes.ts'

const TEN_MINUTES_MS = 600_000
const createBoundedNumberSchema = (max: number, problem: string) =>
  z.optional(z.number(problem).check(z.minimum(0, problem), z.maximum(max, problem)))
const millisecondsSchema = createBoundedNumberSchema(TEN_MINUTES_MS, 'Durations must be in milliseconds.')

/** Durations are in milliseconds; `cls` has no unit. */
export const reportVisitCall = defineCall({
  method: 'POST',
  path: '/visits',
  request: z.object({
    page: z.enum([...Object.keys(routes), 'notFound'], 'Unknown page.'),
    lcp: millisecondsSchema,
    inp: millisecondsSchema,
    cls: createBoundedNumberSchema(100, 'Layout shift must be a number.'),
    hydration: millisecondsSchema,
  }),
  response: z.undefined(),
})
export type VisitReport = z.infer<typeof reportVisitCall.request>
