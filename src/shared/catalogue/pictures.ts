import { PHOTO_WIDTHS } from './photos.ts'

/**
 * The widths in pixels that the build encodes drawings in. AVIF files have all widths, WebP files only
 * `WEBP_WIDTHS`.
 */
export const DRAWING_WIDTHS = [200, 320, 640, 800] as const
export const WEBP_WIDTHS: readonly number[] = [200, 320, 640]

/**
 * The browser chooses from `widths` by `sizes`. `fallback` is the width of a drawing's WebP. `dataSaver` is the only
 * width under Save-Data.
 */
export type PictureSize = {
  widths: readonly [number, ...number[]]
  fallback: number
  dataSaver: number
  sizes?: string
}

export const THUMBNAIL_PICTURE_SIZE: PictureSize = { widths: [200], fallback: 200, dataSaver: 200 }
export const SMALL_CARD_PICTURE_SIZE: PictureSize = { widths: [320], fallback: 320, dataSaver: 200 }
export const CARD_PICTURE_SIZE: PictureSize = {
  widths: [320, 640],
  fallback: 320,
  dataSaver: 200,
  /** This understates the cards' width, so that high-density phones download a smaller image. */
  sizes: 'min(25vw,17em)',
}
export const DETAIL_PICTURE_SIZE: PictureSize = {
  widths: [320, 640, 800],
  fallback: 640,
  dataSaver: 320,
  sizes: '(width<48rem) and (min-resolution:2.1x) 10rem,(width<48rem) 15rem,min(40vw,40rem)',
}

export const HERO_PICTURE_SIZE: PictureSize = {
  widths: [320, 640, 800],
  fallback: 640,
  dataSaver: 320,
  sizes: '(width<56rem) min(90vw,30rem),min(50vw,46rem)',
}
export const STORY_PICTURE_SIZE: PictureSize = {
  widths: [320, 640],
  fallback: 640,
  dataSaver: 320,
  sizes: 'min(90vw,25rem)',
}

export type PictureAttributes = {
  source?: { type: string; srcSet: string | undefined; sizes?: string | undefined }
  img: { src: string; srcSet?: string | undefined; sizes?: string | undefined; 'data-bg'?: string }
}

/** Captures the folder and, for a photo, its average colour, which the folder's name ends with. */
const PICTURE_FOLDER_PATTERN = /^(\/(?:photos\/.+(...)|p\/\w+)\/)(?:640\.jpg|320\.webp)$/

export function getPictureAttributes(image: string, size: PictureSize, savesData = false): PictureAttributes {
  const fallback = getRasterUrl(image)
  const [, folder, colour] = PICTURE_FOLDER_PATTERN.exec(fallback) ?? []
  if (!folder) return { img: { src: image } }
  const stored: readonly number[] = colour ? PHOTO_WIDTHS : DRAWING_WIDTHS
  const files = (savesData ? [size.dataSaver] : size.widths).map((least) => {
    const width = stored.find((width) => width >= least) ?? stored.at(-1)
    return { url: `${folder}${width}${colour ? '' : '.avif'}`, width }
  })
  const srcSet = files.length === 1 ? files[0]?.url : files.map(({ url, width }) => `${url} ${width}w`).join()
  const choice = { srcSet, ...(files.length > 1 && { sizes: size.sizes }) }
  if (!colour) {
    const width = savesData ? size.dataSaver : size.fallback
    return { source: { type: 'image/avif', ...choice }, img: { src: `${folder}${width}.webp` } }
  }
  return {
    img: files.length === 1 ? { src: srcSet ?? image } : { 'data-bg': `#${colour}`, ...choice, src: image },
  }
}

export function getThumbnailUrl(image: string): string | undefined {
  return /^(\/|https?:)/i.test(image)
    ? getPictureAttributes(image, THUMBNAIL_PICTURE_SIZE).img.src
    : undefined
}

/** Carts stored under Save-Data by an earlier version may contain a `.data-saver.svg`. */
const DRAWING_PATTERN = /^(\/images\/(?:products\/.+?|hero|story-\w+))(?:\.data-saver)?\.svg$/
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** A hash (FNV-1a) keeps the folder's name short, because each card's HTML repeats it. */
export function getRasterUrl(image: string): string {
  const name = DRAWING_PATTERN.exec(image)?.[1]
  if (!name) return image
  let hash = FNV_OFFSET
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), FNV_PRIME)
  return `/p/${(hash >>> 0).toString(36)}/320.webp`
}

const PRODUCT_DRAWING_PATTERN = /^(\/?images\/products\/.+)\.svg$/

/** The build makes sharing images of product drawings only. */
export function getShareImageUrl(image: string): string | undefined {
  return PRODUCT_DRAWING_PATTERN.test(image)
    ? image.replace(PRODUCT_DRAWING_PATTERN, '$1.share.jpg')
    : undefined
}
