import { href } from '#shared/routes.ts'
import { CATEGORIES, type Category } from '#shared/rules/catalogue.ts'

/** The filter buttons: links, so that a choice can be shared and works without scripts (§ 2). */
export function CategoryFilter({ selected }: { selected: Category }) {
  return (
    <nav className="filter" aria-label="Categories">
      <ul>
        {CATEGORIES.map((category) => (
          <li key={category}>
            <a
              className="chip"
              href={category === 'All' ? href('shop') : href('shop', {}, { category })}
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
