import { type CachedPage, getByteLength } from './slots.ts'

const MAX_BYTES = 8 * 1024 * 1024

export function createPageStore(maxBytes = MAX_BYTES) {
  const pages = new Map<string, CachedPage>()
  let bytes = 0

  return {
    get(key: string): CachedPage | undefined {
      const page = pages.get(key)
      if (page) {
        // A Map iterates in insertion order, so this makes the page the last to be evicted.
        pages.delete(key)
        pages.set(key, page)
      }
      return page
    },
    set(key: string, page: CachedPage): void {
      const previous = pages.get(key)
      if (previous) bytes -= measureBytes(previous)
      pages.delete(key)
      pages.set(key, page)
      bytes += measureBytes(page)
      for (const [oldestKey, oldest] of pages) {
        if (bytes <= maxBytes) break
        pages.delete(oldestKey)
        bytes -= measureBytes(oldest)
      }
    },
    sizeBytes: () => bytes,
  }
}

/** A page is stored twice: split at its slots, and with them filled in for the last request. */
function measureBytes({ bytes }: CachedPage): number {
  return 2 * getByteLength(bytes)
}
