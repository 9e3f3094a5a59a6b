type Bytes = Uint8Array<ArrayBuffer>

export type Photo = { type: 'image/jpeg' | 'image/webp'; width: number; height: number; bytes: Bytes }

/**
 * Removes metadata such as time, place, previews and comments. Returns undefined unless the bytes are exactly one
 * complete image, a JPEG or a still WebP.
 */
export function stripPhotoMetadata(bytes: Bytes): Photo | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return stripJpegMetadata(bytes, view) ?? stripWebpMetadata(bytes, view)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const START_OF_IMAGE = 0xd8
const END_OF_IMAGE = 0xd9
const START_OF_SCAN = 0xda
/** Huffman tables, quantisation tables and the restart interval. */
const TABLE_MARKERS = [0xc4, 0xdb, 0xdd]
/** Baseline, extended sequential and progressive frames. */
const FRAME_MARKERS = [0xc0, 0xc1, 0xc2]
/** The application segments that remain: JFIF without a preview, the colour profile, and Adobe's colour transform. */
const ALLOWED_SEGMENTS = [
  { marker: 0xe0, name: 'JFIF\0', bytes: 16 },
  { marker: 0xe2, name: 'ICC_PROFILE\0' },
  { marker: 0xee, name: 'Adobe', bytes: 14 },
]
const isMetadataMarker = (marker: number) => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe

function stripJpegMetadata(bytes: Bytes, view: DataView): Photo | undefined {
  if (view.getUint16(0) !== 0xff00 + START_OF_IMAGE) return undefined
  const allowed = [bytes.subarray(0, 2)]
  let size: { width: number; height: number } | undefined
  let hasScan = false
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1)
    if (marker === END_OF_IMAGE) {
      if (!size || !hasScan || at + 2 !== view.byteLength) return undefined
      allowed.push(bytes.subarray(at))
      return { type: 'image/jpeg', ...size, bytes: joinBytes(allowed) }
    }
    const length = 2 + view.getUint16(at + 2)
    let end = at + length
    if (FRAME_MARKERS.includes(marker)) {
      // A second frame header could declare a size other than the one returned.
      if (size) return undefined
      size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    } else if (marker === START_OF_SCAN) {
      hasScan = true
      end = findScanEnd(bytes, end)
    } else if (!TABLE_MARKERS.includes(marker) && !isMetadataMarker(marker)) return undefined
    if (!isMetadataMarker(marker) || isAllowedSegment(bytes, at, marker, length))
      allowed.push(bytes.subarray(at, end))
    at = end
  }
  return undefined
}

function isAllowedSegment(bytes: Bytes, at: number, marker: number, length: number): boolean {
  return ALLOWED_SEGMENTS.some(
    (allowed) =>
      allowed.marker === marker &&
      readText(bytes, at + 4, allowed.name.length) === allowed.name &&
      (allowed.bytes === undefined || length === allowed.bytes + 2),
  )
}

function findScanEnd(bytes: Bytes, start: number): number {
  let at = bytes.indexOf(0xff, start)
  while (at !== -1) {
    const next = bytes[at + 1] ?? 0
    // Within a scan, FF 00 is a byte of data, and FF D0 to FF D7 are restart markers.
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at
    at = bytes.indexOf(0xff, at + 2)
  }
  return bytes.byteLength
}

const HEADER_BYTES = 12
const CHUNK_HEADER_BYTES = 8
const EXTENDED_HEADER = 'VP8X'
const METADATA_CHUNKS = ['EXIF', 'XMP ']
const METADATA_FLAGS = 0x0c
const ANIMATION_FLAG = 0x02

function stripWebpMetadata(bytes: Bytes, view: DataView): Photo | undefined {
  const isWebp = readText(bytes, 0, 4) === 'RIFF' && readText(bytes, 8, 4) === 'WEBP'
  if (!isWebp || view.getUint32(4, true) !== view.byteLength - 8) return undefined
  const allowed: Bytes[] = []
  let canvas: Size | undefined
  let image: Size | undefined
  for (let at = HEADER_BYTES; at < view.byteLength; ) {
    const name = readText(bytes, at, 4)
    const payload = at + CHUNK_HEADER_BYTES
    const length = view.getUint32(at + 4, true)
    // WebP pads chunks to an even length.
    const end = payload + length + (length % 2)
    if (end > view.byteLength) return undefined
    const chunk = bytes.slice(at, end)
    if (name === 'VP8 ' || name === 'VP8L') {
      if (image) return undefined
      image = name === 'VP8 ' ? readLossySize(view, payload) : readLosslessSize(view, payload)
      if (!image) return undefined
    } else if (name === EXTENDED_HEADER) {
      const flags = view.getUint8(payload)
      if (at !== HEADER_BYTES || (flags & ANIMATION_FLAG) !== 0) return undefined
      canvas = { width: readUint24(view, payload + 4) + 1, height: readUint24(view, payload + 7) + 1 }
      chunk[CHUNK_HEADER_BYTES] = flags & ~METADATA_FLAGS
    } else if (!['ICCP', 'ALPH', ...METADATA_CHUNKS].includes(name)) return undefined
    if (!METADATA_CHUNKS.includes(name)) allowed.push(chunk)
    at = end
  }
  const isSameSize = !canvas || (canvas.width === image?.width && canvas.height === image.height)
  if (!image || !isSameSize) return undefined
  const cleaned = joinBytes([bytes.slice(0, HEADER_BYTES), ...allowed])
  new DataView(cleaned.buffer).setUint32(4, cleaned.byteLength - 8, true)
  return { type: 'image/webp', ...image, bytes: cleaned }
}

type Size = { width: number; height: number }

const LOSSY_START_CODE = 0x9d012a
const LOSSLESS_SIGNATURE = 0x2f

function readLossySize(view: DataView, at: number): Size | undefined {
  const startCode = (view.getUint16(at + 3) << 8) | view.getUint8(at + 5)
  if (startCode !== LOSSY_START_CODE) return undefined
  return { width: view.getUint16(at + 6, true) & 0x3fff, height: view.getUint16(at + 8, true) & 0x3fff }
}

function readLosslessSize(view: DataView, at: number): Size | undefined {
  if (view.getUint8(at) !== LOSSLESS_SIGNATURE) return undefined
  const bits = view.getUint32(at + 1, true)
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
}

function readUint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
}

function readText(bytes: Bytes, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}

function joinBytes(parts: readonly Bytes[]): Bytes {
  const joined = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.byteLength
  }
  return joined
}
