import type { ComponentProps } from 'react'
import { type PictureSize, pictureAttributes } from '#shared/catalogue/pictures.ts'

type PictureProps = Omit<ComponentProps<'img'>, 'src' | 'srcSet' | 'sizes'> & {
  image: string
  size: PictureSize
  savesData?: boolean
}

/** Shows a drawing or photo of the catalogue. The browser decodes it off the main thread. */
export function Picture({ image, size, savesData, ...attributes }: PictureProps) {
  const { source, img } = pictureAttributes(image, size, savesData)
  const picture = <img alt="" {...img} {...attributes} decoding="async" />
  if (!source) return picture
  return (
    <picture>
      <source {...source} />
      {picture}
    </picture>
  )
}
