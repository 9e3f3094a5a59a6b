import { createMiddleware } from 'hono/factory'
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import type { Identity, OfficeConfig, OfficeEnv } from '#office/context.ts'
import { errorPage } from './layout.tsx'

/** Access sets this header to a signed token and removes any value the client sent. */
export const ACCESS_HEADER = 'Cf-Access-Jwt-Assertion'

/** The identity in a local office. */
export const LOCAL_IDENTITY: Identity = { email: 'operator@localhost' }
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** `forbidden`: no valid token. `unavailable`: the team's keys couldn't be fetched. */
type Verified = Identity | 'forbidden' | 'unavailable'

type AccessContext = {
  config: Pick<OfficeConfig, 'ENVIRONMENT' | 'ACCESS_TEAM' | 'ACCESS_AUDIENCE'>
  clock: () => number
  fetch: typeof fetch
}

/** Requires a valid Cloudflare Access token: 403 otherwise, or while Access isn't configured. A local office skips the check. */
export function requireIdentity(ctx: AccessContext) {
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

function identityVerifier({ config, clock, fetch }: AccessContext): (request: Request) => Promise<Verified> {
  const { ENVIRONMENT, ACCESS_TEAM, ACCESS_AUDIENCE } = config
  if (ENVIRONMENT === 'local')
    return async ({ url }) => (LOOPBACK.includes(new URL(url).hostname) ? LOCAL_IDENTITY : 'forbidden')
  if (!ACCESS_TEAM || !ACCESS_AUDIENCE) return async () => 'forbidden'
  const issuer = accessOrigin(ACCESS_TEAM)
  // Fetches on first use, caches for ten minutes, and refetches when a token names an unknown key.
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
      return isTokenError(error) ? 'forbidden' : 'unavailable'
    }
  }
}

/** The origin that issues a team's tokens and serves its sign-in page. */
export function accessOrigin(team: string): string {
  return `https://${team}.cloudflareaccess.com`
}

/** Whether the token is at fault, rather than the key fetch. */
function isTokenError(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false
  return error instanceof errors.JOSEError && error.code !== errors.JOSEError.code
}
