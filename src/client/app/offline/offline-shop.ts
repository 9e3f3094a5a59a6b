import { type Boot, dataBlockJson, type OfflineBuild } from '#shared/boot.ts'
import { LOGOUT_PATH, matchRoute } from '#shared/routes.ts'

/** After so long without an answer a page counts as not to be had, in milliseconds: browsers wait for minutes. */
export const ANSWER_TIMEOUT_MS = 15_000
/** The maximum number of pictures that are cached; beyond it the oldest go. */
export const MAX_PICTURES = 200

const TIMEOUT = new Error('The shop does not answer.')

const CATALOGUE = '/Items.json'
const PICTURES = 'pictures'
const CATALOGUES = 'catalogue'
/** In the cached catalogue's headers: when the shop sent it, in milliseconds since the epoch. */
const STORED_AT = 'x-stored-at'

/** What the service worker does with a request; undefined for whatever it leaves to the browser, all calls among them. */
export type Handling = 'page' | 'asset' | 'catalogue' | 'picture' | 'logout' | undefined

type HandledRequest = Pick<Request, 'method' | 'url' | 'mode' | 'destination'>

/** Decides by the request alone. */
export function handlingOf(
  { method, url, mode, destination }: HandledRequest,
  { origin, assets }: { origin: string; assets: readonly string[] },
): Handling {
  const address = new URL(url)
  const { pathname } = address
  if (method === 'POST' && (pathname === LOGOUT_PATH || pathname.endsWith('/auth/logout'))) return 'logout'
  if (method !== 'GET' || address.origin !== origin) return undefined
  if (mode === 'navigate') return 'page'
  if (/^\/(api|v1)\//.test(pathname)) return undefined
  if (assets.includes(pathname)) return 'asset'
  if (pathname === CATALOGUE) return 'catalogue'
  return destination === 'image' ? 'picture' : undefined
}

/** Whether the browser can show a page by itself: of the links in mails, and of files, only the shop knows. */
export function canOpenOffline(pathname: string): boolean {
  const { name } = matchRoute(pathname)
  return name !== 'notFound' && name !== 'order' && name !== 'resetPassword'
}

type OfflineDeps = {
  build: OfflineBuild
  origin: string
  caches: Pick<CacheStorage, 'open' | 'keys' | 'delete'>
  fetch: (request: Request | string, init?: RequestInit) => Promise<Response>
  clock: () => number
}

type OfflineEvent = {
  request: Request
  /** The browser's own request for a page, sent while the service worker starts; undefined where it made none. */
  preloadResponse?: Promise<Response | undefined>
  waitUntil: (work: Promise<unknown>) => void
}

/**
 * The shop without a connection: its files, its catalogue, the pictures that were seen, and one document, the shell, from
 * which every page renders in the browser. Pages and the catalogue come from the shop whenever that answers. No page that
 * the shop sent and no answer of its API is ever cached.
 */
export function createOfflineShop({ build, origin, caches, fetch, clock }: OfflineDeps) {
  const files = `build ${build.id}`

  /** Caches the whole build and the catalogue; rejects where anything is missing. */
  async function install(): Promise<void> {
    const cache = await caches.open(files)
    const requests = build.assets.map((asset) => new Request(origin + asset, { priority: 'low' }))
    const [catalogue] = await Promise.all([fetch(origin + CATALOGUE), cache.addAll(requests)])
    if (!catalogue.ok) throw new Error('The catalogue couldn’t be loaded.')
    await storeCatalogue(catalogue)
  }

  /** Removes the files of other builds: no page uses them any more. */
  async function activate(): Promise<void> {
    const names = await caches.keys()
    const others = names.filter((name) => ![files, PICTURES, CATALOGUES].includes(name))
    await Promise.all(others.map((name) => caches.delete(name)))
  }

  /** The response to a request; undefined where the browser should make it by itself. */
  function respond(event: OfflineEvent): Promise<Response> | undefined {
    switch (handlingOf(event.request, { origin, assets: build.assets })) {
      case 'page':
        return page(event)
      case 'asset':
        return asset(event)
      case 'catalogue':
        return catalogue(event)
      case 'picture':
        return picture(event)
      case 'logout':
        event.waitUntil(caches.delete(PICTURES))
        return undefined
      default:
        return undefined
    }
  }

  function page({ request, preloadResponse }: OfflineEvent): Promise<Response> {
    const answer = Promise.resolve(preloadResponse).then((response) => response ?? fetch(request))
    return canOpenOffline(new URL(request.url).pathname) ? inTime(answer).catch(shell) : answer
  }

  async function asset({ request }: OfflineEvent): Promise<Response> {
    const cache = await caches.open(files)
    return (await cache.match(request.url)) ?? fetch(request)
  }

  async function catalogue({ request, waitUntil }: OfflineEvent): Promise<Response> {
    try {
      const response = await inTime(fetch(request))
      if (response.ok) waitUntil(storeCatalogue(response.clone()))
      return response
    } catch (error) {
      const stored = await storedCatalogue()
      if (stored) return stored
      throw error
    }
  }

  async function picture({ request, waitUntil }: OfflineEvent): Promise<Response> {
    try {
      const response = await fetch(request)
      if (response.ok) waitUntil(storePicture(request.url, response.clone()))
      return response
    } catch {
      const cache = await caches.open(PICTURES)
      // Seen before there was a service worker, it may still be in the browser's own cache, however old.
      const stored = (await cache.match(request.url)) ?? (await otherWidth(cache, request.url))
      return stored ?? fetch(request.url, { cache: 'force-cache' })
    }
  }

  /** A product's picture as another page showed it. */
  async function otherWidth(cache: Cache, asked: string): Promise<Response | undefined> {
    const [folder] = /^.*\/(?:p|photos)\/[^/]+\//.exec(asked) ?? []
    if (!folder) return undefined
    const other = (await cache.keys()).find(({ url }) => url.startsWith(folder))
    return other && cache.match(other)
  }

  async function shell(reason: unknown): Promise<Response> {
    const stored = await storedCatalogue()
    const [start, end] = build.shell
    const now = new Date(clock())
    const boot: Boot = {
      ...build.boot,
      nowMs: now.getTime(),
      clock: now.toTimeString().slice(0, 8),
      timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      year: `${now.getFullYear()}`,
      storedAtMs: Number(stored?.headers.get(STORED_AT)) || now.getTime(),
      isSlow: reason === TIMEOUT,
    }
    return new Response(start + dataBlockJson(boot) + end, { headers: build.headers })
  }

  async function storedCatalogue(): Promise<Response | undefined> {
    return (await caches.open(CATALOGUES)).match(origin + CATALOGUE)
  }

  async function storeCatalogue(response: Response): Promise<void> {
    const headers = { 'Content-Type': 'application/json', [STORED_AT]: String(clock()) }
    const cache = await caches.open(CATALOGUES)
    await cache.put(origin + CATALOGUE, new Response(await response.blob(), { headers }))
  }

  async function storePicture(address: string, response: Response): Promise<void> {
    const cache = await caches.open(PICTURES)
    const stored = await cache.match(address)
    const tag = response.headers.get('ETag')
    if (stored && tag !== null && stored.headers.get('ETag') === tag) return
    await cache.put(address, response)
    const [oldest, ...others] = await cache.keys()
    if (oldest && others.length >= MAX_PICTURES) await cache.delete(oldest)
  }

  return { install, activate, respond }
}

/** The answer; rejects with {@link TIMEOUT} after {@link ANSWER_TIMEOUT_MS}. */
function inTime(answer: Promise<Response>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, ANSWER_TIMEOUT_MS, TIMEOUT)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
