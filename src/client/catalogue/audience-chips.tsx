import { useAtomValue } from 'jotai'
import { AUDIENCES, type ShopView, shopHref } from '#shared/catalogue/shop-filter.ts'
import { enteredFilterAtom } from './categories.ts'

/** The open filter form has its own choice of audience. */
export function isAudienceOffered({ isSplitByAudience, audience, sizes }: ShopView) {
  return (isSplitByAudience || audience) && !sizes
}

export function AudienceChips({ view }: { view: ShopView }) {
  const filter = useAtomValue(enteredFilterAtom) ?? view
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
