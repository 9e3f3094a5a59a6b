import { atom, type Getter, type Setter, type WritableAtom } from 'jotai'

type ValueChange<Value> = (now: Value) => Value | null

/**
 * An atom that is undefined until storage has been read. Setting it with a function applies a change; setting it
 * without one rereads storage.
 */
export type StoredAtom<Value, Result = Value | Promise<Value>> = WritableAtom<
  Value | undefined,
  [change?: ValueChange<Value>],
  Result
>

type StoredOptions<Value, Parsed> = {
  key: string
  storage?: 'local' | 'session'
  empty: Value
  /** If it throws, the value is `empty`. If it rejects, the last value stays. */
  parse: (text: string) => Parsed
  /** Null removes the stored text. */
  serialize?: (value: Value) => string | null
}

/**
 * Changes apply to the latest stored value, even if another tab wrote it. If storage is unavailable, the value lasts
 * as long as the document.
 */
export function createStoredAtom<Value>(options: StoredOptions<Value, Value>): StoredAtom<Value, Value>
export function createStoredAtom<Value>(
  options: StoredOptions<Value, Value | Promise<Value>>,
): StoredAtom<Value>
export function createStoredAtom<Value>({
  key,
  storage = 'local',
  empty,
  parse,
  serialize = JSON.stringify,
}: StoredOptions<Value, Value | Promise<Value>>): StoredAtom<Value> {
  const shownAtom = atom<Value | undefined>(undefined)
  const unsavedAtom = atom<readonly ValueChange<Value>[]>([])
  const lastReadAtom = atom<{ text: string | null; value: Value }>({ text: null, value: empty })

  function apply(get: Getter, set: Setter, change?: ValueChange<Value>): Value | Promise<Value> {
    const text = readText(storage, key)
    if (text !== null && text !== get(lastReadAtom).text) {
      const parsed = parseOrEmpty(text)
      if (parsed instanceof Promise) {
        return parsed.then(
          (value) => {
            set(lastReadAtom, { text, value })
            return apply(get, set, change)
          },
          () => combine(get, set, get(shownAtom) ?? empty, change),
        )
      }
      set(lastReadAtom, { text, value: parsed })
    }
    const storedValue = text === null ? empty : get(lastReadAtom).value
    const unsaved = get(unsavedAtom)
    const value = unsaved.reduce((now, next) => next(now) ?? empty, storedValue)
    return combine(get, set, value, change, storedValue)
  }

  function combine(get: Getter, set: Setter, now: Value, change?: ValueChange<Value>, stored?: Value): Value {
    const next = change ? change(now) : now
    const value = next ?? empty
    set(shownAtom, value)
    if (!change) return value
    const text = next === null ? null : serialize(value)
    const isSaved = stored !== undefined && (next === stored || writeText(storage, key, text))
    set(unsavedAtom, isSaved ? [] : [...get(unsavedAtom), change])
    if (isSaved && next !== stored) set(lastReadAtom, { text, value })
    return value
  }

  function parseOrEmpty(text: string): Value | Promise<Value> {
    try {
      return parse(text)
    } catch {
      return empty
    }
  }

  const valueAtom = atom((get) => get(shownAtom), apply)
  // React mounts the atom after hydration, so the first render doesn't depend on storage.
  valueAtom.onMount = (readAgain) => {
    readAgain()
    const onStorage = (event: StorageEvent) => {
      if (event.key === key || event.key === null) readAgain()
    }
    addEventListener('storage', onStorage)
    return () => removeEventListener('storage', onStorage)
  }
  return valueAtom
}

/** Throws if the text isn't JSON. Doesn't use zod, which the first load excludes. */
export function parseStringRecord(text: string): Record<string, string> {
  const entries = Object.entries<unknown>(JSON.parse(text) ?? {})
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function readText(storage: 'local' | 'session', key: string): string | null {
  try {
    return getStorage(storage).getItem(key)
  } catch {
    return null
  }
}

function writeText(storage: 'local' | 'session', key: string, text: string | null): boolean {
  try {
    if (text === null) getStorage(storage).removeItem(key)
    else getStorage(storage).setItem(key, text)
    return true
  } catch {
    return false
  }
}

function getStorage(storage: 'local' | 'session'): Storage {
  return storage === 'local' ? localStorage : sessionStorage
}
