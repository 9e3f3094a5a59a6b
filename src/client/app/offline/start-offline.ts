import type { createStore } from 'jotai'
import { bootAtom, savesData } from '#client/app/boot.ts'
import { refreshCatalogue } from '#client/app/fetch-catalogue.ts'
import { connectionLostAtom, RETRY_MS, waitForConnection } from '#client/app/router/connection.ts'
import { type RouterDeps, viewAtom } from '#client/app/router/page.ts'
import { delay } from '#client/app/wait.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { documentTitle, type PageName, pageOf, SERVICE_WORKER_PATH } from '#shared/routes.ts'

type Store = ReturnType<typeof createStore>
type OfflineDeps = Pick<RouterDeps, 'store' | 'loadPage'>

/** The pages that hold nothing a shopper may have typed. */
const RELOADED_PAGES: readonly PageName[] = ['home', 'shop', 'product', 'about', 'cart', 'dashboard']

/** Registers the service worker, has the layout say when the connection is missing, and counts the cart on the app's icon. */
export function startOffline({ store, loadPage }: OfflineDeps): void {
  const { storedAtMs, isSlow } = store.get(bootAtom)
  if (storedAtMs !== null) {
    void setTitle({ store, loadPage }).catch(() => {})
    void followStoredPage(store, storedAtMs, isSlow)
  } else if (!navigator.onLine) void followLoss(store)
  addEventListener('offline', () => void followLoss(store))

  store.sub(cartAtom, () => showBadge(store))
  showBadge(store)
  void registerServiceWorker(store).catch(() => {})
}

let isFollowing = false

/** Says that the connection is lost until it is back. */
async function followLoss(store: Store): Promise<void> {
  if (isFollowing) return
  isFollowing = true
  await untilBack(store)
  isFollowing = false
  store.set(connectionLostAtom, null)
}

/** Resolves once the server answers, to whether it did not at first. A device that is offline by its own account waits for itself. */
async function untilBack(store: Store): Promise<boolean> {
  let wasLost = !navigator.onLine
  const lose = () => {
    wasLost = true
    store.set(connectionLostAtom, {})
  }
  if (wasLost) {
    lose()
    await new Promise((resolve) => addEventListener('online', resolve, { once: true }))
  }
  await waitForConnection(new AbortController().signal, lose)
  return wasLost
}

/** Says how old a page is that the service worker made, and replaces it by the shop's once that answers. */
async function followStoredPage(store: Store, sinceMs: number, isSlow: boolean): Promise<void> {
  isFollowing = true
  store.set(connectionLostAtom, { sinceMs, isStored: true })
  const wasLost = await untilBack(store)
  // The page's request failed, though the shop answers: made again at once, it might again.
  if (!wasLost && !isSlow) await delay(RETRY_MS)
  isFollowing = false
  // The shop took too long for the page: asked again at once, it might again.
  if (!wasLost && isSlow) return store.set(connectionLostAtom, { isSlow })
  const page = store.get(viewAtom)?.location.name
  if (page && RELOADED_PAGES.includes(page)) return location.reload()
  refreshCatalogue().catch(() => {})
  store.set(connectionLostAtom, null)
}

/** The title of a page that the service worker made: its document is the same for all pages. */
async function setTitle({ store, loadPage }: OfflineDeps): Promise<void> {
  const location = store.get(viewAtom)?.location
  if (!location) return
  const page = await loadPage(location.name)
  const data = await page.load?.(location)
  const title = data === undefined ? undefined : page.title?.(data)
  document.title = documentTitle(title ?? pageOf(location.name).title)
}

/** The number of lines on the icon of the installed app, as on the cart's link. */
function showBadge(store: Store): void {
  const lines = store.get(cartAtom)?.length
  if (lines !== undefined) navigator.setAppBadge?.(lines).catch(() => {})
}

/** Not under Save-Data, where one that is there goes; nor where the shop's operator has switched it off. */
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
  await serviceWorker.register(policy?.createScriptURL('') ?? SERVICE_WORKER_PATH)
}
