import { startTransition } from 'react'
import type { PageName } from '#shared/routes.ts'
import { type PageModule, type RouterDeps, type View, viewAtom } from './page.ts'
import { scrollAndFocus } from './scroll-and-focus.ts'
import type { ScrollRestoration } from './scroll-restoration.ts'

/** The number of views that back and forward show as they were, data included. */
const CACHED_VIEWS = 20

type CachedView = { view: View; title: string; url: string }
type ShowOptions = {
  /** The view is not shown once the navigation is aborted. */
  signal: AbortSignal
  restoreScroll: () => void
  viewTransition?: PageModule<PageName>['viewTransition']
}
type ScreenDeps = Pick<RouterDeps, 'store' | 'navigation' | 'window'> & { scroll: ScrollRestoration }

export type Screen = ReturnType<typeof createScreen>

/** Shows views, and caches what the latest history entries of this document showed. */
export function createScreen({ store, navigation, window, scroll }: ScreenDeps) {
  const { document, location } = window
  /** Key of the history entry that the screen shows: not the current one while a page is loading. */
  let shownKey = navigation.currentEntry?.key
  /** By the history entry's key. */
  const views = new Map<string | undefined, CachedView>()

  /** Caches the view of the current history entry. */
  function cacheView(view: View, title: string): void {
    views.set(navigation.currentEntry?.key, { view, title, url: location.href })
    const [oldest] = views.keys()
    if (views.size > CACHED_VIEWS) views.delete(oldest)
  }

  const firstView = store.get(viewAtom)
  if (firstView) cacheView(firstView, document.title)

  return {
    cacheView,

    /** What a history entry showed; undefined if it is not cached, or showed another address. */
    cachedView({ key, url }: NavigationDestination): CachedView | undefined {
      const cached = views.get(key)
      return cached?.url === url ? cached : undefined
    },

    /** Stores what the current history entry shows, and how far it is scrolled, before the page is left. */
    saveEntry(): void {
      if (navigation.currentEntry?.key !== shownKey) return
      const view = store.get(viewAtom)
      const cached = views.get(shownKey)
      if (view && cached && cached.url !== location.href) cacheView(view, cached.title)
      scroll.save()
    },

    /** Resolves once the view is in the document; never if the navigation is aborted before. */
    show(view: View, { signal, restoreScroll, viewTransition }: ShowOptions): Promise<void> {
      return new Promise((resolve) => {
        const previous = store.get(viewAtom)
        let isRendered = false
        const onRendered = () => {
          if (isRendered) return
          isRendered = true
          shownKey = navigation.currentEntry?.key
          scroll.cancelCorrection()
          scrollAndFocus(view, previous, restoreScroll)
          resolve()
        }
        const render = () => !signal.aborted && store.set(viewAtom, { ...view, onRendered })
        if (view.navigationType === 'traverse') render()
        else if (!viewTransition?.(view.location.pathname, render)) startTransition(() => void render())
      })
    },
  }
}
