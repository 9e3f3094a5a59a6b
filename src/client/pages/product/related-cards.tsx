import { href } from '#shared/routes.ts'
import type { ProductCard } from '#shared/rules/catalogue.ts'
import { CAROUSEL_TITLE_CHARACTERS, formatKsh, preview } from '#shared/rules/format.ts'

type RelatedCardsProps = {
  products: readonly ProductCard[]
  onAdd: (product: ProductCard) => void
  /** A copy is for eyes and pointers only: no tab stops, nothing to read out twice. */
  isCopy?: boolean
}

/** The related products' cards, in the Shop's clothes (§ 2). */
export function RelatedCards({ products, onAdd, isCopy }: RelatedCardsProps) {
  const tabIndex = isCopy ? -1 : undefined
  return (
    <ul className="grid also__cards" aria-hidden={isCopy}>
      {products.map((product) => (
        <li key={product.id}>
          <img
            src={product.image}
            alt={isCopy ? '' : product.title}
            width="320"
            height="400"
            loading="lazy"
          />
          <h3>{preview(product.title, CAROUSEL_TITLE_CHARACTERS)}</h3>
          <b>{formatKsh(product.price)}</b>
          <a href={href('product', { id: product.id })} tabIndex={tabIndex}>
            Buy Now
          </a>
          <button type="button" tabIndex={tabIndex} onClick={() => onAdd(product)}>
            Add to Cart
          </button>
        </li>
      ))}
    </ul>
  )
}
