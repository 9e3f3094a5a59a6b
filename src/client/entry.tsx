import '@vitejs/plugin-react/preamble'
import { createStore, Provider } from 'jotai'
import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { startApi } from '#client/app/api.ts'
import { bootAtom } from '#client/app/boot.ts'
import {
  documentNavigationType,
  locationOf,
  navigate,
  type PageLocation,
  type PageModule,
  viewAtom,
} from '#client/app/router/page.ts'
import { receivedData } from '#client/app/router/page-data.tsx'
import { scrollAndFocus } from '#client/app/router/scroll-and-focus.ts'
import { expireSessionAtom, signOutAtom, startSessionAtom, tokenAtom } from '#client/app/session.ts'
import { BOOT_BLOCK_ID, type Boot, bootFrom } from '#shared/boot.ts'
import type { PageData } from '#shared/page-data.ts'
import { href, type PageName } from '#shared/routes.ts'
import { App, createView, loadPage } from './app.tsx'

declare global {
  interface Window {
    /** Absent in browsers without Trusted Types. */
    trustedTypes?: {
      createPolicy(name: 'default', rules: { createHTML: (html: string) => string | null }): unknown
      createPolicy(
        name: 'service-worker',
        rules: { createScriptURL: (address: string) => string },
      ): { createScriptURL: (address: string) => string }
    }
    /** Read by Vite's React plugin while developing. */
    __getReactRefreshIgnoredExports?: () => (keyof PageModule<PageName>)[]
  }
}

/** What React itself writes into `innerHTML` to create an empty script element; no other string gets there. */
const REACT_MARKUP = ['', '<script></script>']
window.trustedTypes?.createPolicy('default', {
  createHTML: (html) => (REACT_MARKUP.includes(html) ? html : null),
})

// A page is refreshed without a reload although these exports of its module are no components.
if (import.meta.hot)
  window.__getReactRefreshIgnoredExports = () => [
    'load',
    'prefetch',
    'fetchSections',
    'title',
    'viewTransition',
  ]

/** What does nothing without its script, as in `ui/ui.css`. */
const TAPPED_BEFORE_HYDRATION = 'button[type=button]:focus:not(:focus-visible,[popovertarget])'

/** The view the server sent, made again from the document's data blocks. */
async function sentView<Name extends PageName>(location: PageLocation & { name: Name }) {
  const page = await loadPage(location.name)
  const data = receivedData(() => page.load?.(location) ?? (null as PageData[Name]))
  const navigationType = documentNavigationType(window)
  const view = createView(page, location, data, { key: 'first', navigationType })
  return { ...view, onRendered: () => scrollAndFocus(view, null) }
}

function sentBoot(): Boot {
  return bootFrom(document.getElementById(BOOT_BLOCK_ID)?.textContent ?? '{}')
}

function log(what: string) {
  return (error: unknown) => console.error(what, error)
}

/**
 * Hydrates the page the server sent, or renders one where the document is the service worker's. Hydration is a
 * transition, so that it never blocks a tap.
 */
async function hydrate(): Promise<void> {
  const root = document.getElementById('root')
  if (!root) throw new Error('The document has no root element.')
  const store = createStore()
  store.set(bootAtom, sentBoot())
  const view = await sentView(locationOf(new URL(location.href)))
  store.set(viewAtom, {
    ...view,
    onRendered() {
      view.onRendered()
      import('#client/app/after-hydration.ts')
        .then(({ startEnhancements }) => startEnhancements({ store, loadPage, createView, window }))
        .catch(log('Start error:'))
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
    onCaughtError: log('Page error:'),
    onUncaughtError: log('Layout error:'),
    onRecoverableError: log('Hydration error:'),
  }
  startTransition(() => {
    if (root.firstChild) return void hydrateRoot(root, app, options)
    // Nothing has been rendered that the browser's own state could differ from.
    store.set(startSessionAtom)
    createRoot(root, options).render(app)
  })
  startApi({
    apiBase: store.get(bootAtom).apiBase,
    token: () => store.set(tokenAtom),
    onUnauthorized() {
      const { pathname, search } = location
      if (pathname === href('login')) return store.set(signOutAtom)
      store.set(expireSessionAtom, pathname + search)
      navigate(href('login'), { replace: true })
    },
  })
  // A button that was tapped before hydration has the focus without `:focus-visible`: the tap counts now.
  document.querySelector<HTMLElement>(TAPPED_BEFORE_HYDRATION)?.click()
}

void hydrate()
