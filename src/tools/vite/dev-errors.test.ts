import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../ports.ts'
import { devErrors } from './dev-errors.ts'
import { toDevPage } from './dev-page.ts'

const { plugin, note } = devErrors()
let server: ViteDevServer
let url = ''

beforeAll(async () => {
  const port = await findFreePort()
  url = `http://localhost:${port}`
  server = await createServer({
    configFile: false,
    logLevel: 'silent',
    server: { port, strictPort: true, ws: false },
    appType: 'custom',
    plugins: [plugin],
  })
  await server.listen()
})
afterAll(() => server.close())

function respond(status: number, contentType: string): Promise<Response> {
  const headers = {
    'Content-Type': contentType,
    'Content-Security-Policy': "default-src 'none'; style-src 'self'; img-src 'self'",
    'X-Request-Id': '5f3a',
    'Content-Length': '6',
  }
  return toDevPage(new Response('<body>', { status, headers }))
}

describe('a page in development', () => {
  it('allows the overlay’s inline styles and is otherwise unchanged', async () => {
    const response = await respond(200, 'text/html; charset=utf-8')
    expect(response.headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'",
    )
    expect(await response.text()).toBe('<body>')
    expect(await (await respond(500, 'application/json')).text()).toBe('<body>')
  })

  it('shows the failures of its request if it is an error page', async () => {
    const failures = ['Error: boom\n    at AboutPage (src/about.tsx:1:2)']
    note(JSON.stringify({ at: '', requestId: '5f3a', failures }))
    const response = await respond(500, 'text/html; charset=utf-8')
    expect([response.status, response.headers.get('Content-Length')]).toEqual([500, null])
    const src = /<script type="module" src="([^"]+)">/.exec(await response.text())?.[1] ?? ''
    const script = await (await fetch(url + src)).text()
    expect(script).toContain('{"message":"Error: boom","stack":"    at AboutPage (src/about.tsx:1:2)"}')
    expect(script).toContain('location.reload()')
  })
})
