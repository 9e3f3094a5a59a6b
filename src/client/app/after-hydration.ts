import { flushSync } from 'react-dom'
import { type RouterDeps, viewAtom } from '#client/app/router/page.ts'
import { createRouter } from '#client/app/router/router.ts'
import { cartLineCountAtom } from '#client/cart/stored-cart.ts'
import { bootAtom, savesData } from './boot.ts'
import { loadToastsAtom } from './toasts.ts'
import { onPageRestored } from './wait.ts'

/** The share of visits that report how fast their page was. */
const REPORTED_SHARE = 0.1
/** When idle time is assumed in browsers that do not report it, in milliseconds. */
const IDLE_AFTER_MS = 2000

/**
 * Starts what a page can be used without, once it is hydrated: the router, whose links load documents until then, what
 * makes the shop open without a connection, and the report of the visit's speed.
 */
export function startEnhancements({ window, ...deps }: Omit<RouterDeps, 'navigation'>): void {
  const { store, loadPage } = deps
  createRouter({ ...deps, navigation: window.navigation, window }).start()
  document.documentElement.dataset.routed = 'true'
  // A cart with something in it opens without a connection, too. Read any earlier, it would be in the first render.
  store.sub(cartLineCountAtom, () => void loadPage('cart').catch(() => {}))
  const whenIdle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, IDLE_AFTER_MS))
  whenIdle(() => {
    // Ahead, so that a toast can report a lost connection.
    void store.set(loadToastsAtom)
    import('#client/app/offline/start-offline.ts')
      .then(({ startOffline }) => startOffline({ store, loadPage }))
      .catch(() => {})
  })
  // A page out of the back/forward cache missed what other documents stored, as a logout. What it showed before must not
  // be painted, which React would let happen.
  onPageRestored(() => flushSync(() => window.dispatchEvent(new StorageEvent('storage'))))
  const page = store.get(viewAtom)?.location.name
  const isSent = store.get(bootAtom).storedAtMs === null
  if (page && isSent && Math.random() < REPORTED_SHARE && allowsReports(window))
    import('./visit-report.ts')
      .then(({ reportVisit }) => reportVisit(page, hydratedMs(), store.get(bootAtom).apiBase))
      .catch(() => {})
}

/** This script is fetched as soon as the page is hydrated. */
function hydratedMs(): number | undefined {
  return performance.getEntriesByName(import.meta.url)[0]?.startTime
}

/** Nothing is reported under Save-Data, Do Not Track or Global Privacy Control. */
function allowsReports({ navigator }: Window): boolean {
  const { globalPrivacyControl } = navigator as { globalPrivacyControl?: boolean }
  return !savesData() && navigator.doNotTrack !== '1' && !globalPrivacyControl
}
