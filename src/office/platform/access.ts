import { createMiddleware } from 'hono/factory'
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import type { Identity, OfficeConfig, OfficeEnv } from '#office/context.ts'
import { errorPage } from './layout.tsx'

/** Access puts its proof of who asks into this header, and removes what a visitor sent in it. */
export const ACCESS_HEADER = 'Cf-Access-Jwt-Assertion'

/** Who acts while the office runs on the operator's own machine. */
export const LOCAL_IDENTITY: Identity = { email: 'operator@localhost' }
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** `forbidden`: no identity, or one that does not hold. `unavailable`: the team's keys cannot be had. */
type Verified = Identity | 'forbidden' | 'unavailable'

type AccessDeps = {
  config: Pick<OfficeConfig, 'ENVIRONMENT' | 'ACCESS_TEAM' | 'ACCESS_AUDIENCE'>
  clock: () => number
  /** How the team's keys are fetched. */
  fetch: typeof fetch
}

/**
 * Lets only people pass whom Cloudflare Access has signed in to this application: 403 to everybody else, and to
 * everybody while Access is not set up. On the operator's own machine {@link LOCAL_IDENTITY} passes.
 */
export function requireIdentity(ctx: AccessDeps) {
  const verify = identityVerifier(ctx)
  return createMiddleware<OfficeEnv>(async function requireIdentity(c, next) {
    const verified = await verify(c.req.raw)
    if (verified === 'unavailable')
      return errorPage(c, 503, 'We can’t verify who you are right now. Please try again in a minute.')
    if (verified === 'forbidden') return errorPage(c, 403, 'You don’t have access to the office.')
    c.set('identity', verified)
    await next()
  })
}

function identityVerifier({ config, clock, fetch }: AccessDeps): (request: Request) => Promise<Verified> {
  const { ENVIRONMENT, ACCESS_TEAM, ACCESS_AUDIENCE } = config
  if (ENVIRONMENT === 'local')
    return async ({ url }) => (LOOPBACK.includes(new URL(url).hostname) ? LOCAL_IDENTITY : 'forbidden')
  if (!ACCESS_TEAM || !ACCESS_AUDIENCE) return async () => 'forbidden'
  const issuer = accessOrigin(ACCESS_TEAM)
  // Fetched when first needed, cached for ten minutes, and fetched again when a token names a key that is not among them.
  const keys = createRemoteJWKSet(new URL('/cdn-cgi/access/certs', issuer), { [customFetch]: fetch })
  return async ({ headers }) => {
    const token = headers.get(ACCESS_HEADER)
    if (!token) return 'forbidden'
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: ACCESS_AUDIENCE,
        algorithms: ['RS256'],
        requiredClaims: ['exp', 'iat', 'email'],
        currentDate: new Date(clock()),
      })
      const { email } = payload
      return typeof email === 'string' && email ? { email } : 'forbidden'
    } catch (error) {
      return isAboutToken(error) ? 'forbidden' : 'unavailable'
    }
  }
}

/** The origin of a team's Access: it issues the tokens and has the page to sign in. */
export function accessOrigin(team: string): string {
  return `https://${team}.cloudflareaccess.com`
}

/** Whether a token is at fault, rather than the way to the keys. */
function isAboutToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false
  return error instanceof errors.JOSEError && error.code !== errors.JOSEError.code
}
