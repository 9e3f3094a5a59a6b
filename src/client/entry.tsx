import '@vitejs/plugin-react/preamble'
import { createStore, Provider } from 'jotai'
import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { configureApi } from '#client/app/api.ts'
import { bootAtom } from '#client/app/boot.ts'
import {
  getDocumentNavigationType,
  navigate,
  PAGES_SAFE_TO_RELOAD,
  type PageLocation,
  type PageModule,
  parseLocation,
  viewAtom,
} from '#client/app/router/page.ts'
import { createBrowserSource, suspendOnFailure } from '#client/app/router/page-data.tsx'
import { scrollAndFocus } from '#client/app/router/scroll-and-focus.ts'
import { clearSessionAtom, expireSessionAtom, startSessionAtom, tokenAtom } from '#client/app/session.ts'
import { BOOT_BLOCK_ID, type Boot, parseBoot } from '#shared/boot.ts'
import type { PageData } from '#shared/page-data.ts'
import { getPageDefinition, href, type PageName } from '#shared/routes.ts'
import { App, createView, loadPage } from './app.tsx'

/** This section hydrates later and repeats its own early clicks. */
const LATE_SECTION_SELECTOR = '.related'

declare global {
  interface Window {
    earlyClicks: {
      /** The selector of the part of the page that isn't hydrated yet. */
      unhydrated: string
      buttons: Set<HTMLElement>
      link?: HTMLElement | undefined
    }
    trustedTypes?: {
      createPolicy(name: 'default', rules: { createHTML: (html: string) => string | null }): unknown
      createPolicy(
        name: 'service-worker',
        rules: { createScriptURL: (url: string) => string },
      ): { createScriptURL: (url: string) => string }
    }
    __getReactRefreshIgnoredExports?: () => (keyof PageModule<PageName>)[]
  }
}

/** React assigns no other strings to `innerHTML` here. */
const ALLOWED_INNER_HTML = ['', '<script></script>']
window.trustedTypes?.createPolicy('default', {
  createHTML: (html) => (ALLOWED_INNER_HTML.includes(html) ? html : null),
})

// Fast Refresh works only if it ignores these exports, which are not components.
if (import.meta.hot)
  window.__getReactRefreshIgnoredExports = () => [
    'load',
    'prefetch',
    'restoreData',
    'title',
    'viewTransition',
  ]

async function createInitialView<Name extends PageName>(
  location: PageLocation & { name: Name },
  { isSlow }: Boot,
) {
  const page = await loadPage(location.name)
  const load = () => page.load?.(location) ?? (null as PageData[Name])
  const isReloadedOnline = !isSlow && PAGES_SAFE_TO_RELOAD.includes(location.name)
  const loadOffline = () => (isReloadedOnline ? suspendOnFailure(load()) : load())
  const data = createBrowserSource(loadOffline, page.restoreData)
  const navigationType = getDocumentNavigationType(window)
  const view = createView(page, location, data, { key: 'first', navigationType })
  return { ...view, onRendered: () => scrollAndFocus(view, null) }
}

function readBoot(): Boot {
  return parseBoot(document.getElementById(BOOT_BLOCK_ID)?.textContent ?? '{}')
}

function createErrorLogger(label: string) {
  return (error: unknown) => console.error(label, error)
}

/**
 * Hydrates the server's page, or renders into the service worker's empty shell. The transition keeps hydration from
 * blocking input.
 */
async function hydrate(): Promise<void> {
  const root = document.getElementById('root')
  if (!root) throw new Error('The document has no root element.')
  const store = createStore()
  const boot = readBoot()
  store.set(bootAtom, boot)
  const view = await createInitialView(parseLocation(new URL(location.href)), boot)
  store.set(viewAtom, {
    ...view,
    onRendered() {
      view.onRendered()
      import('#client/app/after-hydration.ts')
        .then((module) => module.startEnhancements({ store, loadPage, createView, window }))
        .catch(createErrorLogger('Start-up error:'))
    },
  })
  const app = (
    <StrictMode>
      <Provider store={store}>
        <App />
      </Provider>
    </StrictMode>
  )
  const options = {
    onCaughtError: createErrorLogger('Page error:'),
    onUncaughtError: createErrorLogger('Layout error:'),
    onRecoverableError: createErrorLogger('Hydration error:'),
  }
  startTransition(() => {
    if (root.firstChild) return void hydrateRoot(root, app, options)
    // The session can start before the first render, because there is no server markup to match.
    store.set(startSessionAtom)
    createRoot(root, options).render(app)
  })
  configureApi({
    apiBase: store.get(bootAtom).apiBase,
    token: () => store.set(tokenAtom),
    onUnauthorized() {
      const { pathname, search } = location
      if (pathname === href('login')) return store.set(clearSessionAtom)
      store.set(expireSessionAtom, pathname + search)
      // `RouteGuard` redirects from pages that need a login.
      const page = store.get(viewAtom)?.location.name
      if (!page || !getPageDefinition(page).needsLogin) navigate(href('login'), { replace: true })
    },
  })
  const { earlyClicks } = window
  earlyClicks.unhydrated = LATE_SECTION_SELECTOR
  for (const button of earlyClicks.buttons)
    if (!button.closest(LATE_SECTION_SELECTOR) && earlyClicks.buttons.delete(button)) button.click()
}

void hydrate()
