import { entryState, type RouterDeps } from './page.ts'

export type ScrollRestoration = ReturnType<typeof createScrollRestoration>

/** Stores scroll positions with history entries, and scrolls back to them. */
export function createScrollRestoration({ navigation, window }: Pick<RouterDeps, 'navigation' | 'window'>) {
  const { history } = window
  /** The frame after a scroll position was restored; the next view on the screen must not be scrolled there. */
  let correctionFrame = 0

  // A document holds one page of a list, also where others had been appended to it.
  navigation.updateCurrentEntry({ state: null })
  // A reloaded document is shorter than one with appended pages: the browser must not scroll as far.
  window.addEventListener('pagehide', () => {
    const { appendedTo } = entryState(navigation.currentEntry)
    history.scrollRestoration = appendedTo === undefined ? 'auto' : 'manual'
  })
  window.addEventListener('pageshow', () => {
    history.scrollRestoration = 'auto'
  })

  return {
    /** Stores the scroll position with the current history entry, for a later return to it. */
    save(): void {
      const state = { ...entryState(navigation.currentEntry), scrollY: window.scrollY }
      navigation.updateCurrentEntry({ state })
    },

    restore(top: number): void {
      window.scrollTo({ top, behavior: 'instant' })
      const { scrollY } = window
      // A smooth scroll still under way in the compositor can move the page once more, a frame later.
      correctionFrame = window.requestAnimationFrame(() => {
        if (window.scrollY !== scrollY) window.scrollTo({ top: scrollY, behavior: 'instant' })
      })
    },

    /** Drops the correction of the last restored position. */
    cancelCorrection(): void {
      window.cancelAnimationFrame(correctionFrame)
    },
  }
}
