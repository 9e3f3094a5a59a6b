import type { DashboardView, ProductCard, ProductView, ShopView } from '../page-data.ts'
import { href } from '../routes.ts'
import type { CartProduct } from './cart.ts'
import {
  type Catalogue,
  type Category,
  categoryFrom,
  featured,
  inCategory,
  type Product,
  relatedTo,
} from './catalogue.ts'
import { pageOfList } from './paging.ts'
import { CART_DESCRIPTION_CHARACTERS } from './previews.ts'

/** A product cut down to what cards and cart show; the description keeps one character more, so that a cut is seen. */
export function cardOf({ id, title, description, price, image }: Product): ProductCard {
  return { id, title, description: description.slice(0, CART_DESCRIPTION_CHARACTERS + 1), price, image }
}

/** A product as the cart keeps it: with all of its fields (§ 3). */
export function cartProductOf(product: Product): CartProduct {
  const { category, rating } = product
  return { ...cardOf(product), category, rating: { rate: rating } }
}

/** What the Shop's address asks for: a category, All where it names none, and a page. */
export type ShopChoice = { category: Category; page: string | null }

/** Reads the Shop's query (§ 2). */
export function shopChoiceFrom(search: URLSearchParams): ShopChoice {
  return { category: categoryFrom(search.get('category')), page: search.get('page') }
}

/** The Shop's address for a choice; the first page and All stand without a query. */
export function shopHref(category: Category, page = 1): string {
  return href(
    'shop',
    {},
    { ...(category !== 'All' && { category }), ...(page > 1 && { page: String(page) }) },
  )
}

/** The Shop's title: the category's where one is chosen, with the page's number from the second on. */
export function shopTitle({ category, page }: Pick<ShopView, 'category' | 'page'>): string {
  const name = category === 'All' ? 'Shop' : `${category} · Shop`
  return page > 1 ? `${name} · Page ${page}` : name
}

/** The Shop page's data (§ 2). */
export function shopView(catalogue: Catalogue, { category, page: asked }: ShopChoice): ShopView {
  const all = inCategory(catalogue, category)
  const { items, page, pages } = pageOfList(all, asked)
  return { category, products: items.map(cardOf), count: all.length, page, pages, failed: false }
}

/** The Shop page's data when the catalogue could not be read: the grid is empty (§ 8). */
export function failedShopView({ category }: ShopChoice): ShopView {
  return { category, products: [], count: 0, page: 1, pages: 1, failed: true }
}

/** The product page's data; `id` undefined or unknown gives no product (§ 2). */
export function productView(catalogue: Catalogue, id: number | undefined): ProductView {
  const product = catalogue.find((candidate) => candidate.id === id)
  return product
    ? { product, related: relatedTo(catalogue, product).map(cardOf), failed: false }
    : { product: null, related: [], failed: false }
}

export const failedProductView: ProductView = { product: null, related: [], failed: true }

/** The dashboard's data (§ 7). */
export function dashboardView(catalogue: Catalogue): DashboardView {
  return { featured: featured(catalogue), failed: false }
}

export const failedDashboardView: DashboardView = { featured: [], failed: true }
