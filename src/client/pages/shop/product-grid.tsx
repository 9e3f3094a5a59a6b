import { useSetAtom } from 'jotai'
import type { ProductCard, ShopView } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { formatKsh } from '#shared/rules/money.ts'
import { preview, SHOP_DESCRIPTION_CHARACTERS, SHOP_TITLE_CHARACTERS } from '#shared/rules/previews.ts'
import { addToCartAtom } from '../../state/cart.ts'

/** How many cards are likely in the first screen; their images are not lazy. */
const FIRST_SCREEN_CARDS = 4

/** The products under the chosen filter (§ 2). */
export function ProductGrid({ view }: { view: ShopView }) {
  const addToCart = useSetAtom(addToCartAtom)
  const add = (product: ProductCard) => addToCart(product, 'card')
  return (
    <ul className="grid">
      {view.products.map((product, index) => (
        <Card key={product.id} product={product} isFirst={index < FIRST_SCREEN_CARDS} onAdd={add} />
      ))}
    </ul>
  )
}

type CardProps = { product: ProductCard; isFirst: boolean; onAdd: (product: ProductCard) => void }

function Card({ product, isFirst, onAdd }: CardProps) {
  const { id, title, description, price, image } = product
  const to = href('product', { id })
  return (
    <li className="card">
      <img src={image} alt={title} width="320" height="400" loading={isFirst ? undefined : 'lazy'} />
      <h2>{preview(title, SHOP_TITLE_CHARACTERS)}</h2>
      <p>{preview(description, SHOP_DESCRIPTION_CHARACTERS)}</p>
      <b>{formatKsh(price)}</b>
      <a href={to}>Buy Now</a>
      <button type="button" onClick={() => onAdd(product)}>
        Add to Cart
      </button>
    </li>
  )
}
