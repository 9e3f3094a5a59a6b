import { savesData } from '#client/app/boot.ts'
import { runAfterPaint } from '#client/app/wait.ts'
import { parseLocation, type RouterDeps, viewAtom } from './page.ts'

function findLink(target: EventTarget | null): HTMLAnchorElement | undefined {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin)
    return undefined
  return isFileUrl(link) ? undefined : link
}

function findClickedLink(event: MouseEvent): HTMLAnchorElement | undefined {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
  const isPlain = button === 0 && !(metaKey || ctrlKey || shiftKey || altKey || defaultPrevented)
  return isPlain ? findLink(event.target) : undefined
}

export function isFileUrl({ pathname }: { pathname: string }): boolean {
  return pathname.includes('.')
}

/**
 * In browsers without the Navigation API, makes links and searches wait while offline, unless a service worker is
 * active.
 */
export function followLinksWhenOnline(waitForConnection: (signal: AbortSignal) => Promise<void>): void {
  let abort = new AbortController()
  async function followLink(event: Event, url: string): Promise<void> {
    if (navigator.onLine !== false) return
    event.preventDefault()
    abort.abort()
    abort = new AbortController()
    const { signal } = abort
    // getRegistration rejects if the browser blocks site storage.
    const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined)
    if (!registration?.active) await waitForConnection(signal)
    if (!signal.aborted) location.assign(url)
  }

  document.addEventListener('click', (event) => {
    const link = findClickedLink(event)
    if (link && !(link.hash && link.pathname === location.pathname)) void followLink(event, link.href)
  })
  document.addEventListener('submit', (event) => {
    const { target: form, defaultPrevented } = event
    if (!(form instanceof HTMLFormElement) || form.method !== 'get' || defaultPrevented) return
    const fields = Array.from(new FormData(form), ([name, value]) => [name, String(value)])
    void followLink(event, `${form.action}?${new URLSearchParams(fields)}`)
  })
}

export function prefetchOnIntent({ loadPage, window }: Pick<RouterDeps, 'loadPage' | 'window'>): void {
  const { document, location } = window
  function prefetchLink({ target }: Event): void {
    const link = savesData() ? undefined : findLink(target)
    if (!link || (link.pathname === location.pathname && link.search === location.search)) return
    loadPage(parseLocation(new URL(link.href)).name)
      .then((page) => page.prefetch?.())
      .catch(() => {})
  }
  document.addEventListener('pointerover', prefetchLink, { passive: true })
  document.addEventListener('focusin', prefetchLink)
}

/** Lets the browser paint the click before following a link that changes the page's query. */
export function followSamePageLinks({
  store,
  navigation,
  window,
}: Pick<RouterDeps, 'store' | 'navigation' | 'window'>): { cancel: () => void } {
  const { document, location } = window
  let tappedLink: HTMLAnchorElement | undefined
  document.addEventListener('click', (event) => {
    const link = findClickedLink(event)
    if (link?.pathname !== location.pathname || link.search === location.search) return
    event.preventDefault()
    const current = store.get(viewAtom)?.location
    const appendedTo = (current?.appendedTo ?? current?.search)?.toString()
    const append = { history: 'replace', state: { appendedTo }, info: 'append' } as const
    tappedLink = link
    runAfterPaint(() => {
      if (tappedLink === link) navigation.navigate(link.href, link.rel === 'next' ? append : {})
    })
  })
  return {
    cancel() {
      tappedLink = undefined
    },
  }
}
