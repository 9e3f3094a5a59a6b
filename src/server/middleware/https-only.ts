import { createMiddleware } from 'hono/factory'
import type { Config } from '../env.ts'
import { errorResponse } from '../http/errors.ts'

/** In production, redirects plain http to https, and refuses what was sent over it: it may have been read on the way. */
export function httpsOnly({ config }: { config: Pick<Config, 'ENVIRONMENT' | 'SITE_ORIGIN'> }) {
  return createMiddleware(async function httpsOnly(c, next) {
    const { protocol, pathname, search } = new URL(c.req.url)
    if (config.ENVIRONMENT === 'local' || protocol === 'https:') return next()
    if (!['GET', 'HEAD'].includes(c.req.method)) return errorResponse(c, 'https_required')
    return c.redirect(`${config.SITE_ORIGIN}${pathname}${search}`, 308)
  })
}
