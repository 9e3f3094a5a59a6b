import type { DataContext, PhotoStore } from '#server/context.ts'
import { encodeBase64Url } from '#server/platform/crypto.ts'
import { recordAudit, requirePermission } from '#server/platform/db/audit.ts'
import type { Result } from '#server/platform/result.ts'
import { getPhotoUrl, PHOTO_FALLBACK_WIDTH, PHOTO_WIDTHS } from '#shared/catalogue/photos.ts'
import type { Actor } from '#shared/team/roles.ts'
import { stripPhotoMetadata } from './strip-photo-metadata.ts'

export const PHOTO_FILE_NAMES = [...PHOTO_WIDTHS.map(String), `${PHOTO_FALLBACK_WIDTH}.jpg`]
const MAX_FILE_BYTES = 1_500_000
const MAX_ASPECT_RATIO = 4
/** With 25,000 photos, two share an id with a probability of about 10⁻⁶. */
const ID_BYTES = 6

type PhotoError = { code: 'no_photo' | 'too_large'; message: string }

const COLOUR_PATTERN = /^[0-9a-f]{3}$/

type PhotoUpload = { files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>; colour: string; actor: Actor }

export async function storePhoto(
  { files, colour, actor }: PhotoUpload,
  { photos, ...ctx }: DataContext & { photos: Pick<PhotoStore, 'put'> },
): Promise<Result<{ image: string }, PhotoError>> {
  requirePermission(actor, 'catalogue.photo')
  const checked: { name: string; bytes: Uint8Array<ArrayBuffer>; type: string }[] = []
  for (const name of PHOTO_FILE_NAMES) {
    const bytes = files.get(name)
    if (bytes && bytes.byteLength > MAX_FILE_BYTES) return PHOTO_TOO_LARGE
    const photo = bytes && stripPhotoMetadata(bytes)
    const mustBeJpeg = name.endsWith('.jpg')
    if (!photo || (mustBeJpeg && photo.type !== 'image/jpeg'))
      return rejectPhoto('no_photo', 'This isn’t a photo we can use. Please choose a JPEG or WebP file.')
    const maxWidth = Number.parseInt(name, 10)
    const fitsMaxSize = photo.width <= maxWidth && photo.height <= maxWidth * MAX_ASPECT_RATIO
    if (!fitsMaxSize || photo.width * photo.height === 0) return PHOTO_TOO_LARGE
    checked.push({ name, ...photo })
  }
  const id =
    (await hashFiles(checked.map(({ bytes }) => bytes))) + (COLOUR_PATTERN.test(colour) ? colour : '000')
  await Promise.all(
    checked.map(({ name, bytes, type }) =>
      photos.put(getPhotoKey(id, name), bytes, { httpMetadata: { contentType: type } }),
    ),
  )
  const image = getPhotoUrl(id)
  await recordAudit({ actor, action: 'catalogue.photo', subject: image }, ctx)
  return { ok: true, data: { image } }
}

export function getPhotoKey(id: string, name: string): string {
  return `photos/${id}/${name}`
}

function rejectPhoto(code: PhotoError['code'], message: string): { ok: false; error: PhotoError } {
  return { ok: false, error: { code, message } }
}

const PHOTO_TOO_LARGE = rejectPhoto('too_large', 'This photo is too large. Please choose a smaller one.')

async function hashFiles(files: readonly Uint8Array<ArrayBuffer>[]): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await new Blob([...files]).arrayBuffer())
  return encodeBase64Url(new Uint8Array(digest).slice(0, ID_BYTES))
}
