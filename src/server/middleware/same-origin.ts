import { createMiddleware } from 'hono/factory'
import { errors } from '#shared/errors.ts'
import { answerError, isApiPath } from '../api/answer.ts'
import type { Config } from '../env.ts'
import { errorPage } from '../render/error-page.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Refuses what another site makes a browser send here: an unsafe request without an Authorization header rests on
 * cookies, or could set one. Browsers say where a request comes from; programs that say nothing have no cookies to abuse.
 */
export function sameOrigin({ config }: { config: Config }) {
  return createMiddleware(async function sameOrigin(c, next) {
    const isSafe = SAFE_METHODS.includes(c.req.method) || c.req.header('Authorization') !== undefined
    if (isSafe || !isForeign(c.req.raw, config.SITE_ORIGIN)) return next()
    if (isApiPath(c.req.path)) return answerError(c, 'foreign_origin')
    return c.html(errorPage('Refused', errors.foreign_origin.message), 403)
  })
}

function isForeign({ headers, url }: Request, siteOrigin: string | undefined): boolean {
  const site = headers.get('Sec-Fetch-Site')
  if (site) return site !== 'same-origin' && site !== 'none'
  const origin = headers.get('Origin')
  return origin !== null && origin !== new URL(url).origin && origin !== siteOrigin
}
