export type SlotValues = { boot: string; clock: string; banner: string }

const SLOT_MARK = '\uE000'
const SLOT_PATTERN = new RegExp(`${SLOT_MARK}(boot|clock|banner)${SLOT_MARK}`)

export function renderSlot(name: keyof SlotValues): string {
  return SLOT_MARK + name + SLOT_MARK
}

/** A page that is split at its slots: bytes, slot, bytes, slot, … bytes. */
export type CachedPage = {
  status: 200 | 404
  bytes: readonly Uint8Array[]
  slots: readonly (keyof SlotValues)[]
  filled?: { variant: string; bytes: Uint8Array<ArrayBuffer> }
}

const encoder = new TextEncoder()

export function splitAtSlots(status: 200 | 404, html: string): CachedPage {
  const parts = html.split(SLOT_PATTERN)
  return {
    status,
    bytes: parts.filter((_, index) => index % 2 === 0).map((text) => encoder.encode(text)),
    slots: parts.filter((_, index) => index % 2 === 1) as (keyof SlotValues)[],
  }
}

export function fillSlots(
  page: CachedPage,
  variant: string,
  values: () => SlotValues,
): Uint8Array<ArrayBuffer> {
  if (page.filled?.variant !== variant) page.filled = { variant, bytes: joinWithValues(page, values()) }
  return page.filled.bytes
}

function joinWithValues({ bytes, slots }: CachedPage, values: SlotValues): Uint8Array<ArrayBuffer> {
  const slotBytes = slots.map((name) => encoder.encode(values[name]))
  const joined = new Uint8Array(getByteLength(bytes) + getByteLength(slotBytes))
  let offset = 0
  bytes.forEach((part, index) => {
    joined.set(part, offset)
    offset += part.byteLength
    const slotContent = slotBytes[index]
    if (!slotContent) return
    joined.set(slotContent, offset)
    offset += slotContent.byteLength
  })
  return joined
}

export function getByteLength(parts: readonly Uint8Array[]): number {
  return parts.reduce((total, part) => total + part.byteLength, 0)
}
