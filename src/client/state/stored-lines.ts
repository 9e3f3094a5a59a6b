import { atom } from 'jotai'
import { type Cart, cartFromText, cartToText } from '#shared/rules/cart.ts'

/** A change of stored lines; null empties them and deletes the key. */
export type LinesChange = (lines: Cart) => Cart | null

/**
 * Lines kept in browser storage under `key`: undefined until the page is alive and has read them. Set it with a
 * change, which starts from what is stored at that moment, so that tabs build on each other's changes. A change
 * that storage refuses (full, forbidden) is made again on top of it each time, so it holds while the page lives.
 */
export function storedLinesAtom(key: string) {
  const readAtom = atom<Cart | undefined>(undefined)
  const unsavedAtom = atom<readonly LinesChange[]>([])

  const linesAtom = atom(
    (get) => get(readAtom),
    (get, set, change?: LinesChange) => {
      const changes = change ? [...get(unsavedAtom), change] : get(unsavedAtom)
      const stored = read(key)
      const lines = changes.reduce<Cart | null>((before, next) => next(before ?? []), stored)
      set(readAtom, lines ?? [])
      if (change && lines !== stored) set(unsavedAtom, write(key, lines) ? [] : changes)
    },
  )

  // Mounting happens after hydration. Other tabs report by event; a page out of the back-forward cache missed some.
  linesAtom.onMount = (readAgain) => {
    readAgain()
    const onStorage = (event: StorageEvent) => {
      if (event.key === key || event.key === null) readAgain()
    }
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && readAgain()
    addEventListener('storage', onStorage)
    addEventListener('pageshow', onShow)
    return () => {
      removeEventListener('storage', onStorage)
      removeEventListener('pageshow', onShow)
    }
  }
  return linesAtom
}

function read(key: string): Cart {
  try {
    return cartFromText(localStorage.getItem(key))
  } catch {
    return []
  }
}

/** Whether storage has taken the lines. */
function write(key: string, lines: Cart | null): boolean {
  try {
    if (lines) localStorage.setItem(key, cartToText(lines))
    else localStorage.removeItem(key)
    return true
  } catch {
    return false
  }
}
