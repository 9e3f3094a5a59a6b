import { createMiddleware } from 'hono/factory'
import type { Config } from '#server/env.ts'
import { respondWithError } from '#server/platform/http/errors.ts'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Requests with neither Sec-Fetch-Site nor Origin pass, because browsers send at least one of them with unsafe methods.
 */
export function requireSameOrigin({ config }: { config: Config }) {
  return createMiddleware(async function requireSameOrigin(c, next) {
    const isSafe = SAFE_METHODS.includes(c.req.method) || c.req.header('Authorization') !== undefined
    if (isSafe || !isCrossOrigin(c.req.raw, config.SITE_ORIGIN)) return next()
    return respondWithError(c, 'foreign_origin')
  })
}

function isCrossOrigin({ headers, url }: Request, siteOrigin: string | undefined): boolean {
  const site = headers.get('Sec-Fetch-Site')
  if (site) return site !== 'same-origin' && site !== 'none'
  const origin = headers.get('Origin')
  return origin !== null && origin !== new URL(url).origin && origin !== siteOrigin
}

/** Redirects GET and HEAD to https. Rejects other methods, because their body has already been sent unencrypted. */
export function requireHttps({ config }: { config: Pick<Config, 'ENVIRONMENT' | 'SITE_ORIGIN'> }) {
  return createMiddleware(async function requireHttps(c, next) {
    const { protocol, pathname, search } = new URL(c.req.url)
    if (config.ENVIRONMENT === 'local' || protocol === 'https:') return next()
    if (!['GET', 'HEAD'].includes(c.req.method)) return respondWithError(c, 'https_required')
    return c.redirect(`${config.SITE_ORIGIN}${pathname}${search}`, 308)
  })
}
