import { entryState, type RouterDeps } from './page.ts'

export type ScrollRestoration = ReturnType<typeof createScrollRestoration>

export function createScrollRestoration({ navigation, window }: Pick<RouterDeps, 'navigation' | 'window'>) {
  const { history } = window
  /** The frame in which a restored position is corrected; cancelled when another view appears. */
  let correctionFrame = 0

  navigation.updateCurrentEntry({ state: null })
  // A reloaded document is shorter than one with appended pages, so the browser must not restore the scroll position.
  window.addEventListener('pagehide', () => {
    const { appendedTo } = entryState(navigation.currentEntry)
    history.scrollRestoration = appendedTo === undefined ? 'auto' : 'manual'
  })
  window.addEventListener('pageshow', () => {
    history.scrollRestoration = 'auto'
  })

  return {
    save(): void {
      const state = { ...entryState(navigation.currentEntry), scrollY: window.scrollY }
      navigation.updateCurrentEntry({ state })
    },

    restore(top: number): void {
      window.scrollTo({ top, behavior: 'instant' })
      const { scrollY } = window
      // A smooth scroll still running in the compositor can move the page again one frame later.
      correctionFrame = window.requestAnimationFrame(() => {
        if (window.scrollY !== scrollY) window.scrollTo({ top: scrollY, behavior: 'instant' })
      })
    },

    cancelCorrection(): void {
      window.cancelAnimationFrame(correctionFrame)
    },
  }
}
