import { useAtomValue, useSetAtom } from 'jotai'
import { PRODUCTS_PER_PAGE } from '#shared/rules/catalogue.ts'
import type { ShopView } from '#shared/rules/shop-filter.ts'
import { ADDED_ID } from '../../router/arrive.ts'
import { addToCartAtom } from '../../state/cart.ts'
import { keptMarkupAtom } from '../../ui/kept-markup.ts'
import { Card, type CardSource } from './product-card.tsx'

/** How many cards are likely in the first screen, and in a phone's first row. */
const FIRST_SCREEN_CARDS = 4
const FIRST_ROW_CARDS = 2

/**
 * The cards (§ 2); the first of those that were added to others is marked. The server renders a page of them once, and
 * shows that markup from then on.
 */
export function ProductGrid({ view: { products, from, page } }: { view: ShopView }) {
  const addToCart = useSetAtom(addToCartAtom)
  const keptMarkup = useAtomValue(keptMarkupAtom)
  const added = (page - from) * PRODUCTS_PER_PAGE
  const cards = () =>
    products.map((product, index) => (
      <Card
        key={product.id}
        id={added > 0 && index === added ? ADDED_ID : undefined}
        product={product}
        place={placeOf(index)}
        onAdd={() => addToCart(product, 'card')}
      />
    ))
  if (!keptMarkup) return <ul className="grid">{cards()}</ul>
  // biome-ignore lint/security/noDangerouslySetInnerHtml: React's own markup of the very same cards
  return <ul className="grid" dangerouslySetInnerHTML={{ __html: keptMarkup(products, cards) }} />
}

function placeOf(index: number): CardSource {
  if (index < FIRST_ROW_CARDS) return 'first-row'
  return index < FIRST_SCREEN_CARDS ? 'first-screen' : 'below'
}
