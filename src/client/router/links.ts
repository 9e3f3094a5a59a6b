/** The link of this site that an event happened on, unless it opens a new tab, downloads, or leads to a file. */
export function linkOf(target: EventTarget | null): HTMLAnchorElement | undefined {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin)
    return undefined
  return isFile(link) ? undefined : link
}

/** The link that a click follows in this tab, where nothing has handled the click yet. */
export function clickedLink(event: MouseEvent): HTMLAnchorElement | undefined {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
  const isPlain = button === 0 && !(metaKey || ctrlKey || shiftKey || altKey || defaultPrevented)
  return isPlain ? linkOf(event.target) : undefined
}

export function isFile({ pathname }: { pathname: string }): boolean {
  return pathname.includes('.')
}

/**
 * For browsers whose links load documents: when offline and without a service worker, a link waits for `connected` instead
 * of leading to the browser's error page. The next link that is clicked ends the wait.
 */
export function followWhenConnected(connected: (signal: AbortSignal) => Promise<void>): void {
  let waiting = new AbortController()
  document.addEventListener('click', async (event) => {
    const link = clickedLink(event)
    if (!link || navigator.onLine !== false || (link.hash && link.pathname === location.pathname)) return
    event.preventDefault()
    waiting.abort()
    waiting = new AbortController()
    const { signal } = waiting
    const registration = await navigator.serviceWorker?.getRegistration()
    if (!registration?.active) await connected(signal)
    if (!signal.aborted) location.assign(link.href)
  })
}
