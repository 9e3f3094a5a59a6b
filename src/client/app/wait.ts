export const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export function afterPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run))
}

/**
 * Calls `run` each time the page is restored from the back/forward cache. Returns a cleanup function. It doesn't
 * use `pagehide`, because Firefox never finishes React updates scheduled there.
 */
export function onPageRestored(run: () => void): () => void {
  const listener = ({ persisted }: PageTransitionEvent) => {
    if (persisted) run()
  }
  addEventListener('pageshow', listener)
  return () => removeEventListener('pageshow', listener)
}
