import { getEntryState, type RouterDeps } from './page.ts'

export type ScrollRestoration = ReturnType<typeof createScrollRestoration>

export function createScrollRestoration({ navigation, window }: Pick<RouterDeps, 'navigation' | 'window'>) {
  const { history } = window
  let correctionFrame = 0

  navigation.updateCurrentEntry({ state: null })
  // A reloaded document lacks the appended pages, so the browser's own restoration would scroll to the wrong
  // place.
  window.addEventListener('pagehide', () => {
    const { appendedTo } = getEntryState(navigation.currentEntry)
    history.scrollRestoration = appendedTo === undefined ? 'auto' : 'manual'
  })
  window.addEventListener('pageshow', () => {
    history.scrollRestoration = 'auto'
  })

  return {
    save(): void {
      const state = { ...getEntryState(navigation.currentEntry), scrollY: window.scrollY }
      navigation.updateCurrentEntry({ state })
    },

    restore(top: number): void {
      window.scrollTo({ top, behavior: 'instant' })
      const { scrollY } = window
      // A smooth scroll that is still running can move the page again one frame later.
      correctionFrame = window.requestAnimationFrame(() => {
        if (window.scrollY !== scrollY) window.scrollTo({ top: scrollY, behavior: 'instant' })
      })
    },

    cancelCorrection(): void {
      window.cancelAnimationFrame(correctionFrame)
    },
  }
}
