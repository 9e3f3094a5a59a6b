import { stripVTControlCharacters } from 'node:util'
import type { Plugin } from 'vite'
import { findFailures } from '../print-log.ts'
import { ERROR_SCRIPT } from './dev-page.ts'

const FILE_CHANGED = 'dev-errors:file-changed'
/** After this time, Vite has invalidated the changed modules. */
const RELOAD_DELAY_MS = 100
const MAX_FAILED_REQUESTS = 20

/** Shows server errors in Vite's overlay and reloads after changes. Call `note` with each line of the Worker's log. */
export function devErrors(): { plugin: Plugin; note: (message: string) => void } {
  const failures = new Map<string, string[]>()

  const plugin: Plugin = {
    name: 'pamba:dev-errors',
    apply: 'serve',
    // This plugin must precede the Cloudflare plugin, which handles all requests.
    enforce: 'pre',
    configureServer({ middlewares, watcher, environments }) {
      const reload = () => setTimeout(() => environments.client?.hot.send(FILE_CHANGED), RELOAD_DELAY_MS)
      watcher.on('change', reload).on('add', reload).on('unlink', reload)

      middlewares.use((request, response, next) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
        if (pathname !== ERROR_SCRIPT) return next()
        response.setHeader('Content-Type', 'text/javascript')
        response.end(createPageScript(failures.get(searchParams.get('request') ?? '')))
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

function createPageScript(failures: readonly string[] | undefined): string {
  const [message = '', ...stack] = stripVTControlCharacters(failures?.join('\n\n') ?? '').split('\n    at ')
  const error = { message, stack: stack.map((line) => `    at ${line}`).join('\n') }
  return `import { createHotContext, ErrorOverlay } from '/@vite/client'
createHotContext('${ERROR_SCRIPT}').on('${FILE_CHANGED}', () => location.reload())
const error = ${JSON.stringify(error)}
if (error.message && !document.querySelector('vite-error-overlay')) document.body.append(new ErrorOverlay(error))
`
}
