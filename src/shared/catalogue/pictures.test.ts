import { describe, expect, it } from 'vitest'
import {
  CARD_PICTURE_SIZE,
  DETAIL_PICTURE_SIZE,
  getPictureAttributes,
  getRasterUrl,
  getThumbnailUrl,
  THUMBNAIL_PICTURE_SIZE,
} from './pictures.ts'

const DRAWING = '/images/products/romper.svg'
const PHOTO = '/photos/abcdefgha64/640.jpg'

describe('a picture', () => {
  it('of a drawing is AVIF in several widths, with WebP as a fallback', () => {
    const folder = getRasterUrl(DRAWING).replace(/320\.webp$/, '')
    expect(folder).toMatch(/^\/p\/\w+\/$/)
    expect(getPictureAttributes(DRAWING, CARD_PICTURE_SIZE)).toEqual({
      source: {
        type: 'image/avif',
        srcSet: `${folder}320.avif 320w,${folder}640.avif 640w`,
        sizes: CARD_PICTURE_SIZE.sizes,
      },
      img: { src: `${folder}320.webp` },
    })
    expect(getThumbnailUrl(DRAWING)).toBe(`${folder}200.webp`)
  })

  it('of a drawing is found by its source, its raster file and its former Save-Data address', () => {
    for (const image of [getRasterUrl(DRAWING), '/images/products/romper.data-saver.svg'])
      expect(getPictureAttributes(image, DETAIL_PICTURE_SIZE)).toEqual(
        getPictureAttributes(DRAWING, DETAIL_PICTURE_SIZE),
      )
  })

  it('of a photo has its own widths and its average colour', () => {
    expect(getPictureAttributes(PHOTO, DETAIL_PICTURE_SIZE).img).toEqual({
      'data-bg': '#a64',
      srcSet: '/photos/abcdefgha64/320 320w,/photos/abcdefgha64/640 640w,/photos/abcdefgha64/1280 1280w',
      sizes: DETAIL_PICTURE_SIZE.sizes,
      src: PHOTO,
    })
    expect(getPictureAttributes(PHOTO, THUMBNAIL_PICTURE_SIZE)).toEqual({
      img: { src: '/photos/abcdefgha64/320' },
    })
  })

  it('is one small file under Save-Data', () => {
    const { source, img } = getPictureAttributes(DRAWING, CARD_PICTURE_SIZE, true)
    expect([source?.srcSet, img.src]).toEqual([
      expect.stringMatching(/^\/p\/\w+\/200\.avif$/),
      expect.stringMatching(/^\/p\/\w+\/200\.webp$/),
    ])
    expect(getPictureAttributes(PHOTO, DETAIL_PICTURE_SIZE, true)).toEqual({
      img: { src: '/photos/abcdefgha64/320' },
    })
  })

  it.each(['/images/front.svg', 'https://img.test/a.jpg', '/x.png', ''])(
    'of another kind is unchanged: %s',
    (image) => {
      expect(getPictureAttributes(image, CARD_PICTURE_SIZE)).toEqual({ img: { src: image } })
      expect(getRasterUrl(image)).toBe(image)
    },
  )
})
