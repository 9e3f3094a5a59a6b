import type { ProductCard } from '#shared/rules/catalogue.ts'
import { amountInKsh } from '#shared/rules/format.ts'
import type { ShopView } from '#shared/rules/shop-filter.ts'
import type { MarkupData } from '../../router/page.ts'

/** Finds the cards of the grid, as `product-grid.tsx` draws them. */
const CARDS = '.grid > li'

/**
 * The cards' markup says all that a card shows, so the document does not say it a second time: that halves the
 * Shop's page. Only the end of a long description is missing, which the cart takes from the catalogue.
 */
export const cardMarkup: MarkupData<ShopView> = {
  withoutMarkup: (view) => ({ ...view, products: [] }),
  withMarkup(view) {
    const products = Array.from(document.querySelectorAll(CARDS), productIn)
    const isWhole = products.length > 0 === view.count > 0 && products.every(({ id }) => id > 0)
    return isWhole ? { ...view, products } : undefined
  },
}

function productIn(card: Element): ProductCard {
  const image = card.querySelector('img')
  const textOf = (selector: string) => card.querySelector(selector)?.textContent ?? ''
  return {
    id: Number(card.querySelector('a')?.pathname.split('/').pop()),
    title: image?.alt ?? '',
    description: textOf('p'),
    price: amountInKsh(textOf('b')),
    image: image?.getAttribute('src') ?? '',
  }
}
