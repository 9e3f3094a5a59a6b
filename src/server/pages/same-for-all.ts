import { matchRoute } from '#shared/routes.ts'
import { type Catalogue, inCategory, productIdFrom } from '#shared/rules/catalogue.ts'
import { type ShopChoice, shopChoiceFrom } from '#shared/rules/catalogue-views.ts'
import { homeGreeting, shopGreeting } from '#shared/rules/greeting.ts'
import { pageOfList } from '#shared/rules/paging.ts'

type Showing = { url: URL /** The visitor's hour, 0–23. */; hour: number; catalogue: Catalogue | undefined }

/**
 * What a page of a visitor without a session depends on: two requests with the same text get the same page, but for
 * its slots. Only values of our own lists go in, so that query strings cannot fill the memory. Undefined where a
 * page is not the same for all: the catalogue is not in memory yet, or the address holds something of its own.
 */
export function sameForAll({ url, hour, catalogue }: Showing): string | undefined {
  const { name, params } = matchRoute(url.pathname)
  switch (name) {
    case 'home':
      return `home ${homeGreeting(hour)}`
    case 'shop': {
      const choice = shopChoiceFrom(url.searchParams)
      return catalogue && !choice.query
        ? `shop ${shopKey(catalogue, choice)} ${shopGreeting(hour)}`
        : undefined
    }
    case 'product': {
      const id = productIdFrom(params.id ?? '')
      return catalogue?.some((product) => product.id === id) ? `product ${id}` : undefined
    }
    case 'about':
    case 'contact':
    case 'login':
    case 'register':
    case 'forgotPassword':
      return name
    default:
      return undefined
  }
}

/** The category, the order, and the number of the page that the address really leads to. */
function shopKey(catalogue: Catalogue, { category, sort, page }: ShopChoice): string {
  const number = page ? pageOfList(inCategory(catalogue, category), page).page : 1
  return `${category} ${sort} ${number}`
}
