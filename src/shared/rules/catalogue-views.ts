import type { DashboardView, ProductView } from './catalogue.ts'
import { type Catalogue, type Category, cardOf, type Product } from './catalogue.ts'

/** The product page's data; `id` undefined or unknown gives no product (§ 2). */
export function productView(catalogue: Catalogue, id: number | undefined): ProductView {
  const product = catalogue.find((candidate) => candidate.id === id)
  return product
    ? { product, related: relatedTo(catalogue, product).map(cardOf), failed: false }
    : { product: null, related: [], failed: false }
}

/** The dashboard's data (§ 7). */
export function dashboardView(catalogue: Catalogue): DashboardView {
  return { featured: featured(catalogue), failed: false }
}

/** Keeps what is made of a catalogue, once for each key, for as long as the catalogue itself lives. */
export function memoizeByCatalogue<Made>() {
  const kept = new WeakMap<Catalogue, Map<string, Made>>()
  return (catalogue: Catalogue, key: string, make: () => Made): Made => {
    const known = kept.get(catalogue) ?? new Map<string, Made>()
    kept.set(catalogue, known)
    const made = known.get(key) ?? make()
    known.set(key, made)
    return made
  }
}

export const FEATURED_PRODUCTS = 4
/** How many related products the carousel holds at most. */
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

/** The dashboard's choice: the first four whose category contains "children" or "women" (§ 7). */
export function featured(catalogue: Catalogue): Catalogue {
  return catalogue.filter(({ category }) => /children|women/i.test(category)).slice(0, FEATURED_PRODUCTS)
}

/** The drawings beside which the build puts a lighter twin: of products, and the large ones of Home and About. */
const OWN_DRAWING = /^(\/?images\/(?:products\/.+|hero|story-\w+))\.svg$/

const lightCatalogues = memoizeByCatalogue<Catalogue>()

/** The address of a picture's lighter twin; its own where there is none. */
export function lightAddress(image: string): string {
  return image.replace(OWN_DRAWING, '$1.light.svg')
}

const DRAWN_PRODUCT = /^(\/?images\/products\/.+?)(?:\.light)?\.svg$/

/** The address of the picture, made by the build, that shows with a shared product that is drawn; undefined for others. */
export function shareAddress(image: string): string | undefined {
  return DRAWN_PRODUCT.test(image) ? image.replace(DRAWN_PRODUCT, '$1.share.jpg') : undefined
}

/** The catalogue with the lighter pictures, for visitors who save data; the same list again for the same catalogue. */
export function lightCatalogue(catalogue: Catalogue): Catalogue {
  return lightCatalogues(catalogue, 'light', () =>
    catalogue.map((product) => ({ ...product, image: lightAddress(product.image) })),
  )
}
