import { Hono } from 'hono'
import { errors } from '#shared/errors.ts'
import { answerError, isApiPath } from './api/answer.ts'
import type { Deps } from './deps.ts'
import type { ConfigurationError } from './env.ts'
import { logLine } from './middleware/log-line.ts'
import { requestId } from './middleware/request-id.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { errorPage } from './render/error-page.ts'

const RETRY_AFTER_SECONDS = '60'

/** What the Worker is while its configuration is incomplete: 503 for everything; only the log says what is missing. */
export function closedApp(error: ConfigurationError, world: Pick<Deps, 'clock' | 'randomBytes' | 'log'>) {
  const { message } = errors.closed
  return new Hono()
    .use(requestId(world))
    .use(logLine(world))
    .use(securityHeaders({ config: { IMAGE_ORIGINS: [] }, randomBytes: world.randomBytes }))
    .all('*', (c) => {
      c.var.fail(error.message)
      c.header('Retry-After', RETRY_AFTER_SECONDS)
      return isApiPath(c.req.path)
        ? answerError(c, 'closed')
        : c.html(errorPage('Closed for a moment', message), 503)
    })
}
