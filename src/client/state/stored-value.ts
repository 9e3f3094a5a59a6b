import { atom } from 'jotai'
import * as z from 'zod/mini'

/**
 * One value in browser storage under `key`, shared by all tabs. `read` gives what stands there now, undefined for
 * nothing or anything malformed; `write` of undefined deletes it. Where storage refuses, this tab still remembers.
 */
export function storedValue<Schema extends z.ZodMiniType>(key: string, schema: Schema) {
  type Value = z.infer<Schema>
  let unsaved: { value: Value | undefined } | undefined

  function read(): Value | undefined {
    if (unsaved) return unsaved.value
    try {
      const { success, data } = z.safeParse(schema, JSON.parse(localStorage.getItem(key) ?? 'null'))
      return success ? data : undefined
    } catch {
      return undefined
    }
  }

  function write(value: Value | undefined): void {
    try {
      if (value === undefined) localStorage.removeItem(key)
      else localStorage.setItem(key, JSON.stringify(value))
      unsaved = undefined
    } catch {
      unsaved = { value }
    }
  }

  const shownAtom = atom<Value | undefined>(undefined)
  /** The value on the screen; undefined until the page is alive. Set it to store it. */
  const valueAtom = atom(
    (get) => get(shownAtom),
    (_get, set, change: 'read' | { value: Value | undefined }) => {
      if (change !== 'read') write(change.value)
      set(shownAtom, read())
    },
  )
  valueAtom.onMount = (update) => {
    update('read')
    const onStorage = (event: StorageEvent) => {
      if (event.key === key || event.key === null) update('read')
    }
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && update('read')
    addEventListener('storage', onStorage)
    addEventListener('pageshow', onShow)
    return () => {
      removeEventListener('storage', onStorage)
      removeEventListener('pageshow', onShow)
    }
  }
  return { read, write, valueAtom }
}
