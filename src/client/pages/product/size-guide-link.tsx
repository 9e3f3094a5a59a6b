import { type ComponentType, type MouseEvent, useState } from 'react'
import { href } from '#shared/routes.ts'
import type { Scale } from '#shared/rules/catalogue.ts'
import { navigate } from '../../router/page.ts'

type GuideDialog = ComponentType<{ scale: Scale; onClose: () => void }>

/** Opens a scale's size guide in a dialog, whose code is fetched then; without scripts a link to the guide on the Story page. */
export function SizeGuideLink({ scale }: { scale: Scale }) {
  const [Guide, setGuide] = useState<GuideDialog>()
  const address = `${href('about')}#size-guide-${scale}`

  async function open(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    const guide = await import('./size-guide-dialog.tsx').catch(() => undefined)
    if (guide) setGuide(() => guide.SizeGuideDialog)
    else navigate(address)
  }

  return (
    <>
      <a className="sizes__guide" href={address} onClick={open}>
        Size guide
      </a>
      {Guide && <Guide scale={scale} onClose={() => setGuide(undefined)} />}
    </>
  )
}
