import { createMiddleware } from 'hono/factory'
import type { Config } from '#server/env.ts'
import { CHALLENGE_ORIGIN } from '#server/platform/auth/challenge.ts'
import { href } from '#shared/routes.ts'

type PolicyConfig = Pick<Config, 'CHAT_SCRIPT_URL' | 'IMAGE_ORIGINS' | 'API_BASE' | 'TURNSTILE_SITE_KEY'>

/** The Content-Security-Policy contains a nonce only if the handler has called `nonce`. */
export type NonceVariables = { nonce: () => string }

const NONCE_BYTES = 16
const HOME_PATH = href('home')
const ORDER_PATH_PREFIX = `${href('findOrder')}/`
type Header = [name: string, value: string]

export const REPORTS_PATH = '/api/reports'

const FIXED_HEADERS = Object.entries({
  'Reporting-Endpoints': `csp="${REPORTS_PATH}"`,
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(self)',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
})

export function securityHeaders(options: {
  config: PolicyConfig
  randomBytes: (length: number) => Uint8Array
}) {
  const buildHeaders = createSecurityHeaders(options.config)

  return createMiddleware<{ Variables: NonceVariables }>(async function securityHeaders(c, next) {
    let nonce: string | undefined
    c.set('nonce', () => {
      nonce ??= options.randomBytes(NONCE_BYTES).toBase64()
      return nonce
    })
    await next()
    const { headers } = c.res
    for (const [name, value] of buildHeaders(c.req.path, nonce)) headers.set(name, value)
  })
}

export function createSecurityHeaders(config: PolicyConfig) {
  const { CHAT_SCRIPT_URL } = config
  const challenge = config.TURNSTILE_SITE_KEY ? [CHALLENGE_ORIGIN] : []
  const chat = CHAT_SCRIPT_URL ? [new URL(CHAT_SCRIPT_URL).origin] : []
  const homePolicy = createContentSecurityPolicy(config, { challenge, chat })
  const policy = createContentSecurityPolicy(config, { challenge, chat: [] })

  return (path: string, nonce?: string): Header[] => {
    const { start, end } = path === HOME_PATH ? homePolicy : policy
    return [
      ['Content-Security-Policy', nonce ? `${start} 'nonce-${nonce}'${end}` : start + end],
      ...FIXED_HEADERS,
      // The URL of an order's page can contain a signature, which no referrer may contain, not even within the shop.
      ...(path.startsWith(ORDER_PATH_PREFIX) ? [['Referrer-Policy', 'strict-origin'] satisfies Header] : []),
    ]
  }
}

/**
 * Only the client's two Trusted Types policies can create HTML and script URLs. Pages that allow third-party scripts
 * omit these directives, because those scripts need policies of their own.
 */
const TRUSTED_TYPES_DIRECTIVES = {
  'require-trusted-types-for': ["'script'"],
  'trusted-types': ['default', 'service-worker'],
}

/**
 * Only Home allows the chat widget (§ 2). Every page allows the challenge, because client-side navigation keeps the
 * document's policy.
 */
function createContentSecurityPolicy(
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
    ...(frames.length > 0 ? {} : TRUSTED_TYPES_DIRECTIVES),
    'report-to': ['csp'],
    // Browsers that don't support Reporting-Endpoints use this directive.
    'report-uri': [REPORTS_PATH],
  }
  const directives = Object.entries(rest).map(([directive, sources]) => `; ${directive} ${sources.join(' ')}`)
  return { start: ["default-src 'none'; script-src 'self'", ...frames].join(' '), end: directives.join('') }
}
