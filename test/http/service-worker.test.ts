import { describe, expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import type { OfflineBuild } from '#shared/boot.ts'
import { testContext } from '#test/support/context.ts'

const ctx = testContext()

type Settings = Partial<typeof ctx.config>

function request(
  path: string,
  { headers = {}, settings = {} }: { headers?: HeadersInit; settings?: Settings } = {},
) {
  const config = { ...ctx.config, PAYMENTS: ['mpesa'] satisfies Settings['PAYMENTS'], ...settings }
  return createApp({ ...ctx, config }).request(`https://pamba.test${path}`, { headers })
}

async function parseBuild(response: Response): Promise<OfflineBuild | null> {
  const [, json = ''] = /^const build=(.*);$/m.exec(await response.text()) ?? []
  return JSON.parse(json)
}

describe('the service worker', () => {
  it('is a script for the whole site that browsers revalidate on every visit', async () => {
    const first = await request('/sw.js')
    expect(first.status).toBe(200)
    expect(first.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
    expect(first.headers.get('Cache-Control')).toBe('no-cache')
    const tag = first.headers.get('ETag') ?? ''
    expect(tag).toMatch(/^"[0-9a-f]{64}"$/)
    for (const known of [tag, `W/${tag}`])
      expect((await request('/sw.js', { headers: { 'If-None-Match': known } })).status).toBe(304)
  })

  it('contains an offline document with the usual security policy and no personal data', async () => {
    const build = await parseBuild(await request('/sw.js', { headers: { Cookie: '__Host-session=someone' } }))
    const page = await request('/about')
    expect(build?.headers['Content-Security-Policy']).toBe(page.headers.get('Content-Security-Policy'))
    expect(build?.headers['Content-Security-Policy']).toContain("; worker-src 'self';")
    expect(build?.boot).toMatchObject({ cookieUser: null, apiBase: '/api', payments: ['mpesa'] })
    expect(build?.shell.join('{}')).toMatch(/id="boot">\{\}<\/script>.*<div id="root"><\/div><script /)
    expect(build?.shell.join()).toContain('name="robots" content="noindex"')
  })

  it('contains no build if it is switched off, and pages don’t register it', async () => {
    const off = { settings: { SERVICE_WORKER: 'off' } } as const
    const response = await request('/sw.js', off)
    expect(response.headers.get('ETag')).not.toBe((await request('/sw.js')).headers.get('ETag'))
    expect(await parseBuild(response)).toBeNull()
    expect(await (await request('/about', off)).text()).toContain('"hasServiceWorker":false')
    expect(await (await request('/about')).text()).not.toContain('hasServiceWorker')
  })
})
