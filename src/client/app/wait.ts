/** Resolves after so many milliseconds. */
export const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Runs what can wait for the next paint, so that no work delays that: what a tap asks for, or what is below the screen. */
export function afterPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run))
}

/**
 * Runs each time the browser brings this document back from memory, as it was left. Returns what ends that. Not when it
 * is left: in Firefox, React would wait for ever for what it schedules then.
 */
export function onPageRestored(run: () => void): () => void {
  const listener = ({ persisted }: PageTransitionEvent) => {
    if (persisted) run()
  }
  addEventListener('pageshow', listener)
  return () => removeEventListener('pageshow', listener)
}
