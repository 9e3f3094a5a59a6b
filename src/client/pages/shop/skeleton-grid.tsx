import { SKELETON_CARDS } from '#shared/rules/catalogue.ts'

/** Six empty cards while the catalogue loads (§ 2). */
export function SkeletonGrid() {
  return (
    <div role="status">
      <p className="shop__count">Loading products …</p>
      <ul className="grid grid--skeleton" aria-hidden="true">
        {Array.from({ length: SKELETON_CARDS }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all alike
          <li key={index}>
            <span className="grid__image" />
            <span className="line line--short" />
            <span className="line" />
            <span className="line" />
            <span className="line line--short" />
          </li>
        ))}
      </ul>
    </div>
  )
}
