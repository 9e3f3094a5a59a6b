import { type ComponentType, type MouseEvent, type ReactNode, useState } from 'react'
import type { ProductImage } from '#shared/catalogue/catalogue.ts'
import { DETAIL_PICTURE_SIZE, getPictureAttributes } from '#shared/catalogue/pictures.ts'
import type { ZoomDialogProps } from './zoom-dialog.tsx'

type ZoomLinkProps = { picture: ProductImage; children: ReactNode }

export function ZoomLink({ picture: { image, alt }, children }: ZoomLinkProps) {
  const [ZoomDialog, setZoomDialog] = useState<ComponentType<ZoomDialogProps>>()
  const { srcSet = '' } = getPictureAttributes(image, DETAIL_PICTURE_SIZE).img
  // Only a photo's `img` has a `srcSet`. A drawing's `image` is an SVG, which is sharp at any size.
  const [, largest = image] = /([^\s,]+) \d+w$/.exec(srcSet) ?? []

  async function open(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    const zoom = await import('./zoom-dialog.tsx').catch(() => undefined)
    if (zoom) setZoomDialog(() => zoom.ZoomDialog)
    else window.open(largest, '_blank', 'noreferrer')
  }

  return (
    <>
      <a
        className="magnifier"
        href={largest}
        target="_blank"
        rel="noreferrer"
        aria-label={`Enlarge picture: ${alt}`}
        onClick={open}
      >
        {children}
      </a>
      {ZoomDialog && <ZoomDialog src={largest} alt={alt} onClose={() => setZoomDialog(undefined)} />}
    </>
  )
}
