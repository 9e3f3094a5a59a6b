import '@vitejs/plugin-react/preamble'
import { createStore, Provider } from 'jotai'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { BOOT_BLOCK_ID, type Boot } from '#shared/boot.ts'
import type { PageData } from '#shared/page-data.ts'
import { href, type PageName } from '#shared/routes.ts'
import { startApi } from './api.ts'
import { App, createView, loadPage } from './app.tsx'
import {
  documentNavigationType,
  locationOf,
  navigate,
  type PageLocation,
  supportsNavigation,
  viewAtom,
} from './router/page.ts'
import { receivedData } from './router/page-data.tsx'
import { scrollAndFocus } from './router/scroll-and-focus.ts'
import { bootAtom } from './state/boot.ts'
import { cartLineCountAtom } from './state/cart.ts'
import { expireSessionAtom, signOutAtom, tokenAtom } from './state/session.ts'

declare global {
  interface Window {
    /** Absent in browsers without Trusted Types. */
    trustedTypes?: {
      createPolicy(name: 'default', rules: { createHTML: (html: string) => string | null }): unknown
    }
  }
}

/** What React itself writes into `innerHTML` to create an empty script element; no other string gets there. */
const REACT_MARKUP = ['', '<script></script>']
window.trustedTypes?.createPolicy('default', {
  createHTML: (html) => (REACT_MARKUP.includes(html) ? html : null),
})

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
  return JSON.parse(document.getElementById(BOOT_BLOCK_ID)?.textContent ?? '{}') as Boot
}

function log(what: string) {
  return (error: unknown) => console.error(what, error)
}

/** Fetched once the page is usable: until then, and without it, links load documents. */
async function startRouter(store: ReturnType<typeof createStore>): Promise<void> {
  const { createRouter } = await import('./router/router.ts')
  createRouter({ store, loadPage, createView, navigation: window.navigation, window }).start()
  document.documentElement.dataset.routed = 'true'
  // A cart with something in it opens without a connection, too. Read any earlier, it would be in the first render.
  store.sub(cartLineCountAtom, () => void loadPage('cart').catch(() => {}))
}

/** Hydrates the page the server sent. Hydration is a transition, so that it never blocks a tap. */
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
      if (supportsNavigation(window)) void startRouter(store).catch(log('Router error:'))
    },
  })
  startTransition(() => {
    hydrateRoot(
      root,
      <StrictMode>
        <Provider store={store}>
          <App />
        </Provider>
      </StrictMode>,
      {
        onCaughtError: log('Page error:'),
        onUncaughtError: log('Frame error:'),
        onRecoverableError: log('Hydration error:'),
      },
    )
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
