import type { ShopView } from '#shared/page-data.ts'
import { shopHref } from '#shared/rules/catalogue-views.ts'
import { ProductGrid } from './product-grid.tsx'

const COUNT_ID = 'products'

/** What stands under the filter: how many products there are, their cards, and the way to more of them. */
export function Products({ view }: { view: ShopView }) {
  const { category, products, count, page, pages, failed } = view
  if (failed) return <Failure view={view} />
  if (count === 0) return <Nothing />
  return (
    <>
      <p id={COUNT_ID} className="shop__count" role="status">
        {countText(view)}
      </p>
      <ProductGrid products={products} />
      {pages > 1 && (
        <nav className="shop__pages" aria-label="Pages of products">
          {page > 1 && (
            <a className="button button--quiet" href={`${shopHref(category, page - 1)}#${COUNT_ID}`}>
              Previous products
            </a>
          )}
          {page < pages && (
            <a className="button button--quiet" href={`${shopHref(category, page + 1)}#${COUNT_ID}`}>
              More products
            </a>
          )}
        </nav>
      )}
    </>
  )
}

/** The line that says, and announces, what is shown: "Toys: 8 products". */
function countText({ category, count, page, pages }: ShopView): string {
  const what = `${category === 'All' ? 'Everything' : category}: ${count} ${count === 1 ? 'product' : 'products'}`
  return pages > 1 ? `${what}, page ${page} of ${pages}` : what
}

/** An empty category. */
function Nothing() {
  return (
    <div className="notice" role="status">
      <h2>Nothing here just now</h2>
      <p>New pieces are being sewn. Meanwhile, have a look at everything else.</p>
      <a className="button" href={shopHref('All')}>
        See everything
      </a>
    </div>
  )
}

/** The catalogue could not be read: no cards, and a way to try again (§ 8). */
function Failure({ view }: { view: ShopView }) {
  return (
    <div className="notice" role="status">
      <h2>Our shelves are out of reach</h2>
      <p>We could not fetch the products just now. Please try again in a moment.</p>
      <a className="button" href={shopHref(view.category)}>
        Try again
      </a>
    </div>
  )
}
