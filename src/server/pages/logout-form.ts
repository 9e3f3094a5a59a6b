import type { Context } from 'hono'
import { href, matchRoute, pageOf } from '#shared/routes.ts'
import type { AppEnv } from '../app.ts'
import { clearSessionCookie } from '../auth/cookie.ts'
import { rowOfCookie } from '../auth/sessions.ts'
import type { Deps } from '../deps.ts'
import { logOut } from '../services/auth/logout.ts'

/** Logout as its button is posted before, or without, its script: ends the session and leads where the script would (§ 4). */
export function logOutForm(deps: Deps) {
  return async function logOutPost(c: Context<AppEnv>): Promise<Response> {
    const cookie = c.var.sessionCookie
    if (cookie) await logOut(await rowOfCookie(cookie), deps)
    clearSessionCookie(c)
    return c.redirect(wayOn(c.req.header('Referer')), 303)
  }
}

/** Login for whoever comes from a page that needs a session, Home for all others. */
function wayOn(from: string | undefined): string {
  const url = from ? URL.parse(from) : null
  const isMembersPage = url !== null && pageOf(matchRoute(url.pathname).name).access === 'signed-in'
  return href(isMembersPage ? 'login' : 'home')
}
