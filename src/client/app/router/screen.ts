import { startTransition } from 'react'
import type { PageName } from '#shared/routes.ts'
import { type PageModule, type RouterDeps, type View, viewAtom } from './page.ts'
import { scrollAndFocus } from './scroll-and-focus.ts'
import type { ScrollRestoration } from './scroll-restoration.ts'

const MAX_CACHED_VIEWS = 20

type CachedView = { view: View; title: string; url: string }
type ShowOptions = {
  signal: AbortSignal
  restoreScroll: () => void
  viewTransition?: PageModule<PageName>['viewTransition']
}
type ScreenDeps = Pick<RouterDeps, 'store' | 'navigation' | 'window'> & { scroll: ScrollRestoration }

export type Screen = ReturnType<typeof createScreen>

export function createScreen({ store, navigation, window, scroll }: ScreenDeps) {
  const { document, location } = window
  /** While another page is loading, this differs from the current entry's key. */
  let visibleKey = navigation.currentEntry?.key
  const views = new Map<string | undefined, CachedView>()

  function cacheView(view: View, title: string): void {
    views.set(navigation.currentEntry?.key, { view, title, url: location.href })
    const [oldest] = views.keys()
    if (views.size > MAX_CACHED_VIEWS) views.delete(oldest)
  }

  const firstView = store.get(viewAtom)
  if (firstView) cacheView(firstView, document.title)

  return {
    cacheView,

    cachedView({ key, url }: NavigationDestination): CachedView | undefined {
      const cached = views.get(key)
      return cached?.url === url ? cached : undefined
    },

    /** Call it before the navigation commits, while the current entry and `location` are still this page's. */
    saveEntry(): void {
      if (navigation.currentEntry?.key !== visibleKey) return
      const view = store.get(viewAtom)
      const cached = views.get(visibleKey)
      if (view && cached && cached.url !== location.href) cacheView(view, cached.title)
      scroll.save()
    },

    /** Never resolves if the navigation is aborted before the view has rendered. */
    show(view: View, { signal, restoreScroll, viewTransition }: ShowOptions): Promise<void> {
      return new Promise((resolve) => {
        const previous = store.get(viewAtom)
        let isRendered = false
        const onRendered = () => {
          if (isRendered) return
          isRendered = true
          visibleKey = navigation.currentEntry?.key
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
