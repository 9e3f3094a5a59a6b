export const PHOTO_WIDTHS = [320, 640, 1280] as const
/** The width of a product's `image`, the JPEG for feeds, link previews and old browsers. */
export const FALLBACK_WIDTH = 640

/** Returns the `image` of a product whose photo was stored under an id. */
export function getPhotoUrl(id: string): string {
  return `/photos/${id}/${FALLBACK_WIDTH}.jpg`
}
