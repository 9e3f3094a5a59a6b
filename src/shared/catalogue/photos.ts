/** The widths that a photo is stored in, in pixels. */
export const PHOTO_WIDTHS = [320, 640, 1280] as const
/** The width of its JPEG, for feeds, link previews and old browsers: that one is the product's `image`. */
export const FALLBACK_WIDTH = 640

const FALLBACK = /^(\/photos\/.+(...)\/)640\.jpg$/
/** The `image` of a product whose photo was stored under an id. */
export function photoAddress(id: string): string {
  return `/photos/${id}/${FALLBACK_WIDTH}.jpg`
}

export type PhotoAttributes = { srcSet?: string; sizes?: string; 'data-bg'?: string }

/**
 * The attributes by which the browser chooses a photo's width, where it is `sizes` wide, and the colour to wait with, the
 * last three characters of its id. None for other images and for the smallest width, which visitors get who save data.
 */
export function photoAttributes(image: string, sizes: string): PhotoAttributes {
  const [, folder = '', colour = ''] = FALLBACK.exec(image) ?? []
  if (!folder) return {}
  const srcSet = `${folder}320 320w,${folder}640 640w,${folder}1280 1280w`
  return { srcSet, sizes, 'data-bg': `#${colour}` }
}

/** A photo in its smallest width; every other image as it is. */
export function smallestPhoto(image: string): string {
  return image.replace(FALLBACK, `$1${PHOTO_WIDTHS[0]}`)
}
