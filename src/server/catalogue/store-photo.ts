import { base64Url } from '#server/platform/crypto.ts'
import type { Result } from '#server/platform/result.ts'
import { FALLBACK_WIDTH, PHOTO_WIDTHS, photoUrl } from '#shared/catalogue/photos.ts'

export type PhotoStore = Pick<R2Bucket, 'get' | 'put'>

export const PHOTO_FILES = [...PHOTO_WIDTHS.map(String), `${FALLBACK_WIDTH}.jpg`]
const MAX_FILE_BYTES = 1_500_000
const MAX_RATIO = 4
/** Bytes of the hash in the id. With 25,000 photos, a collision has a probability of 10⁻⁶. */
const ID_BYTES = 6

type PhotoError = { code: 'no_photo' | 'too_large' | 'has_metadata'; message: string }

const COLOUR = /^[0-9a-f]{3}$/

/**
 * Stores the files under their hash and the placeholder colour (three hex digits). Rejects files that are not
 * JPEG or WebP, too large, or contain metadata such as the location.
 */
export async function storePhoto(
  { files, colour }: { files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>; colour: string },
  { photos }: { photos: Pick<PhotoStore, 'put'> },
): Promise<Result<{ image: string }, PhotoError>> {
  const checked: { name: string; bytes: Uint8Array<ArrayBuffer>; type: string }[] = []
  for (const name of PHOTO_FILES) {
    const bytes = files.get(name)
    const info = bytes && readImageInfo(bytes)
    const mustBeJpeg = name.endsWith('.jpg')
    if (!bytes || !info || (mustBeJpeg && info.type !== 'image/jpeg'))
      return rejected('no_photo', 'This isn’t a photo we can use. Please choose a JPEG or WebP file.')
    const maxWidth = Number.parseInt(name, 10)
    const fitsMaxSize = info.width <= maxWidth && info.height <= maxWidth * MAX_RATIO
    if (bytes.byteLength > MAX_FILE_BYTES || !fitsMaxSize || info.width * info.height === 0)
      return rejected('too_large', 'This photo is too large. Please choose a smaller one.')
    if (info.hasMetadata)
      return rejected(
        'has_metadata',
        'This photo’s file still records where and when it was taken. Please remove that information and try again.',
      )
    checked.push({ name, bytes, type: info.type })
  }
  const id = (await hashFiles(checked.map(({ bytes }) => bytes))) + (COLOUR.test(colour) ? colour : '000')
  await Promise.all(
    checked.map(({ name, bytes, type }) =>
      photos.put(photoKey(id, name), bytes, { httpMetadata: { contentType: type } }),
    ),
  )
  return { ok: true, data: { image: photoUrl(id) } }
}

export function photoKey(id: string, name: string): string {
  return `photos/${id}/${name}`
}

function rejected(code: PhotoError['code'], message: string): { ok: false; error: PhotoError } {
  return { ok: false, error: { code, message } }
}

async function hashFiles(files: readonly Uint8Array<ArrayBuffer>[]): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await new Blob([...files]).arrayBuffer())
  return base64Url(new Uint8Array(digest).slice(0, ID_BYTES))
}

type ImageInfo = { type: 'image/jpeg' | 'image/webp'; width: number; height: number; hasMetadata: boolean }

/** Detects the type from the bytes; undefined unless it is a complete JPEG or WebP file. */
export function readImageInfo(bytes: Uint8Array): ImageInfo | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return parseJpeg(view) ?? parseWebp(view)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const START_OF_IMAGE = 0xffd8
const END_OF_IMAGE = 0xffd9
/** APP1 to APP13 can hold EXIF, XMP or IPTC, except APP2, the colour profile. */
const METADATA_MARKERS = [0xe1, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xed]

function parseJpeg(view: DataView): ImageInfo | undefined {
  if (view.getUint16(0) !== START_OF_IMAGE || view.getUint16(view.byteLength - 2) !== END_OF_IMAGE)
    return undefined
  let hasMetadata = false
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1)
    if (METADATA_MARKERS.includes(marker)) hasMetadata = true
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame)
      return {
        type: 'image/jpeg',
        height: view.getUint16(at + 5),
        width: view.getUint16(at + 7),
        hasMetadata,
      }
  }
  return undefined
}

const WEBP_METADATA_FLAGS = 0x0c

function parseWebp(view: DataView): ImageInfo | undefined {
  const fourCharacters = (at: number) =>
    String.fromCharCode(...[0, 1, 2, 3].map((n) => view.getUint8(at + n)))
  const isComplete = view.getUint32(4, true) === view.byteLength - 8
  if (fourCharacters(0) !== 'RIFF' || fourCharacters(8) !== 'WEBP' || !isComplete) return undefined
  const type = 'image/webp'
  switch (fourCharacters(12)) {
    case 'VP8 ':
      return {
        ...{ type, hasMetadata: false },
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return { type, hasMetadata: false, width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    case 'VP8X': {
      const readSize = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1
      const hasMetadata = (view.getUint8(20) & WEBP_METADATA_FLAGS) !== 0
      return { type, hasMetadata, width: readSize(24), height: readSize(27) }
    }
    default:
      return undefined
  }
}
