import type { Context } from 'hono'
import { href, pageOf } from '#shared/routes.ts'
import type { AppEnv } from '../app-env.ts'
import type { Deps } from '../deps.ts'
import type { PageCache } from '../page-cache/page-cache.ts'
import { DOCUMENT_HEADERS } from '../render/document.ts'
import { renderForCache, requestedPage, streamRequestedPage } from './render-page.ts'

/**
 * Answers `GET` for every page of the route table, and the 404 page for every other path (§ 2): from the page cache
 * for visitors without a session where the page is cacheable, otherwise as a stream.
 */
export function servePages(deps: Deps, pageCache: PageCache) {
  return async function servePage(c: Context<AppEnv>): Promise<Response> {
    const page = requestedPage(c, deps)
    const { visitor } = page.boot
    if (pageOf(page.name).access === 'signed-in' && !visitor) return c.redirect(href('login'), 302)

    const cached = visitor ? undefined : await pageCache.getOrRender(c.req.raw, () => renderForCache(page))
    if (cached) return c.body(cached.bytes, cached.status, DOCUMENT_HEADERS)
    const { status, body } = await streamRequestedPage(page)
    return c.body(body, status, DOCUMENT_HEADERS)
  }
}
