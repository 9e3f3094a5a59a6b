import type { ShopView } from '#shared/rules/shop-filter.ts'
import { SORTS, shopHref } from '#shared/rules/shop-filter.ts'
import { ProductGrid } from './product-grid.tsx'

/** Id of the line with the number of products shown; it gets the focus after a search. */
export const COUNT_ID = 'products'

/** The number of products, their cards, and links to further pages. */
export function Products({ view }: { view: ShopView }) {
  const { count, from, page, pages, failed } = view
  if (failed) return <Failure view={view} />
  return (
    <>
      <p id={COUNT_ID} className="shop__count" role="status" tabIndex={-1}>
        {countText(view)}
      </p>
      {count === 0 ? <NoProducts view={view} /> : <ProductGrid view={view} />}
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

/** What is shown, in words: "Toys: 8 products for “wood”, lowest price first". */
function countText({ category, query, sort, products, count, from, page, pages }: ShopView): string {
  return [
    `${category === 'All' ? 'Everything' : category}: ${count} ${count === 1 ? 'product' : 'products'}`,
    query && ` for “${query}”`,
    sort && `, ${SORTS[sort].toLowerCase()} first`,
    from < page && `, ${products.length} shown`,
    pages > 1 && `, ${from < page ? `pages ${from} to` : 'page'} ${page} of ${pages}`,
  ]
    .filter(Boolean)
    .join('')
}

/** An empty category, or a search without results, with a link to more products. */
function NoProducts({ view: { category, query, sort } }: { view: ShopView }) {
  const isNarrowed = query !== '' && category !== 'All'
  return (
    <div className="notice notice--lost">
      <h2>{query ? 'No products found' : 'No products in this category yet'}</h2>
      <p>
        {query
          ? 'Try fewer or different words, or browse the whole collection.'
          : 'New products are on their way. Meanwhile, have a look at the rest of the collection.'}
      </p>
      <a className="button" href={shopHref(isNarrowed ? { query, sort } : {})}>
        {isNarrowed ? 'Search all products' : 'See all products'}
      </a>
      {isNarrowed && <a href={shopHref({ category, sort })}>{`Back to ${category}`}</a>}
    </div>
  )
}

/** The catalogue could not be loaded: no cards, and a link to try again (§ 8). */
function Failure({ view }: { view: ShopView }) {
  return (
    <div className="notice notice--lost" role="status">
      <h2>We could not load our products</h2>
      <p>Please try again in a moment.</p>
      <a className="button" href={shopHref(view)}>
        Try again
      </a>
    </div>
  )
}
