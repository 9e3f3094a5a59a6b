import { useAtomValue } from 'jotai'
import { useDeferredValue } from 'react'
import type { DataSource } from '#client/app/router/page-data.tsx'
import { AUDIENCES, type ShopView, shopHref } from '#shared/catalogue/shop-filter.ts'
import { enteredFilterAtom } from './categories.ts'

/** Keeps the chips of the previous products until new ones have loaded. */
export function AudienceChips({ source }: { source: DataSource<ShopView> }) {
  const view = useDeferredValue(source).read()
  const filter = useAtomValue(enteredFilterAtom) ?? view
  // The open filter form has its own choice of audience.
  if (view.sizes || !(view.isSplitByAudience || view.audience)) return null
  return AUDIENCES.map((audience) => {
    const isApplied = audience === view.audience
    return (
      <li key={audience}>
        <a
          className={isApplied ? 'chip chip--applied' : 'chip'}
          href={shopHref({ ...filter, audience: isApplied ? undefined : audience })}
          aria-label={isApplied ? `Remove ${audience}` : undefined}
        >
          {isApplied ? `${audience}\u00a0 ×` : audience}
        </a>
      </li>
    )
  })
}
