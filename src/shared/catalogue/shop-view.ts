import { type Catalogue, PRODUCTS_PER_PAGE, type Product } from './catalogue.ts'
import { cardWithStock, unitsLeftOf } from './catalogue-stock.ts'
import { inCategory, memoizeByCatalogue } from './catalogue-views.ts'
import type { ShopChoice, ShopFilter, ShopView, Sort } from './shop-filter.ts'

const shopLists = memoizeByCatalogue<Catalogue>()
const shopViews = memoizeByCatalogue<ShopView>()

/** The products that match a filter, in its order. Memoized only without a search query: queries would fill the memory. */
export function shopProducts(catalogue: Catalogue, { category, query, sort }: ShopFilter): Catalogue {
  const list = () => sorted(matching(inCategory(catalogue, category), query), sort)
  return query ? list() : shopLists(catalogue, `${category} ${sort}`, list)
}

/**
 * The Shop page's data (§ 2); with `since`, of all pages from that one on. Without a search query, the same
 * catalogue gives the same view of a page, so that what is made from it can be cached with it.
 */
export function shopView(
  catalogue: Catalogue,
  { page: asked, ...filter }: ShopChoice,
  since = asked,
): ShopView {
  const all = shopProducts(catalogue, filter)
  const { items, from, page, pages } = pageOfList(all, asked, since)
  const count = all.length
  const view = () => {
    const shown = { products: items.map(cardWithStock), ...unitsLeftOf(items), count, from, page, pages }
    return { ...filter, ...shown, failed: false }
  }
  const isKept = !filter.query && from === page
  return isKept ? shopViews(catalogue, `${filter.category} ${filter.sort} ${page}`, view) : view()
}

/**
 * The products that hold every word of a query in title, description or category, in any order, ignoring case, accents
 * and an "s" at a word's end. Without words: all.
 */
export function matching(catalogue: Catalogue, query: string): Catalogue {
  const words = folded(query).split(' ').filter(Boolean).map(withoutPlural)
  if (words.length === 0) return catalogue
  return catalogue.filter((product) => {
    const text = searchText(product)
    return words.every((word) => text.includes(word))
  })
}

/** The products in the chosen order; among equal prices the catalogue's own stays. */
export function sorted(catalogue: Catalogue, sort: Sort): Catalogue {
  if (sort === '') return catalogue
  const sign = sort === 'price-asc' ? 1 : -1
  return catalogue.toSorted((one, other) => sign * (one.price - other.price))
}

const texts = new WeakMap<Product, string>()

/** The text of a product that is searched, made once for each. */
function searchText(product: Product): string {
  const known = texts.get(product)
  if (known !== undefined) return known
  const text = folded(`${product.title} ${product.category} ${product.description}`)
  texts.set(product, text)
  return text
}

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[’‘]/g, "'")
    .toLowerCase()
}

function withoutPlural(word: string): string {
  return word.length > 3 ? word.replace(/s$/, '') : word
}

/** Up to this many products are one grid, without pages. */
const ONE_GRID_PRODUCTS = 96
/** The last page has up to this many more, instead of a short page after it. */
const FEW_PRODUCTS = 12

/** A page of a list, or several in a row: the numbers of the first and the last, and of all pages there are, from 1. */
export type PageOf<Item> = { items: readonly Item[]; from: number; page: number; pages: number }

/**
 * The page of a list that an address asks for; an invalid number is the first page, one that is too high the last.
 * With `since`, all pages from that one on, as after several uses of "show more".
 */
export function pageOfList<Item>(list: readonly Item[], asked: string | null, since = asked): PageOf<Item> {
  const isOneGrid = list.length <= ONE_GRID_PRODUCTS
  const pages = isOneGrid ? 1 : Math.ceil((list.length - FEW_PRODUCTS) / PRODUCTS_PER_PAGE)
  const page = numberOf(asked, pages)
  const from = numberOf(since, page)
  const end = page === pages ? list.length : page * PRODUCTS_PER_PAGE
  return { items: list.slice((from - 1) * PRODUCTS_PER_PAGE, end), from, page, pages }
}

function numberOf(asked: string | null, last: number): number {
  return Math.min(last, Math.max(1, /^\d{1,9}$/.test(asked ?? '') ? Number(asked) : 1))
}
