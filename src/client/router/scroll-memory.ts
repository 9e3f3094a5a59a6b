const STORAGE_KEY = 'scroll'
const KEPT_ENTRIES = 50

const positions = new Map(stored())

// Looked through by hand: this runs on every first page, which does without the schema library.
function stored(): [entryKey: string, scrollY: number][] {
  try {
    const entries: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(entries) ? entries.filter(isPosition) : []
  } catch {
    return []
  }
}

function isPosition(entry: unknown): entry is [string, number] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number'
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
