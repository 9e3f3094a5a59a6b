import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import * as z from 'zod/mini'
import type { ServiceContext } from '#server/context.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { getContentType, requireJson, validateJson } from '#server/platform/http/body.ts'
import { respondWithError } from '#server/platform/http/errors.ts'
import { getIpAddress } from '#server/platform/http/request.ts'
import { REPORTS_PATH } from '#server/platform/middleware/security-headers.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import { reportVisitCall } from '#shared/reports/contract.ts'
import { recordVisit } from './visits.ts'

const MAX_BODY_BYTES = 16 * 1024
const REPORT_CONTENT_TYPES = ['application/reports+json', 'application/csp-report', 'application/json']
const MAX_REPORTS = 5
const MAX_FIELD_CHARACTERS = 200

const lenientTextSchema = z.catch(z.string(), '')
const reportsSchema = z.array(
  z.object({
    type: lenientTextSchema,
    body: z.object({
      effectiveDirective: lenientTextSchema,
      blockedURL: lenientTextSchema,
      documentURL: lenientTextSchema,
    }),
  }),
)
const legacyReportSchema = z.object({
  'csp-report': z.object({
    'effective-directive': lenientTextSchema,
    'blocked-uri': lenientTextSchema,
    'document-uri': lenientTextSchema,
  }),
})

export function reportRoutes(ctx: ServiceContext) {
  const limitBodySize = bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: (c) => respondWithError(c, 'too_large'),
  })
  return new Hono<AppEnv>().post(REPORTS_PATH, limitBodySize, async (c) => {
    if (!REPORT_CONTENT_TYPES.includes(getContentType(c)))
      return respondWithError(c, 'unsupported_media_type')
    const { limits } = ctx
    const isAllowed =
      (await limits.writes(`report from ${getIpAddress(c)}`)) && (await limits.everyone('report'))
    if (!isAllowed) return respondWithError(c, tooManyRequestsError)
    const reports = parseCspViolations(await c.req.json().catch(() => undefined))
    if (!reports) return respondWithError(c, 'bad_request')
    for (const report of reports.slice(0, MAX_REPORTS))
      ctx.log({
        level: 'error',
        at: new Date(ctx.clock()).toISOString(),
        report: 'csp-violation',
        directive: toLogText(report.directive),
        blocked: toLogText(toOriginOrKeyword(report.blocked)),
        page: toLogText(URL.parse(report.page)?.pathname ?? ''),
      })
    return c.body(null, 204)
  })
}

type CspViolation = { directive: string; blocked: string; page: string }

function parseCspViolations(body: unknown): CspViolation[] | undefined {
  const reports = reportsSchema.safeParse(body)
  if (reports.success) {
    return reports.data
      .filter(({ type }) => type === 'csp-violation')
      .map(({ body: { effectiveDirective: directive, blockedURL: blocked, documentURL: page } }) => ({
        directive,
        blocked,
        page,
      }))
  }
  const legacy = legacyReportSchema.safeParse(body)
  if (!legacy.success) return undefined
  const report = legacy.data['csp-report']
  return [
    {
      directive: report['effective-directive'],
      blocked: report['blocked-uri'],
      page: report['document-uri'],
    },
  ]
}

/**
 * Keeps only a URL's origin or, if it has none, its scheme, because the rest can contain personal data. Keywords such
 * as `inline` stay.
 */
function toOriginOrKeyword(blocked: string): string {
  const url = URL.parse(blocked)
  if (!url) return blocked
  return url.origin === 'null' ? url.protocol : url.origin
}

function toLogText(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_FIELD_CHARACTERS)
}

export function visitRoutes(ctx: ServiceContext) {
  return new Hono().post(reportVisitCall.path, requireJson, validateJson(reportVisitCall), async (c) => {
    const result = await recordVisit({ ...c.req.valid('json'), ipAddress: getIpAddress(c) }, ctx)
    return result.ok ? c.body(null, 204) : respondWithError(c, result.error)
  })
}
