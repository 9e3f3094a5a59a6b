import { useSetAtom } from 'jotai'
import type { ProductCard } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { formatKsh } from '#shared/rules/money.ts'
import { preview, SHOP_DESCRIPTION_CHARACTERS, SHOP_TITLE_CHARACTERS } from '#shared/rules/previews.ts'
import { addToCartAtom } from '../../state/cart.ts'

/** How many cards are likely in the first screen: their images are not lazy, those of a phone's first row come first. */
const FIRST_SCREEN_CARDS = 4
const FIRST_ROW_CARDS = 2

/** The cards (§ 2). There are many: their markup is lean, and styled by its elements. */
export function ProductGrid({ products }: { products: readonly ProductCard[] }) {
  const addToCart = useSetAtom(addToCartAtom)
  return (
    <ul className="grid">
      {products.map((product, index) => (
        <li key={product.id}>
          <img
            src={product.image}
            alt={product.title}
            width="320"
            height="400"
            loading={index < FIRST_SCREEN_CARDS ? undefined : 'lazy'}
            fetchPriority={index < FIRST_ROW_CARDS ? 'high' : undefined}
          />
          <h2>{preview(product.title, SHOP_TITLE_CHARACTERS)}</h2>
          <p>{preview(product.description, SHOP_DESCRIPTION_CHARACTERS)}</p>
          <b>{formatKsh(product.price)}</b>
          <a href={href('product', { id: product.id })}>Buy Now</a>
          <button type="button" onClick={() => addToCart(product, 'card')}>
            Add to Cart
          </button>
        </li>
      ))}
    </ul>
  )
}
