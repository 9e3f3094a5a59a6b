import { createMiddleware } from 'hono/factory'
import type { Config } from '../env.ts'

/** Set by {@link securityHeaders}: what inline scripts of a streamed page carry. */
export type NonceVariables = { nonce: string }

const NONCE_BYTES = 16

/** Content security policy and its companions on every answer of the Worker; static files get theirs from `_headers`. */
export function securityHeaders(options: { config: Config; randomBytes: (length: number) => Uint8Array }) {
  const { CHAT_SCRIPT_URL, IMAGE_ORIGINS, API_BASE } = options.config
  const chatOrigin = CHAT_SCRIPT_URL ? new URL(CHAT_SCRIPT_URL).origin : ''
  const apiOrigin = API_BASE ? new URL(API_BASE).origin : ''

  return createMiddleware<{ Variables: NonceVariables }>(async function securityHeaders(c, next) {
    const nonce = btoa(String.fromCharCode(...options.randomBytes(NONCE_BYTES)))
    c.set('nonce', nonce)
    await next()
    const chat = c.req.path === '/' ? chatOrigin : ''
    const policy = {
      'default-src': "'none'",
      'script-src': `'self' 'nonce-${nonce}' ${chat}`,
      'style-src': "'self'",
      'img-src': `'self' data: ${IMAGE_ORIGINS.join(' ')} ${chat}`,
      'font-src': "'self'",
      'connect-src': `'self' ${apiOrigin} ${chat}`,
      'manifest-src': "'self'",
      'frame-src': chat || "'none'",
      'form-action': "'self'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    }
    const header = (name: string, value: string) => c.res.headers.set(name, value)
    header(
      'Content-Security-Policy',
      Object.entries(policy)
        .map(([directive, sources]) => `${directive} ${sources.trim().replace(/ +/g, ' ')}`)
        .join('; '),
    )
    header('Strict-Transport-Security', 'max-age=63072000; includeSubDomains')
    header('X-Content-Type-Options', 'nosniff')
    header('Referrer-Policy', 'strict-origin-when-cross-origin')
    header('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(self)')
    header('Cross-Origin-Opener-Policy', 'same-origin')
    header('Cross-Origin-Resource-Policy', 'same-origin')
  })
}
