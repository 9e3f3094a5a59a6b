export const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export function afterPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run))
}

/**
 * Runs each time the page is restored from the back/forward cache; returns a cleanup function. Not on `pagehide`:
 * React updates scheduled there never finish in Firefox.
 */
export function onPageRestored(run: () => void): () => void {
  const listener = ({ persisted }: PageTransitionEvent) => {
    if (persisted) run()
  }
  addEventListener('pageshow', listener)
  return () => removeEventListener('pageshow', listener)
}

/** Clicks the button that was tapped before it was hydrated: it has focus without `:focus-visible`. */
export function replayTap(hydrated: Document | Element): void {
  hydrated
    .querySelector<HTMLElement>('button[type=button]:focus:not(:focus-visible,[popovertarget])')
    ?.click()
}
