import { type ComponentProps, type MouseEvent, type ReactNode, useState } from 'react'
import { navigate } from '#client/app/router/page.ts'

type DialogLinkProps<Loaded> = ComponentProps<'a'> & {
  href: string
  load: () => Promise<Loaded>
  renderDialog: (loaded: Loaded, onClose: () => void) => ReactNode
}

/** Opens a dialog, or the linked page if the dialog can't be loaded or the link is opened in a new tab or window. */
export function DialogLink<Loaded extends object>({
  href,
  load,
  renderDialog,
  ...link
}: DialogLinkProps<Loaded>) {
  const [loaded, setLoaded] = useState<Loaded>()

  async function open(event: MouseEvent<HTMLAnchorElement>) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    const { documentElement } = document
    documentElement.toggleAttribute('data-busy', true)
    const dialog = await load().catch(() => undefined)
    documentElement.toggleAttribute('data-busy', false)
    if (dialog) setLoaded(dialog)
    else if (link.target) window.open(href, link.target, 'noreferrer')
    else navigate(href)
  }

  return (
    <>
      <a {...link} href={href} onClick={open} />
      {loaded && renderDialog(loaded, () => setLoaded(undefined))}
    </>
  )
}
