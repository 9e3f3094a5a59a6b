import { CATEGORIES, type Category } from '#shared/rules/catalogue.ts'
import { shopHref } from '#shared/rules/catalogue-views.ts'

/** The filter buttons: links, so that a choice can be shared and works without scripts (§ 2). */
export function CategoryFilter({ selected }: { selected: Category }) {
  return (
    <nav aria-label="Categories">
      <ul className="filter">
        {CATEGORIES.map((category) => (
          <li key={category}>
            <a
              className="chip"
              href={shopHref(category)}
              aria-current={category === selected ? 'true' : undefined}
            >
              {category}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
