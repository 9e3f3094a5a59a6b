import { matchRoute } from '#shared/routes.ts'
import { type Catalogue, productIdFrom } from '#shared/rules/catalogue.ts'
import { inCategory } from '#shared/rules/catalogue-views.ts'
import { homeGreeting, shopGreeting } from '#shared/rules/greeting.ts'
import { type ShopChoice, shopChoiceFrom } from '#shared/rules/shop-filter.ts'
import { pageOfList } from '#shared/rules/shop-view.ts'

/** What a page that is the same for everyone depends on. */
export type SameForAll = {
  /** The page and whatever of our own lists its address names. */
  what: string
  /** Its greeting at the visitor's hour, 0–23, where it has one. */
  greetingAt?: (hour: number) => string
}

/**
 * What a page of a visitor without a session depends on: two requests for the same get the same page, but for its
 * slots. Only values of our own lists go in, so that query strings cannot fill the memory. Undefined where a page
 * is not the same for all: the catalogue is not in memory yet, or the address holds something of its own.
 */
export function sameForAll(url: URL, catalogue: Catalogue | undefined): SameForAll | undefined {
  const { name, params } = matchRoute(url.pathname)
  switch (name) {
    case 'home':
      return { what: name, greetingAt: homeGreeting }
    case 'shop': {
      const choice = shopChoiceFrom(url.searchParams)
      return catalogue && !choice.query
        ? { what: `shop ${shopKey(catalogue, choice)}`, greetingAt: shopGreeting }
        : undefined
    }
    case 'product': {
      const id = productIdFrom(params.id ?? '')
      return catalogue?.some((product) => product.id === id) ? { what: `product ${id}` } : undefined
    }
    case 'about':
    case 'contact':
    case 'login':
    case 'register':
    case 'forgotPassword':
      return { what: name }
    default:
      return undefined
  }
}

/** The category, the order, and the number of the page that the address really leads to. */
function shopKey(catalogue: Catalogue, { category, sort, page }: ShopChoice): string {
  const number = page ? pageOfList(inCategory(catalogue, category), page).page : 1
  return `${category} ${sort} ${number}`
}
