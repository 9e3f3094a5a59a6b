const STORAGE_KEY = 'scroll'

const positions = new Map<string, number>(stored())

function stored(): [string, number][] {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(value) ? value.filter((entry) => Array.isArray(entry) && entry.length === 2) : []
  } catch {
    return []
  }
}

/** Keeps where the shopper is on a history entry, in pixels from the top. */
export function rememberScroll(entryKey: string): void {
  positions.set(entryKey, window.scrollY)
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-50)))
  } catch {
    // Storage is full or forbidden: the memory of this page still serves.
  }
}

/** Where the shopper was on a history entry; 0 when it is not known. */
export function recallScroll(entryKey: string): number {
  return positions.get(entryKey) ?? 0
}

/** Starts an entry at the top. */
export function forgetScroll(entryKey: string): void {
  positions.delete(entryKey)
}
