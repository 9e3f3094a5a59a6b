import { formatAge } from './ages.ts'
import {
  type Catalogue,
  type Category,
  type DashboardView,
  isInCategory,
  listProductImages,
  type Product,
  type ProductView,
} from './catalogue.ts'
import { collectUnitsLeft, toCardWithStock } from './catalogue-stock.ts'
import { findItem } from './items.ts'
import { getAge } from './sizes.ts'

/** `id` identifies a product or a size (§ 2). */
export function createProductView(catalogue: Catalogue, id: number | undefined): ProductView {
  const product = findItem(catalogue, id)?.product
  if (!product) return { product: null, pictures: [], related: [], hasFailed: false }
  const related = findRelatedProducts(catalogue, product)
  const left = collectUnitsLeft([product, ...related])
  const { images, ...rest } = product
  const productData = images ? rest : product
  const age = formatAge(getAge(product))
  return {
    product: productData,
    ...(age && { age }),
    pictures: listProductImages(product),
    related: related.map(toCardWithStock),
    ...left,
    hasFailed: false,
  }
}

export function createDashboardView(catalogue: Catalogue, featuredIds: readonly number[]): DashboardView {
  return { featured: findFeaturedProducts(catalogue, featuredIds), hasFailed: false }
}

export function createCatalogueMemo<Value>() {
  const cache = new WeakMap<Catalogue, Map<string, Value>>()
  return (catalogue: Catalogue, key: string, compute: () => Value): Value => {
    const entries = cache.get(catalogue) ?? new Map<string, Value>()
    cache.set(catalogue, entries)
    const value = entries.get(key) ?? compute()
    entries.set(key, value)
    return value
  }
}

export const FEATURED_PRODUCTS = 4
export const RELATED_PRODUCTS = 12

const memoizeCategoryList = createCatalogueMemo<Catalogue>()

/** Lists the products whose category contains the label, ignoring case (§ 2). `All` lists every product. */
export function listProductsInCategory(catalogue: Catalogue, category: Category): Catalogue {
  if (category === 'All') return catalogue
  return memoizeCategoryList(catalogue, category, () =>
    catalogue.filter((product) => isInCategory(product.category, category)),
  )
}

export function findRelatedProducts(
  catalogue: Catalogue,
  product: Product,
  isIncluded: (product: Product) => boolean = () => true,
): Catalogue {
  return catalogue
    .filter((other) => other.category === product.category && other.id !== product.id && isIncluded(other))
    .slice(0, RELATED_PRODUCTS)
}

/** Chooses by category if no product has one of these ids (§ 7). */
export function findFeaturedProducts(catalogue: Catalogue, ids: readonly number[] = []): Catalogue {
  const chosenProducts = ids.flatMap((id) => findItem(catalogue, id)?.product ?? [])
  if (chosenProducts.length > 0) return chosenProducts
  return catalogue.filter(({ category }) => /children|women/i.test(category)).slice(0, FEATURED_PRODUCTS)
}
