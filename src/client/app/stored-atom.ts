import { atom, type Getter, type Setter, type WritableAtom } from 'jotai'

/** A change of a stored value; null deletes its key. */
type Change<Value> = (now: Value) => Value | null

/** Undefined until the browser has read its storage. Set it with a change, or with nothing to read again. */
export type StoredAtom<Value, Result = Value | Promise<Value>> = WritableAtom<
  Value | undefined,
  [change?: Change<Value>],
  Result
>

type StoredOptions<Value, Parsed> = {
  key: string
  /** `session` ends with the tab. */
  storage?: 'local' | 'session'
  /** The value where nothing valid is stored. */
  empty: Value
  /** Validates a stored text: throws on an invalid one; rejects when its own code cannot be fetched. */
  parse: (text: string) => Parsed
  /** JSON unless given; null deletes the key. */
  serialize?: (value: Value) => string | null
}

/**
 * A value in browser storage, the same in all tabs. A change starts from what is stored at that moment, so that
 * tabs build on each other's changes. Changes that cannot be stored (storage full or forbidden) are reapplied to what
 * is stored each time, so they last as long as the page. Setting it returns the new value.
 */
export function storedAtom<Value>(options: StoredOptions<Value, Value>): StoredAtom<Value, Value>
export function storedAtom<Value>(options: StoredOptions<Value, Value | Promise<Value>>): StoredAtom<Value>
export function storedAtom<Value>({
  key,
  storage = 'local',
  empty,
  parse,
  serialize = JSON.stringify,
}: StoredOptions<Value, Value | Promise<Value>>): StoredAtom<Value> {
  const shownAtom = atom<Value | undefined>(undefined)
  const unsavedAtom = atom<readonly Change<Value>[]>([])
  /** The stored text that was read or written last, and its value. */
  const knownAtom = atom<{ text: string | null; value: Value }>({ text: null, value: empty })

  function apply(get: Getter, set: Setter, change?: Change<Value>): Value | Promise<Value> {
    const text = readText(storage, key)
    if (text !== null && text !== get(knownAtom).text) {
      const parsed = parsedOrEmpty(text)
      if (parsed instanceof Promise) {
        return parsed.then(
          (value) => {
            set(knownAtom, { text, value })
            return apply(get, set, change)
          },
          () => combine(get, set, get(shownAtom) ?? empty, change),
        )
      }
      set(knownAtom, { text, value: parsed })
    }
    const stored = text === null ? empty : get(knownAtom).value
    const unsaved = get(unsavedAtom)
    const value = unsaved.reduce((now, next) => next(now) ?? empty, stored)
    return combine(get, set, value, change, stored)
  }

  /** Makes the change and stores it, unless what is stored is not known. */
  function combine(get: Getter, set: Setter, now: Value, change?: Change<Value>, stored?: Value): Value {
    const next = change ? change(now) : now
    const value = next ?? empty
    set(shownAtom, value)
    if (!change) return value
    const text = next === null ? null : serialize(value)
    const isSaved = stored !== undefined && (next === stored || writeText(storage, key, text))
    set(unsavedAtom, isSaved ? [] : [...get(unsavedAtom), change])
    if (isSaved && next !== stored) set(knownAtom, { text, value })
    return value
  }

  function parsedOrEmpty(text: string): Value | Promise<Value> {
    try {
      return parse(text)
    } catch {
      return empty
    }
  }

  const valueAtom = atom((get) => get(shownAtom), apply)
  // Mounting happens after hydration. Other tabs report by event.
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

/** The texts of a stored object; anything else in it is dropped. By hand: a first load does without zod. */
export function parseStringRecord(text: string): Record<string, string> {
  const entries = Object.entries<unknown>(JSON.parse(text) ?? {})
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** The stored text; null where there is none, or storage is forbidden. */
function readText(storage: 'local' | 'session', key: string): string | null {
  try {
    return storageOf(storage).getItem(key)
  } catch {
    return null
  }
}

/** Whether storage has taken the text; null removes it. */
function writeText(storage: 'local' | 'session', key: string, text: string | null): boolean {
  try {
    if (text === null) storageOf(storage).removeItem(key)
    else storageOf(storage).setItem(key, text)
    return true
  } catch {
    return false
  }
}

/** Throws where the browser forbids storage. */
function storageOf(storage: 'local' | 'session'): Storage {
  return storage === 'local' ? localStorage : sessionStorage
}
