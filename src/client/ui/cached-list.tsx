import { atom, useAtomValue } from 'jotai'
import type { ReactNode } from 'react'

/** Returns a list's markup; renders it only once per list. */
export type MarkupCache = (list: readonly object[], renderItems: () => ReactNode) => string

/** Set on the server only, where rendering the same cards for every visitor would dominate. */
export const markupCacheAtom = atom<MarkupCache | undefined>(undefined)

type CachedListProps = { className: string; list: readonly object[]; renderItems: () => ReactNode }

/** A `ul` whose markup the server renders once per list; the browser hydrates it normally. */
export function CachedList({ className, list, renderItems }: CachedListProps) {
  const markupCache = useAtomValue(markupCacheAtom)
  if (!markupCache) return <ul className={className}>{renderItems()}</ul>
  // biome-ignore lint/security/noDangerouslySetInnerHtml: React's own markup of the same items
  return <ul className={className} dangerouslySetInnerHTML={{ __html: markupCache(list, renderItems) }} />
}
