import { atom, useAtomValue } from 'jotai'
import type { ReactNode } from 'react'

/** Returns a list's markup, rendered from its items the first time that list is seen. */
export type MarkupCache = (list: readonly object[], renderItems: () => ReactNode) => string

/** Set on the server alone, where rendering the same cards for every visitor would be most of the work. */
export const markupCacheAtom = atom<MarkupCache | undefined>(undefined)

type CachedListProps = { className: string; list: readonly object[]; renderItems: () => ReactNode }

/** A `ul` whose markup the server renders once for each list; the browser hydrates it as if rendered this time too. */
export function CachedList({ className, list, renderItems }: CachedListProps) {
  const markupCache = useAtomValue(markupCacheAtom)
  if (!markupCache) return <ul className={className}>{renderItems()}</ul>
  // biome-ignore lint/security/noDangerouslySetInnerHtml: React's own markup of the very same items
  return <ul className={className} dangerouslySetInnerHTML={{ __html: markupCache(list, renderItems) }} />
}
