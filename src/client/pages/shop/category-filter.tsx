import { CATEGORIES } from '#shared/rules/catalogue.ts'
import { type ShopFilter, shopHref } from '#shared/rules/shop-filter.ts'

/** The filter buttons: links, so that a choice can be shared and works without scripts (§ 2). Words and order stay. */
export function CategoryFilter({ chosen }: { chosen: ShopFilter }) {
  return (
    <nav aria-label="Categories">
      <ul className="filter">
        {CATEGORIES.map((category) => (
          <li key={category}>
            <a
              className="chip"
              href={shopHref({ ...chosen, category })}
              aria-current={category === chosen.category ? 'true' : undefined}
            >
              {category}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
