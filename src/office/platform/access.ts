import { createMiddleware } from 'hono/factory'
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { requireOwner } from '#server/platform/auth/owner-context.ts'
import { recordAccessRefusal } from '#server/platform/db/audit.ts'
import { readRole } from '#server/team/members.ts'
import { normaliseMemberEmail, type Role } from '#shared/team/roles.ts'
import { renderErrorPage } from './layout.tsx'

/** Cloudflare Access sets this header to a signed token, and removes any value that the client sent. */
export const ACCESS_HEADER = 'Cf-Access-Jwt-Assertion'

/**
 * The user of a local office, who is its owner unless OWNER_EMAIL is set. At `amina.localhost`, the user is
 * `amina@localhost.example` instead.
 */
const LOCAL_OWNER = 'operator@localhost'
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** `forbidden`: there is no valid token. `unavailable`: the team's keys couldn't be fetched. */
type VerifiedIdentity = { email: string } | 'forbidden' | 'unavailable'

/** Requires a role in the office and, except locally, a Cloudflare Access token. */
export function requireIdentity(ctx: OfficeContext) {
  const verify = createIdentityVerifier(ctx)
  return createMiddleware<OfficeEnv>(async function requireIdentity(c, next) {
    const verified = await verify(c.req.raw)
    if (verified === 'unavailable')
      return renderErrorPage(c, 503, 'We can’t verify who you are right now. Please try again in a minute.')
    if (verified === 'forbidden')
      return renderErrorPage(
        c,
        403,
        'You don’t have access to the office. Log in again, or ask the shop’s owner to add you.',
      )
    const role = await findRole(verified.email, ctx)
    if (!role) {
      await recordAccessRefusal({ email: verified.email, subject: `${c.req.method} ${c.req.path}` }, ctx)
      return renderErrorPage(
        c,
        403,
        `You aren’t on the team yet. Ask the shop’s owner to add ${verified.email}.`,
      )
    }
    const identity = { email: verified.email, role }
    c.set('identity', identity)
    c.set('ownerContext', () => requireOwner(identity, ctx))
    await next()
  })
}

async function findRole(email: string, ctx: OfficeContext): Promise<Role | undefined> {
  const { OWNER_EMAIL, ENVIRONMENT } = ctx.config
  const owner = OWNER_EMAIL ?? (ENVIRONMENT === 'local' ? LOCAL_OWNER : undefined)
  return normaliseMemberEmail(email) === owner ? 'owner' : readRole(email, ctx)
}

function createIdentityVerifier({
  config,
  clock,
  fetch,
}: OfficeContext): (request: Request) => Promise<VerifiedIdentity> {
  const { ENVIRONMENT, ACCESS_TEAM, ACCESS_AUDIENCE } = config
  if (ENVIRONMENT === 'local') return async ({ url }) => getLocalIdentity(new URL(url).hostname)
  if (!ACCESS_TEAM || !ACCESS_AUDIENCE) return async () => 'forbidden'
  const issuer = getAccessOrigin(ACCESS_TEAM)
  // jose fetches the keys on first use, caches them, and fetches them again if a token names an unknown key.
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

function getLocalIdentity(hostname: string): VerifiedIdentity {
  if (LOOPBACK_HOSTS.includes(hostname)) return { email: LOCAL_OWNER }
  const [, name] = /^([a-z]+)\.localhost$/.exec(hostname) ?? []
  return name ? { email: `${name}@localhost.example` } : 'forbidden'
}

export function getAccessOrigin(team: string): string {
  return `https://${team}.cloudflareaccess.com`
}

/** Returns false if the error means that the keys couldn't be fetched. */
function isTokenError(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false
  return error instanceof errors.JOSEError && error.code !== errors.JOSEError.code
}
