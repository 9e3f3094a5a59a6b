import type { Boot } from '#shared/boot.ts'
import type { PageName } from '#shared/routes.ts'
import { wallClock, yearAt } from '#shared/rules/greeting.ts'
import { shop } from '#shared/shop.ts'
import type { Deps } from '../deps.ts'
import { savesData, timeZoneOf } from '../http/request.ts'
import { startRequest } from '../middleware/request-log.ts'
import { securityHeadersOf } from '../middleware/security-headers.ts'
import { type KeptPage, keepPages, pageAt } from '../render/kept-pages.ts'
import { slotsOf } from '../render/page.tsx'
import { bootFor, HTML_HEADERS } from './live.ts'
import type { SameForAll } from './same-for-all.ts'

/** Addresses that are known to lead to a kept page; beyond them all are forgotten. */
const KNOWN_ADDRESSES = 1000
const MAX_ADDRESS_CHARACTERS = 300
const SECOND_MS = 1000

/** A page that is the same for everyone, as a request asks for it. */
export type AskedPage = SameForAll & { name: PageName; pathname: string; origin: string }

/** A second in a zone, for a light page or a full one: all that the answers to one address differ by. */
type Moment = {
  second: number
  id: string
  hour: number
  /** The footer's. */
  year: string
  boot: Pick<Boot, 'visitor' | 'nowMs' | 'timeZone' | 'savesData'>
}

/**
 * The pages that are the same for everyone, and the shortest way to answer with them: a request without cookies for
 * an address that led to a kept page before gets its bytes with the very headers that the long way gives.
 */
export function keptAnswers(deps: Deps) {
  const pages = keepPages()
  const addresses = new Map<string, AskedPage & { headers: Headers }>()
  const moments = new Map<string, Moment>()
  const headersOf = securityHeadersOf(deps.config)

  /** What a page is kept under: besides its content, the origin in its links, the year in its footer, and its weight. */
  function keyOf({ what, greetingAt, origin }: AskedPage, { hour, year, boot }: Moment): string {
    return `${what} ${greetingAt?.(hour)} ${origin} ${year} ${boot.savesData ? 'light' : 'full'}`
  }

  function momentOf(request: Request): Moment {
    const timeZone = timeZoneOf(request)
    const light = savesData(request) ? { savesData: true as const } : {}
    const place = light.savesData ? `${timeZone} light` : timeZone
    const second = Math.floor(deps.clock() / SECOND_MS)
    const known = moments.get(place)
    if (known?.second === second) return known
    const nowMs = second * SECOND_MS
    const { hour } = wallClock(nowMs, timeZone)
    const boot = { visitor: null, ...light, nowMs, timeZone }
    const year = yearAt(nowMs, shop.timeZone)
    const moment = { second, id: `${second} ${place}`, hour, year, boot }
    moments.set(place, moment)
    return moment
  }

  function bytesOf(page: KeptPage, { name }: AskedPage, { id, boot }: Moment) {
    return pageAt(page, id, () => slotsOf({ ...bootFor(name, deps.config), ...boot }))
  }

  return {
    /** The answer to a visitor without a session, if it can be given at once. */
    atOnce(request: Request): Response | undefined {
      if (request.method !== 'GET' || request.headers.has('Cookie')) return
      const asked = addresses.get(request.url)
      if (!asked) return
      const logged = startRequest(deps)
      const moment = momentOf(request)
      const page = pages.get(keyOf(asked, moment))
      if (!page) return
      const { status } = page
      const response = new Response(bytesOf(page, asked, moment), { status, headers: asked.headers })
      response.headers.set('X-Request-Id', logged.id)
      logged.log({ method: 'GET', path: asked.pathname, status })
      return response
    },

    /** The page as bytes, rendered now unless it is kept; kept from now on if it is whole. */
    async page(
      request: Request,
      asked: AskedPage,
      render: () => Promise<{ page: KeptPage; isWhole: boolean }>,
    ): Promise<{ status: KeptPage['status']; bytes: Uint8Array<ArrayBuffer> }> {
      const moment = momentOf(request)
      const key = keyOf(asked, moment)
      let page = pages.get(key)
      if (!page) {
        const rendered = await render()
        page = rendered.page
        if (rendered.isWhole) pages.keep(key, page)
      }
      if (request.url.length <= MAX_ADDRESS_CHARACTERS) {
        if (addresses.size === KNOWN_ADDRESSES) addresses.clear()
        const headers = new Headers([...Object.entries(HTML_HEADERS), ...headersOf(asked.pathname)])
        addresses.set(request.url, { ...asked, headers })
      }
      return { status: page.status, bytes: bytesOf(page, asked, moment) }
    },

    /** What the kept pages hold together, in bytes. */
    heldBytes: pages.heldBytes,
  }
}

export type KeptAnswers = ReturnType<typeof keptAnswers>
