import { href } from '#shared/routes.ts'
import type { ProductCard } from '#shared/rules/catalogue.ts'
import {
  formatKsh,
  preview,
  SHOP_DESCRIPTION_CHARACTERS,
  SHOP_TITLE_CHARACTERS,
} from '#shared/rules/format.ts'

/** Where a card likely is when the page opens: its image comes first, as usual, or when it is scrolled to. */
export type CardSource = 'first-row' | 'first-screen' | 'below'

type CardProps = { id: string | undefined; product: ProductCard; place: CardSource; onAdd: () => void }

/** A card of the grid (§ 2). There are many: their markup is lean, and styled by its elements. */
export function Card({ id: elementId, product, place, onAdd }: CardProps) {
  const { id, title, description, price, image } = product
  return (
    <li id={elementId}>
      <img
        src={image}
        alt={title}
        width="320"
        height="400"
        loading={place === 'below' ? 'lazy' : undefined}
        fetchPriority={place === 'first-row' ? 'high' : undefined}
      />
      <h2>{preview(title, SHOP_TITLE_CHARACTERS)}</h2>
      <p>{preview(description, SHOP_DESCRIPTION_CHARACTERS)}</p>
      <b>{formatKsh(price)}</b>
      <a href={href('product', { id })}>Buy Now</a>
      <button type="button" onClick={onAdd}>
        Add to Cart
      </button>
    </li>
  )
}
