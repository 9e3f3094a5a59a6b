import * as z from 'zod/mini'

const STORAGE_KEY = 'scroll'
const KEPT_ENTRIES = 50

const positionsSchema = z.catch(z.array(z.tuple([z.string(), z.number()])), [])
const positions = new Map(stored())

function stored() {
  try {
    return positionsSchema.parse(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]'))
  } catch {
    return []
  }
}

/** Keeps where the shopper is on a history entry, in pixels from the top. */
export function rememberScroll(entryKey: string): void {
  positions.delete(entryKey)
  positions.set(entryKey, window.scrollY)
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-KEPT_ENTRIES)))
  } catch {
    // Storage is full or forbidden: the memory of this page still serves.
  }
}

/** Where the shopper was on a history entry, in pixels from the top; undefined when it is not known. */
export function recallScroll(entryKey: string): number | undefined {
  return positions.get(entryKey)
}
