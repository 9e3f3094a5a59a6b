import {
  failedShopView,
  type ShopChoice,
  type ShopView,
  shopChoiceFrom,
  shopTitle,
} from '#shared/rules/shop-filter.ts'
import type { PageLocation } from '../../router/page.ts'
import { loadCatalogue, viewOfCatalogue } from '../../state/catalogue.ts'
import { ShopPage } from './shop.tsx'

export { loadCatalogue as prefetch, ShopPage as Page, shopTitle as title }

/** The Shop's data (§ 2): a page of products, or all since the first one shown when further ones are appended. */
export function load({ search, appendedTo }: PageLocation): ShopView | Promise<ShopView> {
  const choice = shopChoiceFrom(search)
  if (appendedTo) return loadAppended(choice, appendedTo.get('page'))
  return viewOfCatalogue(({ catalogue, shopView }) => shopView(catalogue, choice), failedShopView(choice))
}

async function loadAppended(choice: ShopChoice, firstPage: string | null): Promise<ShopView> {
  const { catalogue, shopView } = await loadCatalogue()
  return shopView(catalogue, choice, firstPage)
}
