export const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export function runAfterPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run))
}

/** Uses `pageshow`, because Firefox never finishes React updates scheduled in `pagehide`. */
export function onPageRestored(run: () => void): () => void {
  const listener = ({ persisted }: PageTransitionEvent) => {
    if (persisted) run()
  }
  addEventListener('pageshow', listener)
  return () => removeEventListener('pageshow', listener)
}
