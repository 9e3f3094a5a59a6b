import type { Context } from 'hono'
import { href, pageOf } from '#shared/routes.ts'
import { wallClock } from '#shared/rules/greeting.ts'
import type { AppEnv } from '../app.ts'
import type { Deps } from '../deps.ts'
import { fillSlots, type KeptPage, keepPages, keptPage } from '../render/kept-pages.ts'
import { slotsOf } from '../render/page.tsx'
import { HTML_HEADERS, type PageToServe, pageToServe, render, renderLive } from './live.ts'
import { sameForAll } from './same-for-all.ts'

/**
 * Answers `GET` for every page of the route table, and the 404 page for every other path (§ 2). A visitor without
 * a session gets a page rendered once and kept, where it is the same for all; everyone else a live stream.
 */
export function servePages(deps: Deps) {
  const kept = keepPages()

  return async function servePage(c: Context<AppEnv>): Promise<Response> {
    const page = pageToServe(c, deps)
    const { name, boot } = page
    if (pageOf(name).access === 'signed-in' && !boot.visitor) return c.redirect(href('login'), 302)

    const key = boot.visitor ? undefined : keyOf(page)
    if (!key) {
      const { status, body } = await renderLive(page)
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

/** What a kept page is kept under: besides its content, the origin in its links, the year in its footer, and its weight. */
function keyOf({ deps, url, origin, boot }: PageToServe): string | undefined {
  const { hour } = wallClock(boot.nowMs, boot.timeZone)
  const same = sameForAll({ url, hour, catalogue: deps.catalogue.current() })
  const weight = boot.savesData ? 'light' : 'full'
  return same && `${same} ${origin} ${new Date(boot.nowMs).getUTCFullYear()} ${weight}`
}
