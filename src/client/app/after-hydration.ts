import { flushSync } from 'react-dom'
import { type RouterDeps, viewAtom } from '#client/app/router/page.ts'
import { createRouter } from '#client/app/router/router.ts'
import { cartLineCountAtom } from '#client/cart/stored-cart.ts'
import { bootAtom, savesData } from './boot.ts'
import { loadToastsAtom } from './toasts.ts'
import { onPageRestored, runAfterPaint } from './wait.ts'

const REPORTED_VISITS_SHARE = 0.1
const IDLE_AFTER_MS = 2000

/** Order pages load it through this module; importing it directly would split this chunk into two. */
export const loadOffline = () => import('#client/app/offline/start-offline.ts')

export function startEnhancements({ window, ...deps }: Omit<RouterDeps, 'navigation'>): void {
  const { store, loadPage } = deps
  createRouter({ ...deps, navigation: window.navigation, window }).start()
  document.documentElement.dataset.routed = 'true'
  followEarlyLink()
  // Loads the cart page's code once the cart changes, because the page must open offline. Loading it at start-up would
  // slow down the first load.
  store.sub(cartLineCountAtom, () => void loadPage('cart').catch(() => {}))
  const whenIdle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, IDLE_AFTER_MS))
  whenIdle(() => {
    // Toasts must also show offline.
    void store.set(loadToastsAtom)
    loadOffline()
      .then(({ startOffline }) => startOffline({ store, loadPage }))
      .catch(() => {})
  })
  // A page restored from the back/forward cache may have missed storage events, such as those of a logout.
  // flushSync prevents React from painting the stale state.
  onPageRestored(() => flushSync(() => window.dispatchEvent(new StorageEvent('storage'))))
  const page = store.get(viewAtom)?.location.name
  const isFromServer = store.get(bootAtom).storedAtMs === null
  if (page && isFromServer && Math.random() < REPORTED_VISITS_SHARE && allowsVisitReports(window))
    import('./visit-report.ts')
      .then(({ reportVisit }) => reportVisit(page, getHydratedMs(), store.get(bootAtom).apiBase))
      .catch(() => {})
}

export function followEarlyLink(): void {
  const { earlyClicks } = window
  const { link } = earlyClicks
  if (!link || earlyClicks.buttons.size > 0) return
  earlyClicks.link = undefined
  runAfterPaint(() => link.click())
}

/** Returns the milliseconds from the start of the navigation until this module was requested, right after hydration. */
function getHydratedMs(): number | undefined {
  return performance.getEntriesByName(import.meta.url)[0]?.startTime
}

function allowsVisitReports({ navigator }: Window): boolean {
  const { globalPrivacyControl } = navigator as { globalPrivacyControl?: boolean }
  return !savesData() && navigator.doNotTrack !== '1' && !globalPrivacyControl
}
