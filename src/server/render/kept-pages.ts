/** The most that all kept pages together may hold, in bytes; beyond it the longest unused go first. */
const KEPT_BYTES = 8 * 1024 * 1024

/** What differs from request to request in a page that is otherwise the same for everyone. */
export type Slots = { boot: string; clock: string }

const SLOT_MARK = '\uE000'
const SLOT = new RegExp(`${SLOT_MARK}(boot|clock)${SLOT_MARK}`)

/** Stands in a kept page where a slot's text goes. */
export function slot(name: keyof Slots): string {
  return SLOT_MARK + name + SLOT_MARK
}

/** A rendered page, cut at its slots: bytes, slot, bytes, slot, … bytes. */
export type KeptPage = {
  status: 200 | 404
  bytes: readonly Uint8Array[]
  slots: readonly (keyof Slots)[]
  /** As it was last filled in, and for which moment. */
  filled?: { moment: string; bytes: Uint8Array<ArrayBuffer> }
}

const encoder = new TextEncoder()

/** Cuts rendered markup at its slots. */
export function keptPage(status: 200 | 404, html: string): KeptPage {
  const pieces = html.split(SLOT)
  return {
    status,
    bytes: pieces.filter((_, index) => index % 2 === 0).map((text) => encoder.encode(text)),
    slots: pieces.filter((_, index) => index % 2 === 1) as (keyof Slots)[],
  }
}

/** The page's bytes with its slots filled in; the same bytes again for whoever asks for the same moment. */
export function pageAt(page: KeptPage, moment: string, slotsAt: () => Slots): Uint8Array<ArrayBuffer> {
  if (page.filled?.moment !== moment) page.filled = { moment, bytes: fillSlots(page, slotsAt()) }
  return page.filled.bytes
}

function fillSlots({ bytes, slots }: KeptPage, values: Slots): Uint8Array<ArrayBuffer> {
  const fillings = slots.map((name) => encoder.encode(values[name]))
  const filled = new Uint8Array(lengthOf(bytes) + lengthOf(fillings))
  let offset = 0
  bytes.forEach((part, index) => {
    filled.set(part, offset)
    offset += part.byteLength
    const filling = fillings[index]
    if (!filling) return
    filled.set(filling, offset)
    offset += filling.byteLength
  })
  return filled
}

/** Pages rendered once and kept in the isolate's memory, bounded by their bytes; a new build is a new isolate. */
export function keepPages(limitBytes = KEPT_BYTES) {
  const pages = new Map<string, KeptPage>()
  let heldBytes = 0

  return {
    /** The page kept under a key, which is then the most recently used. */
    get(key: string): KeptPage | undefined {
      const page = pages.get(key)
      if (page) {
        pages.delete(key)
        pages.set(key, page)
      }
      return page
    },
    /** Keeps a page, dropping the longest unused until all fit. */
    keep(key: string, page: KeptPage): void {
      const previous = pages.get(key)
      if (previous) heldBytes -= sizeOf(previous)
      pages.delete(key)
      pages.set(key, page)
      heldBytes += sizeOf(page)
      for (const [oldest, kept] of pages) {
        if (heldBytes <= limitBytes) break
        pages.delete(oldest)
        heldBytes -= sizeOf(kept)
      }
    },
    /** What the pages hold together, in bytes. */
    heldBytes: () => heldBytes,
  }
}

/** A page is held twice: cut, and as it was last filled in. */
function sizeOf({ bytes }: KeptPage): number {
  return 2 * lengthOf(bytes)
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((total, part) => total + part.byteLength, 0)
}
