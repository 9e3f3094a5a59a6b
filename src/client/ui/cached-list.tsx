import { atom, useAtomValue } from 'jotai'
import { type MouseEvent, type ReactNode, useState, useSyncExternalStore } from 'react'

/** The cache's key is the identity of `list`. */
export type MarkupCache = (list: readonly object[], renderItems: () => ReactNode) => string

/** Set on the server only, which would otherwise render the same cards for each request. */
export const markupCacheAtom = atom<MarkupCache | undefined>(undefined)

/** React keeps the server's markup only if each render passes the same object. */
const SERVER_MARKUP = { __html: '' }

type CachedListProps<Item> = {
  className: string
  list: readonly Item[]
  renderItems: () => ReactNode
  onAction: (item: Item) => void
}

/**
 * Items must have no state: the browser keeps the server's markup without hydrating them, and one listener handles
 * their buttons.
 */
export function CachedList<Item extends object>(props: CachedListProps<Item>) {
  const { className, list, renderItems, onAction } = props
  const markupCache = useAtomValue(markupCacheAtom)
  const isHydrating = useSyncExternalStore(
    subscribeToNothing,
    () => false,
    () => !markupCache,
  )
  const [hydratedList, setHydratedList] = useState(isHydrating ? list : undefined)
  // Rendering another list removes the server's markup for good.
  if (hydratedList && list !== hydratedList) setHydratedList(undefined)

  function handleClick({ currentTarget, target }: MouseEvent<HTMLUListElement>) {
    const button = target instanceof Element ? target.closest('button') : null
    const item = list[Array.from(currentTarget.children).findIndex((child) => child.contains(button))]
    if (button && item) onAction(item)
  }

  const attributes = { className, onClick: handleClick }
  if (markupCache) {
    // biome-ignore lint/security/noDangerouslySetInnerHtml: React's own markup of the same items
    return <ul {...attributes} dangerouslySetInnerHTML={{ __html: markupCache(list, renderItems) }} />
  }
  if (list === hydratedList) {
    // biome-ignore lint/security/noDangerouslySetInnerHtml: React never writes it
    return <ul {...attributes} suppressHydrationWarning dangerouslySetInnerHTML={SERVER_MARKUP} />
  }
  return <ul {...attributes}>{renderItems()}</ul>
}

const subscribeToNothing = () => () => {}
