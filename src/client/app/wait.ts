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
