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
 * For browsers whose links load documents: when offline and without a service worker, a link or a search waits for
 * `connected` instead of leading to the browser's error page. The next one ends the wait.
 */
export function followWhenConnected(connected: (signal: AbortSignal) => Promise<void>): void {
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
