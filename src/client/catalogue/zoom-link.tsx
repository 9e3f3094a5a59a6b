import { type ComponentType, type MouseEvent, type ReactNode, useState } from 'react'
import type { ProductPicture } from '#shared/catalogue/catalogue.ts'
import type { ZoomDialogProps } from './zoom-dialog.tsx'

type ZoomLinkProps = { picture: ProductPicture; children: ReactNode }

/** Opens the picture in its largest width in a dialog, or in a new tab without scripts. */
export function ZoomLink({ picture: { src, srcSet, alt }, children }: ZoomLinkProps) {
  const [ZoomDialog, setZoomDialog] = useState<ComponentType<ZoomDialogProps>>()
  const [, largest = src] = /(\S+) \d+w$/.exec(srcSet ?? '') ?? []

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
