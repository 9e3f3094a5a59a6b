import { savesData } from '#client/app/boot.ts'
import { afterPaint } from '#client/app/wait.ts'
import { locationOf, type RouterDeps, viewAtom } from './page.ts'

/** The link of this site that an event happened on, unless it opens a new tab, downloads, or leads to a file. */
function linkOf(target: EventTarget | null): HTMLAnchorElement | undefined {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin)
    return undefined
  return isFileUrl(link) ? undefined : link
}

/** The link that a click follows in this tab, where nothing has handled the click yet. */
function clickedLink(event: MouseEvent): HTMLAnchorElement | undefined {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
  const isPlain = button === 0 && !(metaKey || ctrlKey || shiftKey || altKey || defaultPrevented)
  return isPlain ? linkOf(event.target) : undefined
}

export function isFileUrl({ pathname }: { pathname: string }): boolean {
  return pathname.includes('.')
}

/**
 * For browsers whose links load documents: when offline and without a service worker, a link or a search waits for
 * `connected` instead of leading to the browser's error page. The next one ends the wait.
 */
export function followLinksWhenOnline(connected: (signal: AbortSignal) => Promise<void>): void {
  let waiting = new AbortController()
  async function follow(event: Event, address: string): Promise<void> {
    if (navigator.onLine !== false) return
    event.preventDefault()
    waiting.abort()
    waiting = new AbortController()
    const { signal } = waiting
    // Refused where the browser keeps nothing for the site.
    const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined)
    if (!registration?.active) await connected(signal)
    if (!signal.aborted) location.assign(address)
  }

  document.addEventListener('click', (event) => {
    const link = clickedLink(event)
    if (link && !(link.hash && link.pathname === location.pathname)) void follow(event, link.href)
  })
  document.addEventListener('submit', (event) => {
    const { target: form, defaultPrevented } = event
    if (!(form instanceof HTMLFormElement) || form.method !== 'get' || defaultPrevented) return
    const fields = Array.from(new FormData(form), ([name, value]) => [name, String(value)])
    void follow(event, `${form.action}?${new URLSearchParams(fields)}`)
  })
}

/** Fetches a page's code and data when its link is hovered, touched or focused; not for visitors who save data. */
export function prefetchOnIntent({ loadPage, window }: Pick<RouterDeps, 'loadPage' | 'window'>): void {
  const { document, location } = window
  function prefetchLink({ target }: Event): void {
    const link = savesData() ? undefined : linkOf(target)
    if (!link || (link.pathname === location.pathname && link.search === location.search)) return
    loadPage(locationOf(new URL(link.href)).name)
      .then((page) => page.prefetch?.())
      .catch(() => {})
  }
  document.addEventListener('pointerover', prefetchLink, { passive: true })
  document.addEventListener('focusin', prefetchLink)
}

/**
 * Follows a link to another part of the same page, like a filter, once the browser has painted the tap; a `rel="next"`
 * link without a history entry, keeping what is on the screen above what it adds. `cancel` drops a link that is not
 * followed yet.
 */
export function followSamePageLinks({
  store,
  navigation,
  window,
}: Pick<RouterDeps, 'store' | 'navigation' | 'window'>): { cancel: () => void } {
  const { document, location } = window
  let tappedLink: HTMLAnchorElement | undefined
  document.addEventListener('click', (event) => {
    const link = clickedLink(event)
    if (link?.pathname !== location.pathname || link.search === location.search) return
    event.preventDefault()
    const shown = store.get(viewAtom)?.location
    const appendedTo = (shown?.appendedTo ?? shown?.search)?.toString()
    const append = { history: 'replace', state: { appendedTo }, info: 'append' } as const
    tappedLink = link
    afterPaint(() => {
      if (tappedLink === link) navigation.navigate(link.href, link.rel === 'next' ? append : {})
    })
  })
  return {
    cancel() {
      tappedLink = undefined
    },
  }
}
