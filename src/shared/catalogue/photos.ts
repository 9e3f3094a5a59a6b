export const PHOTO_WIDTHS = [320, 640, 1280] as const
/** The JPEG for feeds, link previews and old browsers; the product's `image`. */
export const FALLBACK_WIDTH = 640

const FALLBACK = /^(\/photos\/.+(...)\/)640\.jpg$/
export function photoUrl(id: string): string {
  return `/photos/${id}/${FALLBACK_WIDTH}.jpg`
}

export type PhotoAttributes = { srcSet?: string; sizes?: string; 'data-bg'?: string }

/**
 * Responsive image attributes and the placeholder colour (the last three characters of the id). Empty for
 * other images and for data-saver widths.
 */
export function photoAttributes(image: string, sizes: string): PhotoAttributes {
  const [, folder = '', colour = ''] = FALLBACK.exec(image) ?? []
  if (!folder) return {}
  const srcSet = `${folder}320 320w,${folder}640 640w,${folder}1280 1280w`
  return { srcSet, sizes, 'data-bg': `#${colour}` }
}

export function smallestPhoto(image: string): string {
  return image.replace(FALLBACK, `$1${PHOTO_WIDTHS[0]}`)
}
