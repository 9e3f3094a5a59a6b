import { PRODUCTS_PER_PAGE } from './catalogue.ts'

/** So many products are one grid, as they are without pages. */
const ONE_GRID_PRODUCTS = 96
/** The last page takes up to this many more, instead of leaving them on a page of their own. */
const FEW_PRODUCTS = 12

/** A page of a list, or several in a row: the numbers of the first and the last, and of all pages there are, from 1. */
export type PageOf<Item> = { items: readonly Item[]; from: number; page: number; pages: number }

/**
 * The page of a list that an address asks for; what is not a page's number is the first, what is too high the last.
 * With `since`, all pages from that one on, as they are when more was asked for again and again.
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
