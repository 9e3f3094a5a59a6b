/** So many products are one grid, as they are without pages. */
const ONE_GRID_PRODUCTS = 96
/** Products on one page of a longer list, so that a page stays small however large the catalogue grows. */
const PRODUCTS_PER_PAGE = 60
/** The last page takes up to this many more, instead of leaving them on a page of their own. */
const FEW_PRODUCTS = 12

/** One page of a list, with its number and the number of all pages, both from 1. */
export type PageOf<Item> = { items: readonly Item[]; page: number; pages: number }

/** The page of a list that an address asks for; what is not a page's number is the first, what is too high the last. */
export function pageOfList<Item>(list: readonly Item[], asked: string | null): PageOf<Item> {
  const isOneGrid = list.length <= ONE_GRID_PRODUCTS
  const pages = isOneGrid ? 1 : Math.ceil((list.length - FEW_PRODUCTS) / PRODUCTS_PER_PAGE)
  const page = Math.min(pages, Math.max(1, /^\d{1,9}$/.test(asked ?? '') ? Number(asked) : 1))
  const end = page === pages ? list.length : page * PRODUCTS_PER_PAGE
  return { items: list.slice((page - 1) * PRODUCTS_PER_PAGE, end), page, pages }
}
