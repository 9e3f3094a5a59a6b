export const PHOTO_WIDTHS = [320, 640, 1280] as const
/** Feeds, link previews and old browsers get a photo's JPEG, which has this width in pixels. */
export const PHOTO_FALLBACK_WIDTH = 640

export function getPhotoUrl(id: string): string {
  return `/photos/${id}/${PHOTO_FALLBACK_WIDTH}.jpg`
}
