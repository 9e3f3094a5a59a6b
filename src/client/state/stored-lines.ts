import { atom, type Getter, type Setter } from 'jotai'
import type { Cart } from '#shared/rules/cart.ts'

/** A change of stored lines; null empties them and deletes the key. */
export type LinesChange = (lines: Cart) => Cart | null

/**
 * Lines kept in browser storage under `key`: undefined until the page is alive and has read them. Set it with a
 * change, which starts from what is stored at that moment, so that tabs build on each other's changes. A change
 * that storage refuses (full, forbidden) is made again on top of it each time, so it holds while the page lives.
 */
export function storedLinesAtom(key: string) {
  const shownAtom = atom<Cart | undefined>(undefined)
  const unsavedAtom = atom<readonly LinesChange[]>([])
  /** The stored text last seen, and its lines. */
  const seenAtom = atom<{ text: string | null; lines: Cart }>({ text: null, lines: [] })

  function apply(get: Getter, set: Setter, change?: LinesChange): void {
    const text = read(key)
    const seen = get(seenAtom)
    const unsaved = get(unsavedAtom)
    if (text !== null && text !== seen.text) {
      // Of another tab or an earlier visit. Its parser is heavy, so it is fetched only now; then all goes on as usual.
      parse(text).then(
        (lines) => {
          set(seenAtom, { text, lines })
          apply(get, set, change)
        },
        () => {
          if (!change) return
          set(unsavedAtom, [...unsaved, change])
          set(shownAtom, change(get(shownAtom) ?? []) ?? [])
        },
      )
      return
    }
    const stored = text === null ? [] : seen.lines
    const changes = change ? [...unsaved, change] : unsaved
    const lines = changes.reduce<Cart | null>((before, next) => next(before ?? []), stored)
    set(shownAtom, lines ?? [])
    if (!change || lines === stored) return
    const newText = lines && JSON.stringify(lines)
    const isSaved = write(key, newText)
    set(unsavedAtom, isSaved ? [] : changes)
    if (isSaved) set(seenAtom, { text: newText, lines: lines ?? [] })
  }
  const linesAtom = atom((get) => get(shownAtom), apply)

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

async function parse(text: string): Promise<Cart> {
  const { cartFromText } = await import('#shared/rules/cart-schema.ts')
  return cartFromText(text)
}

/** The stored text; null where there is none, or storage is forbidden. */
function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Whether storage has taken the text; null removes it. */
function write(key: string, text: string | null): boolean {
  try {
    if (text === null) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}
