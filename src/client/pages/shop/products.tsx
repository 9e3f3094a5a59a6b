import type { ShopView } from '#shared/rules/shop-filter.ts'
import { SORTS, shopHref } from '#shared/rules/shop-filter.ts'
import { ProductGrid } from './product-grid.tsx'

/** Id of the line that says how much is shown; a search ends there. */
export const COUNT_ID = 'products'

/** What stands under the filter: how many products there are, their cards, and the way to more of them. */
export function Products({ view }: { view: ShopView }) {
  const { count, from, page, pages, failed } = view
  if (failed) return <Failure view={view} />
  return (
    <>
      <p id={COUNT_ID} className="shop__count" role="status" tabIndex={-1}>
        {countText(view)}
      </p>
      {count === 0 ? <Nothing view={view} /> : <ProductGrid view={view} />}
      {pages > 1 && (
        <nav className="shop__pages" aria-label="Pages of products">
          {from > 1 && (
            <a className="button button--quiet" href={`${shopHref(view, from - 1)}#${COUNT_ID}`}>
              Previous products
            </a>
          )}
          {page < pages && (
            <a className="button button--quiet" rel="next" href={`${shopHref(view, page + 1)}#${COUNT_ID}`}>
              More products
            </a>
          )}
        </nav>
      )}
    </>
  )
}

/** The line that says, and announces, what is shown: "Toys: 8 products for “wood”, lowest price first". */
function countText({ category, query, sort, products, count, from, page, pages }: ShopView): string {
  return [
    `${category === 'All' ? 'Everything' : category}: ${count} ${count === 1 ? 'product' : 'products'}`,
    query && ` for “${query}”`,
    sort && `, ${SORTS[sort].toLowerCase()} first`,
    from < page && `, ${products.length} of them here`,
    pages > 1 && `, ${from < page ? `pages ${from} to` : 'page'} ${page} of ${pages}`,
  ]
    .filter(Boolean)
    .join('')
}

/** An empty category, or words that nothing holds; the way back to where there is more. */
function Nothing({ view: { category, query, sort } }: { view: ShopView }) {
  const isNarrowed = query !== '' && category !== 'All'
  return (
    <div className="notice notice--lost">
      <h2>{query ? 'Nothing by these words' : 'Nothing here just now'}</h2>
      <p>
        {query
          ? 'Fewer words, or plainer ones, find more. Or have a look around: all of it is worth it.'
          : 'New pieces are being sewn. Meanwhile, have a look at everything else.'}
      </p>
      <a className="button" href={shopHref(isNarrowed ? { query, sort } : {})}>
        {isNarrowed ? 'Search everything' : 'See everything'}
      </a>
    </div>
  )
}

/** The catalogue could not be read: no cards, and a way to try again (§ 8). */
function Failure({ view }: { view: ShopView }) {
  return (
    <div className="notice notice--lost" role="status">
      <h2>Our shelves are out of reach</h2>
      <p>We could not fetch the products just now. Please try again in a moment.</p>
      <a className="button" href={shopHref(view)}>
        Try again
      </a>
    </div>
  )
}
