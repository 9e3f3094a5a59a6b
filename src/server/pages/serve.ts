import type { Context } from 'hono'
import { href, matchRoute, type PageName, pageOf } from '#shared/routes.ts'
import { knownTimeZone } from '#shared/rules/greeting.ts'
import { shop } from '#shared/shop.ts'
import type { AppEnv } from '../app.ts'
import type { Deps } from '../deps.ts'
import { renderPage } from '../render/page.tsx'
import { pageLoaders } from './loaders.ts'

const BOTS = /bot|crawl|spider|slurp|facebookexternalhit|whatsapp|telegram|preview|lighthouse/i

/** Answers `GET` for every page of the route table, and the 404 page for every other path (§ 2). */
export function servePages(deps: Deps) {
  return async function servePage(c: Context<AppEnv>): Promise<Response> {
    const { name, params } = matchRoute(c.req.path)
    return serve(c, deps, name, params)
  }
}

async function serve<Name extends PageName>(
  c: Context<AppEnv>,
  deps: Deps,
  name: Name,
  params: Record<string, string>,
): Promise<Response> {
  const { visitor, nonce, fail } = c.var
  if (pageOf(name).access === 'signed-in' && !visitor) return c.redirect(href('login'), 302)

  const url = new URL(c.req.url)
  const origin = deps.config.SITE_ORIGIN ?? url.origin
  const load = pageLoaders[name]
  const {
    status,
    data,
    head = {},
  } = await load({ url, params, visitor, catalogue: deps.catalogue, origin, onFailure: fail })
  const { API_BASE, CHAT_SCRIPT_URL } = deps.config
  const body = await renderPage({
    name,
    url,
    data,
    head,
    origin,
    nonce,
    boot: {
      visitor,
      nowMs: deps.clock(),
      timeZone: knownTimeZone(zoneOf(c.req.raw), shop.timeZone),
      apiBase: API_BASE ?? '/api',
      ...(CHAT_SCRIPT_URL ? { chatScript: CHAT_SCRIPT_URL } : {}),
    },
    whole: BOTS.test(c.req.header('User-Agent') ?? ''),
    signal: c.req.raw.signal,
    onError: fail,
  })
  return c.body(body, status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'private, no-cache',
    Vary: 'Cookie',
  })
}

/** The visitor's IANA zone as the edge knows it. */
function zoneOf(request: Request): string | undefined {
  const zone = request.cf?.timezone
  return typeof zone === 'string' ? zone : undefined
}
