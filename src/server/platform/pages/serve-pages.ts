import type { Context } from 'hono'
import { renderBanner } from '#server/content/content-source.ts'
import type { ServiceContext } from '#server/context.ts'
import { pageLoaders } from '#server/page-loaders.ts'
import { parseClient } from '#server/platform/auth/client.ts'
import { setRequestedPageCookie, takeRequestedPage } from '#server/platform/auth/cookies.ts'
import { isRenewalDue } from '#server/platform/auth/sessions.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { getRequestOrigin, getRequestTimeZone, savesData } from '#server/platform/http/request.ts'
import type { PageCache } from '#server/platform/page-cache/page-cache.ts'
import { type CachedPage, splitAtSlots } from '#server/platform/page-cache/slots.ts'
import { createBoot, DOCUMENT_HEADERS } from '#server/platform/render/document.ts'
import { renderPage } from '#server/platform/render/page.tsx'
import type { Boot } from '#shared/boot.ts'
import { parseProductId } from '#shared/catalogue/catalogue.ts'
import { findRedirectTarget } from '#shared/catalogue/redirects.ts'
import { getWallClock, getYearAt } from '#shared/greeting.ts'
import { getPageDefinition, href, matchRoute, type PageName } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import type { PageResult } from './page-loader.ts'

/** Unknown paths get the 404 page (§ 2). */
export function servePages(ctx: ServiceContext, pageCache: PageCache) {
  return async function servePage(c: Context<AppEnv>): Promise<Response> {
    await ctx.content.load()
    const { pathname, search } = new URL(c.req.url)
    const match = matchRoute(pathname)
    if (match.redirectTo) return c.redirect(match.redirectTo + search, 308)
    const moved = await findMovedProduct(match, ctx)
    if (moved !== undefined) {
      // Browsers would otherwise follow a 308 from their cache even after the owner shows the product again.
      c.header('Cache-Control', 'no-cache')
      return c.redirect(href('product', { id: moved }), 308)
    }
    const page = getRequestedPage(c, ctx)
    const { cookieUser } = page.boot
    if (getPageDefinition(page.name).needsLogin && !cookieUser) {
      setRequestedPageCookie(c, page.url.pathname + page.url.search, ctx)
      return c.redirect(href('login'), 302)
    }

    if (page.name === 'login') page.boot.requestedPath = takeRequestedPage(c, ctx)
    const isPersonal = cookieUser !== null || page.boot.requestedPath !== null
    const cached = isPersonal ? undefined : await pageCache.getOrRender(c.req.raw, () => renderForCache(page))
    if (cached) return c.body(cached.bytes, cached.status, DOCUMENT_HEADERS)
    const { status, body } = await streamRequestedPage(page)
    return c.body(body, status, DOCUMENT_HEADERS)
  }
}

async function findMovedProduct(
  { name, params }: Pick<RequestedPage, 'name' | 'params'>,
  ctx: ServiceContext,
): Promise<number | undefined> {
  const { redirects } = ctx.content.current()
  const id = name === 'product' && redirects.size > 0 ? parseProductId(params.id ?? '') : undefined
  if (id === undefined) return undefined
  const catalogue = await ctx.catalogue.load().catch(() => undefined)
  return catalogue && findRedirectTarget(redirects, catalogue, id)
}

const BOT_PATTERN = /bot|crawl|spider|slurp|facebookexternalhit|whatsapp|telegram|preview|lighthouse/i

export type RequestedPage<Name extends PageName = PageName> = {
  c: Context<AppEnv>
  ctx: ServiceContext
  name: Name
  params: Record<string, string>
  redirectTo?: string
  url: URL
  origin: string
  boot: Boot
}

export function getRequestedPage(c: Context<AppEnv>, ctx: ServiceContext): RequestedPage {
  const { sessionCookie, cookieUser } = c.var
  const url = new URL(c.req.url)
  const match = matchRoute(url.pathname)
  const nowMs = ctx.clock()
  const timeZone = getRequestTimeZone(c.req.raw)
  const boot = createBoot(match.name, ctx, {
    cookieUser,
    isSessionRenewalDue: sessionCookie !== null && isRenewalDue(sessionCookie.expiresAtMs, nowMs),
    savesData: savesData(c.req.raw),
    nowMs,
    clock: getWallClock(nowMs, timeZone).text,
    timeZone,
    year: getYearAt(nowMs, shop.timeZone),
  })
  return { c, ctx, ...match, url, origin: getRequestOrigin(c.req, ctx.config), boot }
}

export async function loadRequestedPage<Name extends PageName>(
  { c, ctx, name, params, url, origin, boot }: RequestedPage<Name>,
  onFailure: (error: unknown) => void,
): Promise<PageResult<Name>> {
  const { cookieUser } = boot
  const { sessionCookie } = c.var
  const client = () => parseClient(c, ctx)
  const request = {
    url,
    params,
    cookieUser,
    sessionCookie,
    client,
    catalogue: ctx.catalogue,
    origin,
    onFailure,
  }
  return pageLoaders[name](request, ctx)
}

export function streamRequestedPage<Name extends PageName>(
  page: RequestedPage<Name>,
  result?: PageResult<Name>,
) {
  const { c } = page
  const waitsForAll = BOT_PATTERN.test(c.req.header('User-Agent') ?? '')
  return render(
    page,
    { waitsForAll, hasSlots: false, nonce: c.var.nonce(), onFailure: c.var.recordFailure },
    result,
  )
}

export async function renderForCache(
  page: RequestedPage,
): Promise<{ page: CachedPage; isComplete: boolean }> {
  let isComplete = true
  const onFailure = (error: unknown) => {
    isComplete = false
    page.c.var.recordFailure(error)
  }
  const { status, body } = await render(page, { waitsForAll: true, hasSlots: true, nonce: '', onFailure })
  return { page: splitAtSlots(status, await new Response(body).text()), isComplete }
}

type RenderOptions = {
  waitsForAll: boolean
  hasSlots: boolean
  nonce: string
  onFailure: (error: unknown) => void
}

async function render<Name extends PageName>(
  page: RequestedPage<Name>,
  options: RenderOptions,
  result?: PageResult<Name>,
) {
  const { c, ctx, name, url, origin, boot } = page
  const banner = renderBanner(ctx.content.current(), boot.nowMs)
  const { onFailure } = options
  const { status, data, head = {}, toBlock } = result ?? (await loadRequestedPage(page, onFailure))
  const { signal } = c.req.raw
  const body = await renderPage({
    ...options,
    name,
    data,
    head,
    ...(toBlock && { toBlock }),
    boot,
    banner,
    url,
    origin,
    signal,
    onError: onFailure,
  })
  return { status, body }
}
