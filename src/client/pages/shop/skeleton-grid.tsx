import { SKELETON_CARDS } from '#shared/rules/catalogue.ts'

/** Six empty cards while the catalogue loads (§ 2). */
export function SkeletonGrid() {
  return (
    <div className="grid" role="status" aria-label="Loading products">
      {Array.from({ length: SKELETON_CARDS }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all alike
        <div key={index} className="card card--skeleton" aria-hidden="true">
          <span className="card__image" />
          <span className="line" />
          <span className="line" />
          <span className="line line--short" />
        </div>
      ))}
    </div>
  )
}
