import { expect, it } from 'vitest'
import { NOW_MS, testDeps } from '#test/support/deps.ts'
import { postJson } from '#test/support/posting.ts'

const PATH = '/api/reports'
const body = (blockedURL: string) => ({
  effectiveDirective: 'script-src-elem',
  blockedURL,
  documentURL: 'https://pamba.test/reset-password?oobCode=secret',
})
const send = (deps: ReturnType<typeof testDeps>, sent: unknown, type = 'application/reports+json') =>
  postJson(deps, PATH, sent, { 'Content-Type': type })

it('logs what the policy blocked, without query strings', async () => {
  const deps = testDeps()
  const sent = [
    { type: 'csp-violation', body: body('https://evil.example/x.js?token=secret') },
    { type: 'csp-violation', body: body('inline\n{"forged":true}') },
    { type: 'deprecation', body: body('https://other.example') },
  ]
  expect((await send(deps, sent)).status).toBe(204)
  const line = {
    level: 'error',
    at: new Date(NOW_MS).toISOString(),
    report: 'csp-violation',
    directive: 'script-src-elem',
    page: '/reset-password',
  }
  expect(deps.reports).toEqual([
    { ...line, blocked: 'https://evil.example' },
    { ...line, blocked: 'inline{"forged":true}' },
  ])
})

it('takes the reports of browsers without the Reporting API', async () => {
  const deps = testDeps()
  const report = { 'effective-directive': 'img-src', 'blocked-uri': 'data', 'document-uri': 'https://a.b/x' }
  expect((await send(deps, { 'csp-report': report }, 'application/csp-report')).status).toBe(204)
  expect(deps.reports).toMatchObject([{ directive: 'img-src', blocked: 'data', page: '/x' }])
})

it('logs five of one request at most, and none beyond the limit', async () => {
  const many = Array.from({ length: 50 }, () => ({ type: 'csp-violation', body: body('eval') }))
  const deps = testDeps()
  await send(deps, many)
  expect(deps.reports).toHaveLength(5)
  for (const limiter of ['writes', 'everyone']) {
    const full = testDeps({ limits: { ...deps.limits, [limiter]: async () => false } })
    expect((await send(full, many)).status).toBe(429)
    expect(full.reports).toEqual([])
  }
})

it.each(['', '{', 'null', '7', '{}', '[{}]', '[{"type":"csp-violation"}]', `"${'x'.repeat(20_000)}"`])(
  'logs nothing for %j',
  async (sent) => {
    const deps = testDeps()
    expect([400, 413, 204]).toContain((await send(deps, sent)).status)
    expect(deps.reports).toEqual([])
  },
)
