import type { createStore } from 'jotai'
import { type PageName, SERVICE_WORKER_PATH } from '#shared/routes.ts'
import { connectionLostAtom, waitForConnection } from '../router/connection.ts'
import { viewAtom } from '../router/page.ts'
import { bootAtom, savesData } from '../state/boot.ts'
import { cartAtom } from '../state/cart.ts'
import { refreshCatalogue } from '../state/catalogue.ts'

type Store = ReturnType<typeof createStore>

/** The pages that hold nothing a shopper may have typed. */
const RELOADED_PAGES: readonly PageName[] = ['home', 'shop', 'product', 'about', 'cart', 'dashboard']

/** Registers the service worker, has the frame say when the connection is missing, and counts the cart on the app's icon. */
export function startOffline(store: Store): void {
  followConnection(store)
  store.sub(cartAtom, () => showBadge(store))
  showBadge(store)
  void registerServiceWorker(store).catch(() => {})
}

function followConnection(store: Store): void {
  const { signal } = new AbortController()
  let isFollowing = false
  const lose = () => store.set(connectionLostAtom, {})

  async function follow(onLost: () => void): Promise<void> {
    if (isFollowing) return
    isFollowing = true
    await waitForConnection(signal, onLost)
    isFollowing = false
  }

  async function followStored(sinceMs: number): Promise<void> {
    let hasLost = false
    store.set(connectionLostAtom, { sinceMs, isStored: true })
    await follow(() => {
      hasLost = true
    })
    const page = store.get(viewAtom)?.location.name
    if (!hasLost) return store.set(connectionLostAtom, { isSlow: true })
    if (page && RELOADED_PAGES.includes(page)) return location.reload()
    refreshCatalogue().catch(() => {})
    store.set(connectionLostAtom, null)
  }

  addEventListener('offline', () => void follow(lose).then(() => store.set(connectionLostAtom, null)))
  const { storedAtMs } = store.get(bootAtom)
  if (storedAtMs !== undefined) void followStored(storedAtMs)
  else if (!navigator.onLine) void follow(lose).then(() => store.set(connectionLostAtom, null))
}

/** The number of lines on the icon of the installed app, as on the cart's link. */
function showBadge(store: Store): void {
  const lines = store.get(cartAtom)?.length
  if (lines !== undefined) navigator.setAppBadge?.(lines).catch(() => {})
}

/** Not under Save-Data, where one that is there goes; nor where the shop's operator has switched it off. */
async function registerServiceWorker(store: Store): Promise<void> {
  const { serviceWorker } = navigator
  if (import.meta.env.DEV || !serviceWorker || store.get(bootAtom).hasNoServiceWorker) return
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
