import type { ComponentProps } from 'react'
import { getPictureAttributes, type PictureSize } from '#shared/catalogue/pictures.ts'

type PictureProps = Omit<ComponentProps<'img'>, 'src' | 'srcSet' | 'sizes'> & {
  image: string
  size: PictureSize
  savesData?: boolean
}

export function Picture({ image, size, savesData, ...attributes }: PictureProps) {
  const { source, img } = getPictureAttributes(image, size, savesData)
  const picture = <img alt="" {...img} {...attributes} decoding="async" />
  if (!source) return picture
  return (
    <picture>
      <source {...source} />
      {picture}
    </picture>
  )
}
