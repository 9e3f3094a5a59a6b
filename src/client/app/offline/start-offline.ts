import type { createStore } from 'jotai'
import { bootAtom, savesData } from '#client/app/boot.ts'
import { refreshCatalogue } from '#client/app/fetch-catalogue.ts'
import { RETRY_MS, setConnectionLossAtom, waitForConnection } from '#client/app/router/connection.ts'
import { PAGES_SAFE_TO_RELOAD, type RouterDeps, viewAtom } from '#client/app/router/page.ts'
import { userAtom } from '#client/app/session.ts'
import { delay } from '#client/app/wait.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { formatDocumentTitle, getPageDefinition, SERVICE_WORKER_PATH } from '#shared/routes.ts'
import { blockFormsWhileOffline, probeBeforeForms } from './block-forms.ts'
import { CACHE_ACCOUNT_PAGES } from './offline-shop.ts'
import { readViewedOrder, removeOrdersAfterLogout, storeViewedOrder } from './viewed-orders.ts'

/** Order pages load it from this module, because another chunk would enlarge the entry's list of files. */
export const viewedOrders = { readViewedOrder, storeViewedOrder }

type Store = ReturnType<typeof createStore>
type OfflineDeps = Pick<RouterDeps, 'store' | 'loadPage'>

export function startOffline({ store, loadPage }: OfflineDeps): void {
  const { storedAtMs, isSlow } = store.get(bootAtom)
  if (storedAtMs !== null) {
    void setTitle({ store, loadPage }).catch(() => {})
    void replaceStoredPage(store, storedAtMs, isSlow)
  } else if (!navigator.onLine) void reportConnectionLoss(store)
  addEventListener('offline', () => void reportConnectionLoss(store))

  blockFormsWhileOffline(store)
  probeBeforeForms(store, () => void reportConnectionLoss(store))
  removeOrdersAfterLogout(store)
  store.sub(cartAtom, () => showBadge(store))
  showBadge(store)
  void registerServiceWorker(store).catch(() => {})
}

let isReporting = false

async function reportConnectionLoss(store: Store): Promise<void> {
  if (isReporting) return
  isReporting = true
  await waitUntilOnline(store)
  isReporting = false
  store.set(setConnectionLossAtom, null)
}

/** Waits until the server responds. Resolves to true if the connection was lost before that. */
async function waitUntilOnline(store: Store): Promise<boolean> {
  let wasLost = false
  const onLost = () => {
    wasLost = true
    store.set(setConnectionLossAtom, {})
  }
  // The connection may be lost while a probe is answered.
  do {
    if (!navigator.onLine) {
      onLost()
      await new Promise((resolve) => addEventListener('online', resolve, { once: true }))
    }
    await waitForConnection(new AbortController().signal, onLost)
  } while (!navigator.onLine)
  return wasLost
}

async function replaceStoredPage(store: Store, sinceMs: number, isSlow: boolean): Promise<void> {
  isReporting = true
  store.set(setConnectionLossAtom, { sinceMs, isPageCached: true })
  const wasLost = await waitUntilOnline(store)
  // The server responds, but the page's own request has just failed, so an immediate reload might fail too.
  if (!wasLost && !isSlow) await delay(RETRY_MS)
  isReporting = false
  if (!wasLost && isSlow) return store.set(setConnectionLossAtom, { isSlow })
  const page = store.get(viewAtom)?.location.name
  if (page && PAGES_SAFE_TO_RELOAD.includes(page)) return location.reload()
  refreshCatalogue().catch(() => {})
  store.set(setConnectionLossAtom, null)
}

/** The offline shell has the same title for all pages. */
async function setTitle({ store, loadPage }: OfflineDeps): Promise<void> {
  const location = store.get(viewAtom)?.location
  if (!location) return
  document.title = formatDocumentTitle(getPageDefinition(location.name).title)
  const page = await loadPage(location.name)
  const data = await page.load?.(location)
  const title = data === undefined ? undefined : page.title?.(data)
  if (title) document.title = formatDocumentTitle(title)
}

function showBadge(store: Store): void {
  const lines = store.get(cartAtom)?.length
  if (lines !== undefined) navigator.setAppBadge?.(lines).catch(() => {})
}

async function registerServiceWorker(store: Store): Promise<void> {
  const { serviceWorker } = navigator
  if (import.meta.env.DEV || !serviceWorker || !store.get(bootAtom).hasServiceWorker) return
  if (savesData()) {
    const registration = await serviceWorker.getRegistration()
    if (!registration) return
    await registration.unregister()
    await Promise.all((await caches.keys()).map((name) => caches.delete(name)))
    return
  }
  const policy = window.trustedTypes?.createPolicy('service-worker', {
    createScriptURL: () => SERVICE_WORKER_PATH,
  })
  const url = policy?.createScriptURL('') ?? SERVICE_WORKER_PATH
  const registration = await serviceWorker.register(url)
  const cacheAccountPages = () => {
    if (!store.get(userAtom)) return
    const { installing, waiting, active } = registration
    for (const worker of [installing, waiting, active]) worker?.postMessage(CACHE_ACCOUNT_PAGES)
  }
  registration.addEventListener('updatefound', cacheAccountPages)
  store.sub(userAtom, cacheAccountPages)
  cacheAccountPages()
}
