import { type ComponentType, type MouseEvent, type ReactNode, useState } from 'react'
import type { ProductImage } from '#shared/catalogue/catalogue.ts'
import { DETAIL_PICTURE_SIZE, getPictureAttributes } from '#shared/catalogue/pictures.ts'
import type { ZoomDialogProps } from './zoom-dialog.tsx'

type ZoomLinkProps = { picture: ProductImage; children: ReactNode }

export function ZoomLink({ picture: { image, alt }, children }: ZoomLinkProps) {
  const [ZoomDialog, setZoomDialog] = useState<ComponentType<ZoomDialogProps>>()
  const { source, img } = getPictureAttributes(image, DETAIL_PICTURE_SIZE)
  const [, largest = img.src] = /([^\s,]+) \d+w$/.exec(source?.srcSet ?? img.srcSet ?? '') ?? []

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
