import type { Context } from 'hono'
import { deleteCookie, getSignedCookie, setSignedCookie } from 'hono/cookie'
import * as z from 'zod/mini'
import type { Deps } from '../deps.ts'

const NAME = 'session'

/** What the session cookie says, signed: enough to show a page, and the secret that an API call is checked by. */
const cookieSchema = z.object({
  /** What the signature was made for: no other signed value passes as a session. */
  for: z.literal('session'),
  id: z.string(),
  secret: z.string(),
  name: z.string(),
  email: z.string(),
  /** Milliseconds since the epoch. */
  expiresAtMs: z.number(),
})
export type SessionCookie = Omit<z.infer<typeof cookieSchema>, 'for'>

/** Browsers keep `__Host-` cookies to this host alone, but not all of them take one over http://localhost. */
function manner(c: Context) {
  const isSecure = new URL(c.req.url).protocol === 'https:'
  return { path: '/', ...(isSecure ? { prefix: 'host' as const, secure: true } : {}) }
}

/** The request's session cookie; null when there is none, it has expired, or its signature is not ours. */
export async function readSessionCookie(
  c: Context,
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
): Promise<SessionCookie | null> {
  if (!c.req.header('Cookie')) return null
  for (const secret of [config.COOKIE_SECRET, config.COOKIE_SECRET_PREVIOUS]) {
    const value = secret && (await getSignedCookie(c, secret, NAME, manner(c).prefix))
    if (!value) continue
    const cookie = cookieSchema.safeParse(parsed(value))
    return cookie.success && cookie.data.expiresAtMs > clock() ? cookie.data : null
  }
  return null
}

/** Sends the session cookie with the answer. */
export async function sendSessionCookie(
  c: Context,
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
  cookie: SessionCookie,
): Promise<void> {
  const value = JSON.stringify({ for: 'session', ...cookie } satisfies z.infer<typeof cookieSchema>)
  await setSignedCookie(c, NAME, value, config.COOKIE_SECRET, {
    ...manner(c),
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: Math.floor((cookie.expiresAtMs - clock()) / 1000),
  })
}

/** Takes the session cookie away from the browser. */
export function clearSessionCookie(c: Context): void {
  deleteCookie(c, NAME, manner(c))
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
