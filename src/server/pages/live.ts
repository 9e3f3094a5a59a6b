import type { Context } from 'hono'
import type { Boot } from '#shared/boot.ts'
import { matchRoute, type PageName } from '#shared/routes.ts'
import type { AppEnv } from '../app-env.ts'
import { wantsRenewal } from '../auth/sessions.ts'
import { withLightPictures } from '../catalogue/source.ts'
import type { Deps } from '../deps.ts'
import type { Config } from '../env.ts'
import { originOf, savesData, timeZoneOf } from '../http/request.ts'
import { renderPage } from '../render/page.tsx'
import { pageLoaders } from './loaders.ts'
import type { PageResult } from './page.ts'

const BOTS = /bot|crawl|spider|slurp|facebookexternalhit|whatsapp|telegram|preview|lighthouse/i

export const HTML_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'private, no-cache',
  Vary: 'Cookie, Save-Data',
}

/** The page that a request's address names, with everything it is rendered from but its data. */
export type PageToServe<Name extends PageName = PageName> = {
  c: Context<AppEnv>
  deps: Deps
  name: Name
  params: Record<string, string>
  url: URL
  origin: string
  boot: Boot
}

/** Takes a request apart for rendering. */
export function pageToServe(c: Context<AppEnv>, deps: Deps): PageToServe {
  const sessionCookie = c.get('sessionCookie')
  const url = new URL(c.req.url)
  const match = matchRoute(url.pathname)
  const nowMs = deps.clock()
  const boot: Boot = {
    ...bootFor(match.name, deps.config),
    visitor: c.get('visitor'),
    ...(sessionCookie && wantsRenewal(sessionCookie.expiresAtMs, nowMs) ? { isSessionAging: true } : {}),
    ...(savesData(c.req.raw) ? { savesData: true } : {}),
    nowMs,
    timeZone: timeZoneOf(c.req.raw),
  }
  return { c, deps, ...match, url, origin: originOf(c.req, deps.config), boot }
}

type RenderManner = { whole: boolean; withSlots: boolean; onFailure: (error: unknown) => void }

/** Renders a page for this one request, as a stream; from `result` where what the page shows is already known. */
export function renderLive<Name extends PageName>(page: PageToServe<Name>, result?: PageResult<Name>) {
  const { c } = page
  const whole = BOTS.test(c.req.header('User-Agent') ?? '')
  return render(page, { whole, withSlots: false, onFailure: c.get('fail') }, result)
}

/** Renders a page in the manner asked for. */
export async function render<Name extends PageName>(
  page: PageToServe<Name>,
  manner: RenderManner,
  result?: PageResult<Name>,
) {
  const { c, deps, name, boot } = page
  const catalogue = boot.savesData ? withLightPictures(deps.catalogue) : deps.catalogue
  const request = { ...page, visitor: boot.visitor, catalogue, onFailure: manner.onFailure }
  const { status, data, head = {} } = result ?? (await pageLoaders[name](request))
  const body = await renderPage({
    ...{ name, data, head, boot, url: page.url, origin: page.origin },
    ...{
      nonce: manner.withSlots ? '' : c.get('nonce')(),
      signal: c.req.raw.signal,
      onError: manner.onFailure,
    },
    ...manner,
  })
  return { status, body }
}

/** The boot data that the page and the configuration decide. */
export function bootFor(name: PageName, { API_BASE, CHAT_SCRIPT_URL }: Config) {
  return {
    apiBase: API_BASE ?? '/api',
    ...(CHAT_SCRIPT_URL ? { isHomeApart: true as const } : {}),
    ...(CHAT_SCRIPT_URL && name === 'home' ? { chatScript: CHAT_SCRIPT_URL } : {}),
  }
}
