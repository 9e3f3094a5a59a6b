import type { Context } from 'hono'
import type { Boot } from '#shared/boot.ts'
import { href, matchRoute, type PageName, pageOf } from '#shared/routes.ts'
import { knownTimeZone, wallClock } from '#shared/rules/greeting.ts'
import { shop } from '#shared/shop.ts'
import type { AppEnv } from '../app.ts'
import { wantsRenewal } from '../auth/sessions.ts'
import type { Deps } from '../deps.ts'
import { fillSlots, type KeptPage, keepPages, keptPage } from '../render/kept-pages.ts'
import { renderPage, slotsOf } from '../render/page.tsx'
import { pageLoaders } from './loaders.ts'
import { sameForAll } from './same-for-all.ts'

const BOTS = /bot|crawl|spider|slurp|facebookexternalhit|whatsapp|telegram|preview|lighthouse/i
const HTML_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'private, no-cache',
  Vary: 'Cookie',
}

/**
 * Answers `GET` for every page of the route table, and the 404 page for every other path (§ 2). A visitor without
 * a session gets a page rendered once and kept, where it is the same for all; everyone else a live stream.
 */
export function servePages(deps: Deps) {
  const kept = keepPages()
  const { API_BASE, CHAT_SCRIPT_URL, SITE_ORIGIN } = deps.config
  const configured = {
    apiBase: API_BASE ?? '/api',
    ...(CHAT_SCRIPT_URL ? { chatScript: CHAT_SCRIPT_URL } : {}),
  }

  return async function servePage(c: Context<AppEnv>): Promise<Response> {
    const visitor = c.get('visitor')
    const sessionCookie = c.get('sessionCookie')
    const url = new URL(c.req.url)
    const { name, params } = matchRoute(url.pathname)
    if (pageOf(name).access === 'signed-in' && !visitor) return c.redirect(href('login'), 302)

    const timeZone = knownTimeZone(zoneOf(c.req.raw), shop.timeZone)
    const nowMs = deps.clock()
    const isSessionAging = sessionCookie && wantsRenewal(sessionCookie.expiresAtMs, nowMs)
    const boot: Boot = {
      visitor,
      ...(isSessionAging ? { isSessionAging } : {}),
      nowMs,
      timeZone,
      ...configured,
    }
    const page = { c, deps, name, params, url, origin: SITE_ORIGIN ?? url.origin, boot }

    const key = visitor ? undefined : keyOf(page)
    if (!key) {
      const { status, body } = await render(page, {
        whole: isBot(c),
        withSlots: false,
        onFailure: c.get('fail'),
      })
      return c.body(body, status, HTML_HEADERS)
    }
    let same = kept.get(key)
    if (!same) {
      const rendered = await renderForAll(page)
      same = rendered.page
      if (rendered.isWhole) kept.keep(key, same)
    }
    return c.body(fillSlots(same, slotsOf(boot)), same.status, HTML_HEADERS)
  }
}

type PageToServe<Name extends PageName = PageName> = {
  c: Context<AppEnv>
  deps: Deps
  name: Name
  params: Record<string, string>
  url: URL
  origin: string
  boot: Boot
}

type RenderManner = { whole: boolean; withSlots: boolean; onFailure: (error: unknown) => void }

async function render<Name extends PageName>(page: PageToServe<Name>, manner: RenderManner) {
  const { c, deps, name, boot } = page
  const { visitor } = boot
  const request = { ...page, visitor, catalogue: deps.catalogue, onFailure: manner.onFailure }
  const { status, data, head = {} } = await pageLoaders[name](request)
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

/** Renders a page with slots, to its end; it is not whole when anything went wrong on the way. */
async function renderForAll(page: PageToServe): Promise<{ page: KeptPage; isWhole: boolean }> {
  let isWhole = true
  const onFailure = (error: unknown) => {
    isWhole = false
    page.c.get('fail')(error)
  }
  const { status, body } = await render(page, { whole: true, withSlots: true, onFailure })
  return { page: keptPage(status, await new Response(body).text()), isWhole }
}

/** What a kept page is kept under: besides its content, the origin in its links and the year in its footer. */
function keyOf({ deps, url, origin, boot }: PageToServe): string | undefined {
  const { hour } = wallClock(boot.nowMs, boot.timeZone)
  const same = sameForAll({ url, hour, catalogue: deps.catalogue.current() })
  return same && `${same} ${origin} ${new Date(boot.nowMs).getUTCFullYear()}`
}

function isBot(c: Context): boolean {
  return BOTS.test(c.req.header('User-Agent') ?? '')
}

/** The visitor's IANA zone as the edge knows it. */
function zoneOf(request: Request): string | undefined {
  const zone = request.cf?.timezone
  return typeof zone === 'string' ? zone : undefined
}
