import { type Boot, type OfflineBuild, serializeDataBlock } from '#shared/boot.ts'
import { isPublicPage, LOGOUT_PATH, matchRoute } from '#shared/routes.ts'

/** Without this timeout, a slow server would keep the browser from using the cache for minutes. */
export const RESPONSE_TIMEOUT_MS = 15_000
export const MAX_CACHED_PICTURES = 200

/** With this message, a signed-in visitor's page asks the service worker to cache the account's pages. */
export const CACHE_ACCOUNT_PAGES = 'cache-account-pages'

const TIMEOUT_ERROR = new Error('The server did not respond in time.')

const CATALOGUE_PATH = '/Items.json'
const DATA_FILES = [CATALOGUE_PATH, '/content.json']
const STOCK_PATH = '/api/stock'
const PICTURE_CACHE = 'pictures'
const CATALOGUE_CACHE = 'catalogue'
/** The header's value is in milliseconds since the epoch. */
const STORED_AT_HEADER = 'x-stored-at'

export type FetchStrategy = 'page' | 'asset' | 'data' | 'picture' | 'logout' | undefined

type HandledRequest = Pick<Request, 'method' | 'url' | 'mode' | 'destination'>

export function getFetchStrategy(
  { method, url, mode, destination }: HandledRequest,
  { origin, assets }: { origin: string; assets: readonly string[] },
): FetchStrategy {
  const target = new URL(url)
  const { pathname } = target
  if (method === 'POST' && (pathname === LOGOUT_PATH || pathname.endsWith('/auth/logout'))) return 'logout'
  if (method !== 'GET' || target.origin !== origin) return undefined
  if (mode === 'navigate') return 'page'
  if ([...DATA_FILES, STOCK_PATH].includes(pathname)) return 'data'
  if (/^\/(api|v1)\//.test(pathname)) return undefined
  if (assets.includes(pathname)) return 'asset'
  return destination === 'image' ? 'picture' : undefined
}

/** Paths outside the route table, such as links in emails, and the password reset page need the server. */
export function canOpenOffline(pathname: string): boolean {
  const { name } = matchRoute(pathname)
  return name !== 'notFound' && name !== 'resetPassword'
}

type OfflineDeps = {
  build: OfflineBuild
  origin: string
  caches: Pick<CacheStorage, 'open' | 'keys' | 'delete'>
  fetch: (request: Request | string, init?: RequestInit) => Promise<Response>
  clock: () => number
}

type FetchEventLike = {
  request: Request
  preloadResponse?: Promise<Response | undefined>
  waitUntil: (work: Promise<unknown>) => void
}

export function createOfflineShop({ build, origin, caches, fetch, clock }: OfflineDeps) {
  const files = `build ${build.id}`

  async function install(): Promise<void> {
    const [data, stock] = await Promise.all([
      Promise.all(DATA_FILES.map((path) => fetch(origin + path))),
      // The shop also opens without the stock, and the API may have another origin.
      fetch(origin + STOCK_PATH).catch(() => undefined),
      cacheAssets(build.assets),
    ])
    if (data.some(({ ok }) => !ok)) throw new Error('The catalogue couldn’t be loaded.')
    await Promise.all(data.map((file, index) => storeData(`${origin}${DATA_FILES[index]}`, file)))
    if (stock?.ok) await storeData(origin + STOCK_PATH, stock)
  }

  /** Caches the scripts of account pages, order pages and cart links, unless they are cached. */
  async function cacheAccountPages(): Promise<void> {
    if (!(await areAccountPagesCached())) await cacheAssets(build.accountAssets)
  }

  async function areAccountPagesCached(): Promise<boolean> {
    const cache = await caches.open(files)
    const cached = await Promise.all(build.accountAssets.map((asset) => cache.match(origin + asset)))
    return !cached.includes(undefined)
  }

  async function cacheAssets(assets: readonly string[]): Promise<void> {
    const cache = await caches.open(files)
    await cache.addAll(assets.map((asset) => new Request(origin + asset, { priority: 'low' })))
  }

  async function activate(): Promise<void> {
    const names = await caches.keys()
    const others = names.filter((name) => ![files, PICTURE_CACHE, CATALOGUE_CACHE].includes(name))
    await Promise.all(others.map((name) => caches.delete(name)))
  }

  function respond(event: FetchEventLike): Promise<Response> | undefined {
    switch (getFetchStrategy(event.request, { origin, assets: [...build.assets, ...build.accountAssets] })) {
      case 'page':
        return respondWithPage(event)
      case 'asset':
        return respondWithAsset(event)
      case 'data':
        return respondWithData(event)
      case 'picture':
        return respondWithPicture(event)
      case 'logout':
        event.waitUntil(caches.delete(PICTURE_CACHE))
        return undefined
      default:
        return undefined
    }
  }

  function respondWithPage({ request, preloadResponse }: FetchEventLike): Promise<Response> {
    const response = Promise.resolve(preloadResponse).then((preloaded) => preloaded ?? fetch(request))
    const { pathname } = new URL(request.url)
    if (!canOpenOffline(pathname)) return response
    return withTimeout(response).catch(async (error) => {
      const isCached = isPublicPage(matchRoute(pathname).name) || (await areAccountPagesCached())
      return isCached ? respondWithShell(error) : response
    })
  }

  async function respondWithAsset({ request }: FetchEventLike): Promise<Response> {
    const cache = await caches.open(files)
    return (await cache.match(request.url)) ?? fetch(request)
  }

  async function respondWithData({ request, waitUntil }: FetchEventLike): Promise<Response> {
    try {
      const response = await withTimeout(fetch(request))
      if (response.ok) waitUntil(storeData(request.url, response.clone()))
      return response
    } catch (error) {
      const storedResponse = await readStoredData(request.url)
      if (storedResponse) return storedResponse
      throw error
    }
  }

  async function respondWithPicture({ request, waitUntil }: FetchEventLike): Promise<Response> {
    try {
      const response = await fetch(request)
      if (response.ok) waitUntil(storePicture(request.url, response.clone()))
      return response
    } catch {
      const cache = await caches.open(PICTURE_CACHE)
      const cached = (await cache.match(request.url)) ?? (await matchOtherWidth(cache, request.url))
      // The browser's HTTP cache may still have a picture that it loaded before the service worker started.
      return cached ?? fetch(request.url, { cache: 'force-cache' })
    }
  }

  async function matchOtherWidth(cache: Cache, url: string): Promise<Response | undefined> {
    const [folder] = /^.*\/(?:p|photos)\/[^/]+\//.exec(url) ?? []
    if (!folder) return undefined
    const otherWidth = (await cache.keys()).find((request) => request.url.startsWith(folder))
    return otherWidth && cache.match(otherWidth)
  }

  async function respondWithShell(reason: unknown): Promise<Response> {
    const storedCatalogue = await readStoredData(origin + CATALOGUE_PATH)
    const [start, end] = build.shell
    const now = new Date(clock())
    const boot: Boot = {
      ...build.boot,
      nowMs: now.getTime(),
      clock: now.toTimeString().slice(0, 8),
      timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
      year: `${now.getFullYear()}`,
      storedAtMs: Number(storedCatalogue?.headers.get(STORED_AT_HEADER)) || now.getTime(),
      isSlow: reason === TIMEOUT_ERROR,
    }
    return new Response(start + serializeDataBlock(boot) + end, { headers: build.headers })
  }

  async function readStoredData(url: string): Promise<Response | undefined> {
    return (await caches.open(CATALOGUE_CACHE)).match(url)
  }

  async function storeData(url: string, response: Response): Promise<void> {
    const headers = { 'Content-Type': 'application/json', [STORED_AT_HEADER]: String(clock()) }
    const cache = await caches.open(CATALOGUE_CACHE)
    await cache.put(url, new Response(await response.blob(), { headers }))
  }

  async function storePicture(url: string, response: Response): Promise<void> {
    const cache = await caches.open(PICTURE_CACHE)
    const storedPicture = await cache.match(url)
    const tag = response.headers.get('ETag')
    if (storedPicture && tag !== null && storedPicture.headers.get('ETag') === tag) return
    await cache.put(url, response)
    const [oldest, ...others] = await cache.keys()
    if (oldest && others.length >= MAX_CACHED_PICTURES) await cache.delete(oldest)
  }

  return { install, cacheAccountPages, activate, respond }
}

function withTimeout(response: Promise<Response>): Promise<Response> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, RESPONSE_TIMEOUT_MS, TIMEOUT_ERROR)
    response.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
