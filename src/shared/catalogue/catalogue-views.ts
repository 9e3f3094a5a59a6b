import {
  type Catalogue,
  type Category,
  type DashboardView,
  imagesOf,
  type Product,
  type ProductView,
} from './catalogue.ts'
import { cardWithStock, unitsLeftOf } from './catalogue-stock.ts'
import { itemById } from './items.ts'

/** The product page's data; `id` is a product's or a size's, undefined or unknown gives no product (§ 2). */
export function productView(catalogue: Catalogue, id: number | undefined): ProductView {
  const product = itemById(catalogue, id)?.product
  if (!product) return { product: null, pictures: [], related: [], failed: false }
  const related = relatedTo(catalogue, product)
  const left = unitsLeftOf([product, ...related])
  const { images, ...rest } = product
  const shown = images ? rest : product
  return {
    product: shown,
    pictures: imagesOf(product),
    related: related.map(cardWithStock),
    ...left,
    failed: false,
  }
}

/** The dashboard's data (§ 7). */
export function dashboardView(catalogue: Catalogue): DashboardView {
  return { featured: featured(catalogue), failed: false }
}

/** Memoizes what is computed from a catalogue, by key, until the catalogue is garbage-collected. */
export function memoizeByCatalogue<Made>() {
  const cache = new WeakMap<Catalogue, Map<string, Made>>()
  return (catalogue: Catalogue, key: string, make: () => Made): Made => {
    const entries = cache.get(catalogue) ?? new Map<string, Made>()
    cache.set(catalogue, entries)
    const made = entries.get(key) ?? make()
    entries.set(key, made)
    return made
  }
}

export const FEATURED_PRODUCTS = 4
/** The maximum number of related products in the carousel. */
export const RELATED_PRODUCTS = 12

const categoryLists = memoizeByCatalogue<Catalogue>()

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

/** The dashboard's featured products: the first four whose category contains "children" or "women" (§ 7). */
export function featured(catalogue: Catalogue): Catalogue {
  return catalogue.filter(({ category }) => /children|women/i.test(category)).slice(0, FEATURED_PRODUCTS)
}
