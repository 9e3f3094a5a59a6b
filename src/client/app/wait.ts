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

declare global {
  interface Window {
    /** Collected by `start.ts`: buttons clicked before hydration, and the last link clicked after them. */
    earlyClicks: {
      /** A selector: the part of the page that isn't hydrated yet. */
      unhydrated: string
      buttons: Set<HTMLElement>
      link?: HTMLElement | undefined
    }
  }
}

/** Repeats the clicks on buttons that have been hydrated since. */
export function replayClicks(unhydrated = ':not(*)'): void {
  const { earlyClicks } = window
  earlyClicks.unhydrated = unhydrated
  for (const button of earlyClicks.buttons) {
    if (!button.closest(unhydrated) && earlyClicks.buttons.delete(button)) button.click()
  }
}

/** Follows the link that was clicked before hydration, once what was clicked before it is done. */
export function followEarlyLink(): void {
  const { earlyClicks } = window
  const { link } = earlyClicks
  if (!link || earlyClicks.buttons.size > 0) return
  earlyClicks.link = undefined
  afterPaint(() => link.click())
}
