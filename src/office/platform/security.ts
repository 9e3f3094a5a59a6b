import { createMiddleware } from 'hono/factory'
import type { OfficeConfig } from '#office/context.ts'
import { getAccessOrigin } from './access.ts'
import { renderErrorPage } from './layout.tsx'

type SecurityConfig = Pick<OfficeConfig, 'ENVIRONMENT' | 'IMAGE_ORIGINS' | 'ACCESS_TEAM' | 'PUSH_SANDBOX'>

export function setOfficeHeaders({ config }: { config: SecurityConfig }) {
  const headers = Object.entries({
    'Content-Security-Policy': createContentSecurityPolicy(config),
    'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
    'X-Content-Type-Options': 'nosniff',
    'X-Robots-Tag': 'noindex, nofollow',
    // With `no-referrer`, browsers would send `Origin: null` when they post forms.
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  })
  return createMiddleware(async function setOfficeHeaders(c, next) {
    await next()
    for (const [name, value] of headers) c.res.headers.set(name, value)
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store')
  })
}

function createContentSecurityPolicy({ IMAGE_ORIGINS, ACCESS_TEAM, PUSH_SANDBOX }: SecurityConfig): string {
  const images = IMAGE_ORIGINS.split(/[,\s]+/).filter(Boolean)
  // If the Access session has ended, Access redirects a posted form to its login page, which `form-action` must allow.
  const loginOrigins = ACCESS_TEAM ? [getAccessOrigin(ACCESS_TEAM)] : []
  const directives = {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', ...images],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...(PUSH_SANDBOX ? [PUSH_SANDBOX] : [])],
    'manifest-src': ["'self'"],
    'worker-src': ["'self'"],
    'form-action': ["'self'", ...loginOrigins],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  }
  return Object.entries(directives)
    .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
    .join('; ')
}

export function requireHttps({ config }: { config: SecurityConfig }) {
  return createMiddleware(async function requireHttps(c, next) {
    if (config.ENVIRONMENT === 'local' || new URL(c.req.url).protocol === 'https:') return next()
    return renderErrorPage(c, 403, 'The office only works over HTTPS.')
  })
}

export const requireSameOrigin = createMiddleware(async function requireSameOrigin(c, next) {
  if (['GET', 'HEAD'].includes(c.req.method)) return next()
  const site = c.req.header('Sec-Fetch-Site')
  const origin = c.req.header('Origin')
  const isSameOrigin = origin === new URL(c.req.url).origin && (site === undefined || site === 'same-origin')
  return isSameOrigin
    ? next()
    : renderErrorPage(
        c,
        403,
        'This form wasn’t sent from the office, so we blocked it. Please go back, reload the page and try again.',
      )
})
