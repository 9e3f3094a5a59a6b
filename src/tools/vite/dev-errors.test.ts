import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../ports.ts'
import { devErrors } from './dev-errors.ts'

const POLICY = "default-src 'none'; style-src 'self'; img-src 'self'"
const { plugin, note } = devErrors()
let server: ViteDevServer
let url = ''

beforeAll(async () => {
  const port = await freePort()
  url = `http://localhost:${port}`
  server = await createServer({
    configFile: false,
    logLevel: 'silent',
    server: { port, strictPort: true, ws: false },
    appType: 'custom',
    plugins: [
      {
        name: 'answers-as-the-worker',
        configureServer({ middlewares }) {
          middlewares.use((request, response) => {
            const status = request.url === '/broken' ? 500 : 200
            const type = request.url === '/data' ? 'application/json' : 'text/html; charset=utf-8'
            response.writeHead(status, {
              'content-type': type,
              'content-security-policy': POLICY,
              'x-request-id': '5f3a',
              'content-length': '6',
            })
            response.end('<body>')
          })
        },
      },
      plugin,
    ],
  })
  await server.listen()
})
afterAll(() => server.close())

const get = (path: string) => fetch(url + path, { headers: { Accept: 'text/html' } })

describe('a page in development', () => {
  it('allows the overlay’s inline styles and is otherwise unchanged', async () => {
    const response = await get('/')
    expect(response.headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'",
    )
    expect(await response.text()).toBe('<body>')
  })

  it('shows the failures of its request if it is an error page', async () => {
    note(
      JSON.stringify({
        at: '',
        requestId: '5f3a',
        failures: ['Error: boom\n    at AboutPage (src/about.tsx:1:2)'],
      }),
    )
    const page = await (await get('/broken')).text()
    const address = /<script type="module" src="([^"]+)">/.exec(page)?.[1] ?? ''
    const script = await (await get(address)).text()
    expect(script).toContain('{"message":"Error: boom","stack":"    at AboutPage (src/about.tsx:1:2)"}')
    expect(script).toContain('location.reload()')
  })
})
