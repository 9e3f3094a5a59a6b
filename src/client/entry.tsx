import '@vitejs/plugin-react/preamble'
import { createStore, Provider } from 'jotai'
import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { BOOT_BLOCK_ID, type Boot } from '#shared/boot.ts'
import { href, type PageName } from '#shared/routes.ts'
import { startApi } from './api.ts'
import { App, loadPage, viewOf } from './app.tsx'
import { receivedData } from './router/data-source.ts'
import { watchIntent } from './router/intent.ts'
import { firstArrival, navigate, startRouter } from './router/navigate.ts'
import { type Place, placeOf } from './router/page.ts'
import { viewAtom } from './router/view.ts'
import { bootAtom } from './state/boot.ts'
import { signOutAtom, tokenAtom } from './state/session.ts'

/** What only a script can do, as in `ui/ui.css`; the rest has worked meanwhile. */
const TAPPED_BEFORE_HYDRATION = 'button[type=button]:focus:not(:focus-visible,[popovertarget])'

/** The view the server sent, made again from the document's data blocks. */
async function sentView<Name extends PageName>(place: Place & { name: Name }) {
  const page = await loadPage(place.name)
  const data = receivedData(() => page.load(place), page.markup)
  return viewOf(page, place, data, { key: 'first', arrival: firstArrival() })
}

function sentBoot(): Boot {
  return JSON.parse(document.getElementById(BOOT_BLOCK_ID)?.textContent ?? '{}') as Boot
}

/** Wakes the page the server sent. Hydration is a transition, so that it never blocks a tap. */
async function wake(): Promise<void> {
  const root = document.getElementById('root')
  if (!root) throw new Error('The document has no root element.')
  const store = createStore()
  store.set(bootAtom, sentBoot())
  store.set(viewAtom, await sentView(placeOf(new URL(location.href))))
  startTransition(() => {
    hydrateRoot(
      root,
      <StrictMode>
        <Provider store={store}>
          <App />
        </Provider>
      </StrictMode>,
    )
  })
  startApi({
    apiBase: store.get(bootAtom).apiBase,
    token: () => store.set(tokenAtom),
    onUnauthorized() {
      store.set(signOutAtom)
      if (location.pathname !== href('login')) navigate(href('login'), { replace: true })
    },
  })
  startRouter({ store, loadPage, viewOf })
  watchIntent()
  // A tap on a button that still slept left it with a focus that no key gives: the tap counts now.
  document.querySelector<HTMLElement>(TAPPED_BEFORE_HYDRATION)?.click()
}

void wake()
