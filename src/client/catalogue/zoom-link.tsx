import type { ReactNode } from 'react'
import { DialogLink } from '#client/ui/dialog-link.tsx'
import type { ProductImage } from '#shared/catalogue/catalogue.ts'
import { DETAIL_PICTURE_SIZE, getPictureAttributes } from '#shared/catalogue/pictures.ts'

type ZoomLinkProps = { picture: ProductImage; children: ReactNode }

export function ZoomLink({ picture: { image, alt }, children }: ZoomLinkProps) {
  const { srcSet = '' } = getPictureAttributes(image, DETAIL_PICTURE_SIZE).img
  // Only a photo's `img` has a `srcSet`. A drawing's `image` is an SVG, which is sharp at any size.
  const [, largest = image] = /([^\s,]+) \d+w$/.exec(srcSet) ?? []
  return (
    <DialogLink
      className="magnifier"
      href={largest}
      target="_blank"
      rel="noreferrer"
      aria-label={`Enlarge picture: ${alt}`}
      load={() => import('./zoom-dialog.tsx')}
      renderDialog={({ ZoomDialog }, onClose) => <ZoomDialog src={largest} alt={alt} onClose={onClose} />}
    >
      {children}
    </DialogLink>
  )
}
