import { createMiddleware } from 'hono/factory'
import type { Config } from '#server/env.ts'
import { CHALLENGE_ORIGIN } from '#server/platform/auth/challenge.ts'
import { href } from '#shared/routes.ts'

type PolicyConfig = Pick<Config, 'CHAT_SCRIPT_URL' | 'IMAGE_ORIGINS' | 'API_BASE' | 'TURNSTILE_SITE_KEY'>

/** Set by {@link securityHeaders}: returns the nonce for the response's inline scripts; without a call, the policy has none. */
export type NonceVariables = { nonce: () => string }

const NONCE_BYTES = 16
const HOME = href('home')
const ORDERS = `${href('findOrder')}/`
type Header = [name: string, value: string]

/** Where browsers report what the policy blocked (`api/reports.ts`). */
export const REPORTS_PATH = '/api/reports'

const OTHER_HEADERS = Object.entries({
  'Reporting-Endpoints': `csp="${REPORTS_PATH}"`,
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(self)',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
})

/** Sets the content security policy and related headers on every response; static files get theirs from `_headers`. */
export function securityHeaders(options: {
  config: PolicyConfig
  randomBytes: (length: number) => Uint8Array
}) {
  const headersOf = securityHeadersOf(options.config)

  return createMiddleware<{ Variables: NonceVariables }>(async function securityHeaders(c, next) {
    let nonce: string | undefined
    c.set('nonce', () => {
      nonce ??= options.randomBytes(NONCE_BYTES).toBase64()
      return nonce
    })
    await next()
    const { headers } = c.res
    for (const [name, value] of headersOf(c.req.path, nonce)) headers.set(name, value)
  })
}

/** The security headers of a response at a path; its inline scripts run only with the nonce. */
export function securityHeadersOf(config: PolicyConfig) {
  const { CHAT_SCRIPT_URL } = config
  const challenge = config.TURNSTILE_SITE_KEY ? [CHALLENGE_ORIGIN] : []
  const chat = CHAT_SCRIPT_URL ? [new URL(CHAT_SCRIPT_URL).origin] : []
  const homePolicy = contentSecurityPolicy(config, { challenge, chat })
  const policy = contentSecurityPolicy(config, { challenge, chat: [] })

  return (path: string, nonce?: string): Header[] => {
    const { start, end } = path === HOME ? homePolicy : policy
    return [
      ['Content-Security-Policy', nonce ? `${start} 'nonce-${nonce}'${end}` : start + end],
      ...OTHER_HEADERS,
      // The address of an order's page can hold a signature that opens it.
      ...(path.startsWith(ORDERS) ? [['Referrer-Policy', 'strict-origin'] satisfies Header] : []),
    ]
  }
}

/**
 * No string becomes markup or script in the browser, except what the default policy of `client/entry.tsx` lets through,
 * and the service worker's address. Left out where others' scripts run: they need policies of their own.
 */
const TRUSTED_TYPES = {
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ['default', 'service-worker'],
}

/**
 * The policy, cut where a nonce goes. Only Home's admits the chat widget's origin (§ 2); the challenge may be shown on
 * every page, because a document stays the same while pages change within it.
 */
function contentSecurityPolicy(
  { IMAGE_ORIGINS, API_BASE }: PolicyConfig,
  { challenge, chat }: { challenge: readonly string[]; chat: readonly string[] },
) {
  const frames = [...challenge, ...chat]
  const api = API_BASE ? [new URL(API_BASE).origin] : []
  const rest = {
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', ...IMAGE_ORIGINS, ...chat],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...api, ...chat],
    'manifest-src': ["'self'"],
    'worker-src': ["'self'"],
    'frame-src': frames.length > 0 ? frames : ["'none'"],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
    ...(frames.length > 0 ? {} : TRUSTED_TYPES),
    'report-to': ['csp'],
    // For browsers without Reporting-Endpoints.
    'report-uri': [REPORTS_PATH],
  }
  const directives = Object.entries(rest).map(([directive, sources]) => `; ${directive} ${sources.join(' ')}`)
  return { start: ["default-src 'none'; script-src 'self'", ...frames].join(' '), end: directives.join('') }
}
