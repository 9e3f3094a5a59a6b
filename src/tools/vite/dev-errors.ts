import type { ServerResponse } from 'node:http'
import { stripVTControlCharacters } from 'node:util'
import type { Plugin } from 'vite'
import { findFailures } from '../print-log.ts'

const SCRIPT_PATH = '/@dev-errors.js'
const FILE_CHANGED = 'dev-errors:file-changed'
/** Time for Vite to invalidate the changed modules. */
const RELOAD_DELAY_MS = 100
const MAX_FAILED_REQUESTS = 20

/** Shows server errors in Vite's overlay and reloads after a change. `note` must receive each line of the Worker's log. */
export function devErrors(): { plugin: Plugin; note: (message: string) => void } {
  const failures = new Map<string, string[]>()

  const plugin: Plugin = {
    name: 'pamba:dev-errors',
    apply: 'serve',
    // Before the Cloudflare plugin, which handles all requests.
    enforce: 'pre',
    configureServer({ middlewares, watcher, environments }) {
      const reload = () => setTimeout(() => environments.client?.hot.send(FILE_CHANGED), RELOAD_DELAY_MS)
      watcher.on('change', reload).on('add', reload).on('unlink', reload)

      middlewares.use((request, response, next) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
        if (pathname === SCRIPT_PATH) {
          response.setHeader('Content-Type', 'text/javascript')
          return response.end(pageScript(failures.get(searchParams.get('request') ?? '')))
        }
        if (request.headers.accept?.includes('text/html')) extendPages(response)
        next()
      })
    },
  }

  return {
    plugin,
    note(message) {
      const failed = findFailures(message)
      if (!failed) return
      failures.set(failed.requestId, failed.failures)
      const [oldest] = failures.keys()
      if (failures.size > MAX_FAILED_REQUESTS && oldest !== undefined) failures.delete(oldest)
    },
  }
}

/** Allows the overlay's inline styles, and adds the script to error pages. */
function extendPages(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response)
  const end = response.end.bind(response)
  const isErrorPage = () =>
    response.statusCode >= 500 && /^text\/html/.test(getHeader(response, 'content-type'))

  Object.assign(response, {
    writeHead(status: number, headers: Record<string, string | string[]> = {}) {
      response.statusCode = status
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      const policy = getHeader(response, 'content-security-policy')
      if (policy)
        response.setHeader(
          'Content-Security-Policy',
          policy.replace("style-src 'self'", "$& 'unsafe-inline'"),
        )
      if (isErrorPage()) response.removeHeader('Content-Length')
      return writeHead(status)
    },
    end(chunk?: string | Uint8Array) {
      if (!isErrorPage()) return chunk === undefined ? end() : end(chunk)
      if (chunk !== undefined) response.write(chunk)
      const address = `${SCRIPT_PATH}?request=${getHeader(response, 'x-request-id')}`
      return end(`<script type="module" src="${address}"></script>`)
    },
  })
}

function getHeader(response: ServerResponse, name: string): string {
  return String(response.getHeader(name) ?? '')
}

function pageScript(failures: readonly string[] | undefined): string {
  const [message = '', ...stack] = stripVTControlCharacters(failures?.join('\n\n') ?? '').split('\n    at ')
  const error = { message, stack: stack.map((line) => `    at ${line}`).join('\n') }
  return `import { createHotContext, ErrorOverlay } from '/@vite/client'
createHotContext('${SCRIPT_PATH}').on('${FILE_CHANGED}', () => location.reload())
const error = ${JSON.stringify(error)}
if (error.message && !document.querySelector('vite-error-overlay')) document.body.append(new ErrorOverlay(error))
`
}
