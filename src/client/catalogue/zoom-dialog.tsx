import { type MouseEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Dialog } from '#client/ui/dialog.tsx'

const ZOOM_FACTOR = 2.5

type ZoomDialogProps = { src: string; alt: string; onClose: () => void }

export function ZoomDialog({ src, alt, onClose }: ZoomDialogProps) {
  const [isEnlarged, setIsEnlarged] = useState(false)
  const scrollerRef = useRef<HTMLDivElement>(null)

  function toggle({ nativeEvent: { offsetX, offsetY } }: MouseEvent) {
    flushSync(() => setIsEnlarged(!isEnlarged))
    const { clientWidth = 0, clientHeight = 0 } = scrollerRef.current ?? {}
    scrollerRef.current?.scrollTo({
      left: offsetX * ZOOM_FACTOR - clientWidth / 2,
      top: offsetY * ZOOM_FACTOR - clientHeight / 2,
      behavior: 'instant',
    })
  }

  return (
    <Dialog title={alt} onClose={onClose}>
      <div ref={scrollerRef} className="zoom">
        <button
          type="button"
          aria-label={isEnlarged ? 'Zoom out' : 'Zoom in'}
          style={isEnlarged ? { inlineSize: `${ZOOM_FACTOR * 100}%` } : undefined}
          onClick={toggle}
        >
          <img src={src} alt="" width="640" height="800" />
        </button>
      </div>
    </Dialog>
  )
}
