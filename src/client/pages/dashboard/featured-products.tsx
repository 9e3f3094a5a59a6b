import { href } from '#shared/routes.ts'
import type { Catalogue } from '#shared/rules/catalogue.ts'
import { formatAmount } from '#shared/rules/format.ts'
import { shop } from '#shared/shop.ts'

/** Up to four products for children and women (§§ 2, 7). */
export function FeaturedProducts({ products }: { products: Catalogue }) {
  return (
    <section aria-labelledby="featured">
      <h2 id="featured">Featured Products</h2>
      {products.length === 0 ? (
        <p className="dashboard__none">No featured products available.</p>
      ) : (
        <ul className="featured">
          {products.map(({ id, title, category, price, image }) => (
            <li key={id}>
              <a className="featured__card" href={href('product', { id })}>
                <img src={image} alt="" width="320" height="400" />
                <span className="featured__title">{title}</span>
                <span className="featured__category">{category}</span>
                <span className="featured__price">{`${shop.currency}${formatAmount(price)}`}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
