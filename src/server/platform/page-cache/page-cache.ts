import { listShownCategories } from '#server/catalogue/shown-categories.ts'
import { renderBanner } from '#server/content/content-source.ts'
import type { ServiceContext } from '#server/context.ts'
import { hasPersonalCookie } from '#server/platform/auth/cookies.ts'
import { getRequestOrigin, getRequestTimeZone, savesData } from '#server/platform/http/request.ts'
import { createRequestStarter } from '#server/platform/middleware/request-log.ts'
import { createSecurityHeaders } from '#server/platform/middleware/security-headers.ts'
import { createBoot, DOCUMENT_HEADERS } from '#server/platform/render/document.ts'
import { type Boot, serializeBoot } from '#shared/boot.ts'
import { getWallClock, getYearAt } from '#shared/greeting.ts'
import { shop } from '#shared/shop.ts'
import {
  type CacheablePage,
  createCacheKey,
  toCacheablePage,
  withoutUnusedParameters,
} from './cacheable-page.ts'
import { createPageStore } from './lru-store.ts'
import { type CachedPage, fillSlots } from './slots.ts'

const MAX_CACHED_URLS = 1000
const MAX_URL_CHARACTERS = 300
const SECOND_MS = 1000

type CachedUrl = { page: CacheablePage; pathname: string; origin: string; headers: Headers }

type Variant = {
  id: string
  second: number
  hour: number
  year: string
  isDataSaver: boolean
  boot: Pick<
    Boot,
    'cookieUser' | 'isSessionRenewalDue' | 'savesData' | 'nowMs' | 'clock' | 'timeZone' | 'year'
  >
}

export type PageCache = ReturnType<typeof createPageCache>

/**
 * Caches public pages for requests without a session. Values that differ between requests fill slots. `respond` runs
 * before the app; on a miss, the app calls `getOrRender`.
 */
export function createPageCache(ctx: ServiceContext) {
  const { config, catalogue, content } = ctx
  const pages = createPageStore()
  const urls = new Map<string, CachedUrl>()
  let urlsVersion: string | undefined
  const variants = new Map<string, Variant>()
  const buildHeaders = createSecurityHeaders(config)
  const startRequest = createRequestStarter(ctx)
  let unloggedShare = 0

  function shouldLog(): boolean {
    unloggedShare += config.LOG_CACHED_PAGES
    if (unloggedShare < 1) return false
    unloggedShare -= 1
    return true
  }

  function getShownVersion(): string {
    return `${catalogue.version()} ${content.current().version}`
  }

  function getCurrentUrls() {
    const version = getShownVersion()
    if (version !== urlsVersion || urls.size >= MAX_CACHED_URLS) urls.clear()
    urlsVersion = version
    return urls
  }

  function getVariant(request: Request): Variant {
    const timeZone = getRequestTimeZone(request)
    const isDataSaver = savesData(request)
    const kind = isDataSaver ? `${timeZone} data-saver` : timeZone
    const second = Math.floor(ctx.clock() / SECOND_MS)
    const cachedVariant = variants.get(kind)
    if (cachedVariant?.second === second) return cachedVariant
    const nowMs = second * SECOND_MS
    const { hour, text: clock } = getWallClock(nowMs, timeZone)
    const year = getYearAt(nowMs, shop.timeZone)
    const variant: Variant = {
      id: `${second} ${kind}`,
      second,
      hour,
      year,
      isDataSaver,
      boot: {
        cookieUser: null,
        isSessionRenewalDue: false,
        savesData: isDataSaver,
        nowMs,
        clock,
        timeZone,
        year,
      },
    }
    variants.set(kind, variant)
    return variant
  }

  function createSlotValues({ name }: CacheablePage, variant: Variant) {
    const boot = createBoot(name, ctx, variant.boot)
    const banner = renderBanner(ctx.content.current(), boot.nowMs)
    return { boot: serializeBoot(boot), clock: boot.clock, banner }
  }

  return {
    respond(request: Request): Response | undefined {
      if (request.method !== 'GET' || hasPersonalCookie(request)) return
      const cachedUrl = getCurrentUrls().get(withoutUnusedParameters(request.url))
      if (!cachedUrl) return
      const { page, origin, pathname, headers } = cachedUrl
      const { id: requestId, log } = startRequest()
      const variant = getVariant(request)
      const { id, hour, year, isDataSaver } = variant
      const cached = pages.get(createCacheKey(page, { origin, hour, year, isDataSaver }))
      if (!cached) return
      const { status } = cached
      const body = fillSlots(cached, id, () => createSlotValues(page, variant))
      const response = new Response(body, { status, headers })
      response.headers.set('X-Request-Id', requestId)
      if (shouldLog()) log({ method: 'GET', path: pathname, status })
      return response
    },

    /** Returns undefined if the page isn't cacheable. */
    async getOrRender(
      request: Request,
      render: () => Promise<{ page: CachedPage; isComplete: boolean }>,
    ): Promise<{ status: CachedPage['status']; bytes: Uint8Array<ArrayBuffer> } | undefined> {
      const url = new URL(request.url)
      const page = toCacheablePage(url, catalogue, {
        version: content.current().version,
        categories: listShownCategories(ctx),
      })
      if (!page) return undefined
      const origin = getRequestOrigin(request, config)
      const variant = getVariant(request)
      const { id, hour, year, isDataSaver } = variant
      const key = createCacheKey(page, { origin, hour, year, isDataSaver })
      const version = getShownVersion()
      let cached = pages.get(key)
      // The content may change during rendering, but the page's data must match its markup.
      const renderedValues = cached ? undefined : createSlotValues(page, variant)
      if (!cached) {
        const rendered = await render()
        cached = rendered.page
        // If the catalogue or content changed during rendering, the page may not match its key.
        if (rendered.isComplete && version === getShownVersion()) pages.set(key, cached)
      }
      const cachedUrl = withoutUnusedParameters(request.url)
      if (cachedUrl.length <= MAX_URL_CHARACTERS && version === getShownVersion()) {
        const { pathname } = url
        const headers = new Headers([...Object.entries(DOCUMENT_HEADERS), ...buildHeaders(pathname)])
        getCurrentUrls().set(cachedUrl, { page, pathname, origin, headers })
      }
      return {
        status: cached.status,
        bytes: fillSlots(cached, id, () => renderedValues ?? createSlotValues(page, variant)),
      }
    },

    sizeBytes: pages.sizeBytes,
  }
}
