import { useAtomValue } from 'jotai'
import { Suspense, useDeferredValue } from 'react'
import type { DataSource } from '#client/app/router/page-data.tsx'
import { AUDIENCES, type ShopFilter, type ShopView, shopHref } from '#shared/catalogue/shop-filter.ts'
import { enteredFilterAtom } from './categories.ts'

type AudienceChipsProps = { choice: ShopFilter; source: DataSource<ShopView> }

/** Keeps the chips of the previous products until new ones have loaded. */
export function AudienceChips({ choice, source }: AudienceChipsProps) {
  const shownSource = useDeferredValue(source)
  return (
    <Suspense fallback={choice.category === 'All' && <Chips choice={choice} />}>
      <OfferedChips source={shownSource} />
    </Suspense>
  )
}

function OfferedChips({ source }: { source: DataSource<ShopView> }) {
  const view = source.read()
  return (view.isSplitByAudience || view.audience) && <Chips choice={view} />
}

function Chips({ choice }: { choice: ShopFilter }) {
  const filter = useAtomValue(enteredFilterAtom) ?? choice
  return AUDIENCES.map((audience) => {
    const isApplied = audience === choice.audience
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
