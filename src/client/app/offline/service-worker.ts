import type { OfflineBuild } from '#shared/boot.ts'
import { CACHE_ACCOUNT_PAGES, createOfflineShop } from './offline-shop.ts'

/** The server prepends this constant. It is null if there is no build or the service worker is disabled. */
declare const build: OfflineBuild | null

type LifecycleEvent = { waitUntil: (work: Promise<unknown>) => void }

/** The type is declared here because TypeScript's `webworker` and `dom` libraries conflict. */
type WorkerScope = {
  addEventListener(type: 'install' | 'activate', listener: (event: LifecycleEvent) => void): void
  addEventListener(type: 'message', listener: (event: LifecycleEvent & { data: unknown }) => void): void
  addEventListener(type: 'fetch', listener: (event: PageFetchEvent) => void): void
  skipWaiting: () => Promise<void>
  registration: ServiceWorkerRegistration
}

type PageFetchEvent = LifecycleEvent & {
  request: Request
  preloadResponse?: Promise<Response | undefined>
  respondWith: (response: Promise<Response>) => void
}

const scope = globalThis as unknown as WorkerScope

if (build) startServiceWorker(build)
else removeServiceWorker()

/** Doesn't call `skipWaiting`, because open pages need the assets of their own build. */
function startServiceWorker(build: OfflineBuild): void {
  const { origin } = location
  const shop = createOfflineShop({
    build,
    origin,
    caches,
    fetch: (...request) => fetch(...request),
    clock: Date.now,
  })

  scope.addEventListener('install', (event) => event.waitUntil(shop.install()))
  scope.addEventListener('message', (event) => {
    if (event.data === CACHE_ACCOUNT_PAGES) event.waitUntil(shop.cacheAccountPages())
  })
  scope.addEventListener('activate', (event) => {
    event.waitUntil(Promise.all([shop.activate(), scope.registration.navigationPreload?.enable()]))
  })
  scope.addEventListener('fetch', (event) => {
    const response = shop.respond({
      request: event.request,
      ...(event.preloadResponse ? { preloadResponse: event.preloadResponse } : {}),
      waitUntil: (work) => event.waitUntil(work),
    })
    if (response) event.respondWith(response)
  })
}

function removeServiceWorker(): void {
  scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()))
  scope.addEventListener('activate', (event) => event.waitUntil(deleteCachesAndUnregister()))
}

async function deleteCachesAndUnregister(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.map((name) => caches.delete(name)))
  await scope.registration.unregister()
}
