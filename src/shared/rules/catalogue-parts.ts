import type { Catalogue, Category, Product } from './catalogue.ts'
import { perCatalogue } from './per-catalogue.ts'

export const FEATURED_PRODUCTS = 4
/** How many related products the carousel holds at most. */
export const RELATED_PRODUCTS = 12

const categoryLists = perCatalogue<Catalogue>()

/** The products a filter button shows: those whose category equals or contains its label, ignoring case (§ 2). */
export function inCategory(catalogue: Catalogue, category: Category): Catalogue {
  if (category === 'All') return catalogue
  const label = category.toLowerCase()
  return categoryLists(catalogue, category, () =>
    catalogue.filter((product) => product.category.toLowerCase().includes(label)),
  )
}

/** The other products of the same category, bounded for the carousel (§ 2). */
export function relatedTo(catalogue: Catalogue, product: Product): Catalogue {
  return catalogue
    .filter(({ id, category }) => category === product.category && id !== product.id)
    .slice(0, RELATED_PRODUCTS)
}

/** The dashboard's choice: the first four whose category contains "children" or "women" (§ 7). */
export function featured(catalogue: Catalogue): Catalogue {
  return catalogue.filter(({ category }) => /children|women/i.test(category)).slice(0, FEATURED_PRODUCTS)
}
