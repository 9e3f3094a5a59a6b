import { asc, gte, sql } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { visitSpeeds } from '#server/platform/db/schema.ts'
import { tooManyRequestsError } from '#server/platform/rate-limit.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import type { VisitReport } from '#shared/reports/contract.ts'
import { listShopDaysUntil } from '#shared/time.ts'

const METRICS = ['lcp', 'inp', 'cls', 'hydration'] as const
export type Metric = (typeof METRICS)[number]

const SIGNIFICANT_DIGITS = 2
export const PAGE_SPEED_DAYS = 7
const PERCENTILE = 0.75

type VisitReportInput = VisitReport & { ipAddress: string }

export async function recordVisit(
  { page, ipAddress, ...figures }: VisitReportInput,
  ctx: ServiceContext,
): Promise<Result<undefined, ServiceError<'too_many_requests'>>> {
  const { db, limits } = ctx
  const isAllowed = (await limits.writes(`visit from ${ipAddress}`)) && (await limits.everyone('visit'))
  if (!isAllowed) return { ok: false, error: tooManyRequestsError }
  const day = listShopDaysUntil(ctx.clock(), 1)[0]?.name ?? ''
  const rows = METRICS.flatMap((metric) => {
    const figure = figures[metric]
    return figure === undefined
      ? []
      : [{ day, page, metric, figure: Number(figure.toPrecision(SIGNIFICANT_DIGITS)), visits: 1 }]
  })
  if (rows.length > 0) {
    const insert = db.insert(visitSpeeds).values(rows)
    const counted = insert.onConflictDoUpdate({
      target: [visitSpeeds.day, visitSpeeds.page, visitSpeeds.metric, visitSpeeds.figure],
      set: { visits: sql`${visitSpeeds.visits} + 1` },
    })
    ctx.waitUntil(counted.then(undefined, () => {}))
  }
  return { ok: true, data: undefined }
}

export type PageSpeed = { page: string; visits: number } & Partial<Record<Metric, number>>

export async function readPageSpeeds({ db, clock }: OwnerContext): Promise<PageSpeed[]> {
  const since = listShopDaysUntil(clock(), PAGE_SPEED_DAYS)[0]?.name ?? ''
  const rows = await db
    .select({
      page: visitSpeeds.page,
      metric: visitSpeeds.metric,
      figure: visitSpeeds.figure,
      visits: sql<number>`sum(${visitSpeeds.visits})`.mapWith(Number),
    })
    .from(visitSpeeds)
    .where(gte(visitSpeeds.day, since))
    .groupBy(visitSpeeds.page, visitSpeeds.metric, visitSpeeds.figure)
    .orderBy(asc(visitSpeeds.page), asc(visitSpeeds.metric), asc(visitSpeeds.figure))
  const pages = Map.groupBy(rows, ({ page }) => page)
  return [...pages].map(([page, pageRows]) => {
    const speed: PageSpeed = { page, visits: 0 }
    for (const [metric, counts] of Map.groupBy(pageRows, ({ metric }) => metric)) {
      const total = counts.reduce((sum, { visits }) => sum + visits, 0)
      speed.visits = Math.max(speed.visits, total)
      speed[metric] = calculatePercentile(counts, total * PERCENTILE)
    }
    return speed
  })
}

function calculatePercentile(counts: readonly { figure: number; visits: number }[], share: number): number {
  let cumulativeVisits = 0
  for (const { figure, visits } of counts) {
    cumulativeVisits += visits
    if (cumulativeVisits >= share) return figure
  }
  return 0
}
