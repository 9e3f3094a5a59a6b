import type { Context } from 'hono'
import { href, pageOf } from '#shared/routes.ts'
import type { AppEnv } from '../app-env.ts'
import type { Deps } from '../deps.ts'
import { type KeptPage, keptPage } from '../render/kept-pages.ts'
import type { KeptAnswers } from './kept-answers.ts'
import { HTML_HEADERS, type PageToServe, pageToServe, render, renderLive } from './live.ts'
import { sameForAll } from './same-for-all.ts'

/**
 * Answers `GET` for every page of the route table, and the 404 page for every other path (§ 2). A visitor without
 * a session gets a page rendered once and kept, where it is the same for all; everyone else a live stream.
 */
export function servePages(deps: Deps, kept: KeptAnswers) {
  return async function servePage(c: Context<AppEnv>): Promise<Response> {
    const page = pageToServe(c, deps)
    const { name, url, origin, boot } = page
    if (pageOf(name).access === 'signed-in' && !boot.visitor) return c.redirect(href('login'), 302)

    const same = boot.visitor ? undefined : sameForAll(url, deps.catalogue.current())
    if (!same) {
      const { status, body } = await renderLive(page)
      return c.body(body, status, HTML_HEADERS)
    }
    const asked = { ...same, name, pathname: url.pathname, origin }
    const { status, bytes } = await kept.page(c.req.raw, asked, () => renderForAll(page))
    return c.body(bytes, status, HTML_HEADERS)
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
