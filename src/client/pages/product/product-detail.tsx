import { useSetAtom } from 'jotai'
import { href } from '#shared/routes.ts'
import { cartProductOf, MAX_RATING, type Product } from '#shared/rules/catalogue.ts'
import { formatKsh } from '#shared/rules/format.ts'
import { addToCartAtom } from '../../state/cart.ts'

/** Everything about one product, and the way into the cart (§ 2). */
export function ProductDetail({ product }: { product: Product }) {
  const addToCart = useSetAtom(addToCartAtom)
  const { title, description, price, image, category, rating } = product
  return (
    <article className="product__detail">
      <img className="product__image" src={image} alt={title} width="640" height="800" fetchPriority="high" />
      <div className="stack">
        <p className="product__category">{category.toUpperCase()}</p>
        <h1>{title}</h1>
        <div className="product__figures">
          <p className="product__rating">
            <span className="product__star" aria-hidden="true" />
            <span className="visually-hidden">Rating: </span>
            {rating}
            <span className="visually-hidden">{` out of ${MAX_RATING}`}</span>
          </p>
          <p className="product__price">{formatKsh(price)}</p>
        </div>
        <p className="lead">{description}</p>
        <div className="product__actions">
          <button type="button" className="button" onClick={() => addToCart(cartProductOf(product))}>
            Add to Cart
          </button>
          <a className="button button--quiet" href={href('cart')}>
            Go to Cart
          </a>
        </div>
      </div>
    </article>
  )
}
