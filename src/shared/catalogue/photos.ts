export const PHOTO_WIDTHS = [320, 640, 1280] as const
/** The width in pixels of a photo's JPEG, which feeds, link previews and old browsers get. */
export const PHOTO_FALLBACK_WIDTH = 640

export function getPhotoUrl(id: string): string {
  return `/photos/${id}/${PHOTO_FALLBACK_WIDTH}.jpg`
}
