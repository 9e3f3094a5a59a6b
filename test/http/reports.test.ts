import { describe, expect, it } from 'vitest'
import { runHousekeeping } from '#server/housekeeping.ts'
import { visitSpeeds } from '#server/platform/db/schema.ts'
import { readPageSpeeds } from '#server/reports/visits.ts'
import { NOW_MS, testContext } from '#test/support/context.ts'
import { postJson } from '#test/support/posting.ts'

const PATH = '/api/reports'
const body = (blockedURL: string) => ({
  effectiveDirective: 'script-src-elem',
  blockedURL,
  documentURL: 'https://pamba.test/reset-password?oobCode=secret',
})
const send = (ctx: ReturnType<typeof testContext>, sent: unknown, type = 'application/reports+json') =>
  postJson(ctx, PATH, sent, { 'Content-Type': type })

it('policy violations are logged without query strings', async () => {
  const ctx = testContext()
  const reports = [
    { type: 'csp-violation', body: body('https://evil.example/x.js?token=secret') },
    { type: 'csp-violation', body: body('inline\n{"forged":true}') },
    { type: 'deprecation', body: body('https://other.example') },
  ]
  expect((await send(ctx, reports)).status).toBe(204)
  const line = {
    level: 'error',
    at: new Date(NOW_MS).toISOString(),
    report: 'csp-violation',
    directive: 'script-src-elem',
    page: '/reset-password',
  }
  expect(ctx.reports).toEqual([
    { ...line, blocked: 'https://evil.example' },
    { ...line, blocked: 'inline{"forged":true}' },
  ])
})

it('reports from browsers without the Reporting API are logged too', async () => {
  const ctx = testContext()
  const report = { 'effective-directive': 'img-src', 'blocked-uri': 'data', 'document-uri': 'https://a.b/x' }
  expect((await send(ctx, { 'csp-report': report }, 'application/csp-report')).status).toBe(204)
  expect(ctx.reports).toMatchObject([{ directive: 'img-src', blocked: 'data', page: '/x' }])
})

it('at most five reports per request are logged, and none above the rate limit', async () => {
  const many = Array.from({ length: 50 }, () => ({ type: 'csp-violation', body: body('eval') }))
  const ctx = testContext()
  await send(ctx, many)
  expect(ctx.reports).toHaveLength(5)
  for (const limiter of ['writes', 'everyone']) {
    const full = testContext({ limits: { ...ctx.limits, [limiter]: async () => false } })
    expect((await send(full, many)).status).toBe(429)
    expect(full.reports).toEqual([])
  }
})

it.each(['', '{', 'null', '7', '{}', '[{}]', '[{"type":"csp-violation"}]', `"${'x'.repeat(20_000)}"`])(
  'the malformed report %j is not logged',
  async (sent) => {
    const ctx = testContext()
    expect([400, 413, 204]).toContain((await send(ctx, sent)).status)
    expect(ctx.reports).toEqual([])
  },
)

describe('a visit report', () => {
  const report = (ctx: ReturnType<typeof testContext>, body: unknown) => postJson(ctx, '/api/visits', body)
  const DAY_MS = 86_400_000

  it('counts towards the 75th percentile of its page for seven days', async () => {
    const ctx = testContext()
    for (const lcp of [812.4, 1234, 1249, 4000])
      expect((await report(ctx, { page: 'shop', lcp, hydration: lcp + 300, cls: 0.0123 })).status).toBe(204)
    await report(ctx, { page: 'product', inp: 48 })
    await ctx.backgroundDone()
    expect(await readPageSpeeds(ctx)).toEqual([
      { page: 'product', visits: 1, inp: 48 },
      { page: 'shop', visits: 4, lcp: 1200, hydration: 1500, cls: 0.012 },
    ])
    const nextWeek = { ...ctx, clock: () => NOW_MS + 7 * DAY_MS }
    expect(await readPageSpeeds(nextWeek)).toEqual([])
    await runHousekeeping({ ...ctx, clock: () => NOW_MS + 92 * DAY_MS })
    expect(await ctx.db.select().from(visitSpeeds)).toEqual([])
  })

  it.each([
    [{}, 'page'],
    [{ page: 'admin' }, 'page'],
    [{ page: 'shop', lcp: -1 }, 'lcp'],
    [{ page: 'shop', lcp: 1e9 }, 'lcp'],
    [{ page: 'shop', inp: '12' }, 'inp'],
    [{ page: 'shop', cls: 1e3 }, 'cls'],
  ])('of %j is rejected because of its %s', async (body, field) => {
    const ctx = testContext()
    const response = await report(ctx, body)
    expect([response.status, Object.keys((await response.json<{ errors: object }>()).errors)]).toEqual([
      400,
      [field],
    ])
    expect(await readPageSpeeds(ctx)).toEqual([])
  })

  it('is ignored above the rate limit', async () => {
    const ctx = testContext()
    const full = testContext({ limits: { ...ctx.limits, everyone: async () => false } })
    expect((await report(full, { page: 'shop', lcp: 900 })).status).toBe(429)
    expect(await readPageSpeeds(ctx)).toEqual([])
  })
})
