import { useStore } from 'jotai'
import { useEffect } from 'react'
import { type NavigationType, viewAtom } from '#client/app/router/page.ts'
import { assumedSizesAtom, linkedSizesAtom, selectSizeAtom } from '#client/cart/add-to-cart.ts'
import type { Category, ProductCard } from '#shared/catalogue/catalogue.ts'
import { type FilterGroup, withoutFilterGroup } from '#shared/catalogue/filter-groups.ts'
import { PRODUCT_COUNT_ID, type ShopFilter, type ShopView, shopHref } from '#shared/catalogue/shop-filter.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { FilterForm } from './filter-form.tsx'
import { ProductGrid } from './product-grid.tsx'
import { RelatedProducts } from './related-products.tsx'

export function Filters({ view }: { view: ShopView }) {
  const key = listAppliedFilters(view).map(({ text }) => text)
  return view.sizes && <FilterForm key={key.join()} view={view} sizes={view.sizes} />
}

function listAppliedFilters({ audience, sizeLabel, minKsh, maxKsh, inStock }: ShopView) {
  const filters: [group: FilterGroup, text: string | undefined][] = [
    ['audience', audience],
    ['size', sizeLabel],
    ['stock', inStock && 'In stock'],
    ['price', formatPriceRange(minKsh, maxKsh)],
  ]
  return filters.flatMap(([group, text]) => (text ? [{ group, text }] : []))
}

function formatPriceRange(minKsh?: number, maxKsh?: number): string | undefined {
  const [min, max] = [formatLimit(minKsh), formatLimit(maxKsh)]
  if (min && max) return `${min}–${max.replace(`${shop.currency} `, '')} with VAT`
  if (max) return `Up to ${max} with VAT`
  return min && `From ${min} with VAT`
}

function formatLimit(ksh?: number): string {
  return ksh === undefined ? '' : formatMoney(kshToCents(ksh))
}

function withoutFilters({ category, query, sort }: ShopFilter): ShopFilter {
  return { category, query, sort }
}

/** Selects the sizes that the filter or the search names. Only a size that the shopper set in the filter is remembered. */
function useNamedSizes({ namedSizes, size, products, justAbove = [], related = [] }: ShopView) {
  const store = useStore()
  useEffect(() => {
    const isChoice = size && isShoppersChoice(store.get(viewAtom)?.navigationType)
    for (const [scale, label] of Object.entries(namedSizes ?? {})) {
      if (isChoice) store.set(selectSizeAtom, scale, label)
      else store.set(linkedSizesAtom, (now) => ({ ...now, [scale]: label }))
    }
    const assumed = [...products, ...justAbove, ...related].filter(({ item }) => item?.isSizeAssumed)
    const labels = Object.fromEntries(assumed.map(({ id, item }) => [id, item?.size]))
    store.set(assumedSizesAtom, (now) => ({ ...now, ...labels }))
  }, [namedSizes, size, products, justAbove, related, store])
}

/** Returns false after a link from another site or app, a reload, Back or Forward. */
function isShoppersChoice(type: NavigationType | undefined): boolean {
  if (type === 'load') return document.referrer.startsWith(`${location.origin}/`)
  return type === 'push' || type === 'replace'
}

export function Refinements({ view }: { view: ShopView }) {
  const { isNearMatch, otherCategories = [], count, category } = view
  useNamedSizes(view)
  const filters = listAppliedFilters(view)
  // If all categories are shown, the audience has its chip among them.
  const chips = category === 'All' ? filters.filter(({ group }) => group !== 'audience') : filters
  return (
    <>
      {chips.length > 0 && (
        <nav aria-label="Active filters">
          <ul className="shop__chips">
            {filters.length > 1 && (
              <li>
                <a className="chip" href={shopHref(withoutFilters(view))}>
                  Clear all
                </a>
              </li>
            )}
            {chips.map(({ group, text }) => (
              <li key={group}>
                <a className="chip chip--applied" href={shopHref(withoutFilterGroup(view, group))}>
                  <span className="visually-hidden">Remove </span>
                  {text}
                  <span aria-hidden="true">{'\u00a0 ×'}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      {isNearMatch && <h2 className="related__head spread heading-s">{formatNearMatches(view)}</h2>}
      {otherCategories.length > 0 && (
        <nav aria-label={`Results outside ${category}`}>
          <ul className="filter">
            {otherCategories.map((other) => (
              <li key={other.category}>
                <a className="chip" href={shopHref({ ...view, category: other.category })}>
                  {`${other.count} ${count > 0 ? 'more ' : ''}in ${other.category}`}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </>
  )
}

const NEAREST_SIZES: Readonly<Record<NonNullable<ShopView['nearest']>, string>> = {
  age: 'Nothing for this age. The next age down:',
  size: 'Nothing in this size. The nearest sizes:',
  any: 'Nothing for this age or size. Closest matches:',
}

function formatNearMatches(view: ShopView): string {
  const { isOutsideLimits, nearest, isJustAbove, minKsh, maxKsh, count } = view
  if (nearest && !isOutsideLimits) return NEAREST_SIZES[nearest]
  if (!isOutsideLimits) return `Closest matches (${count})`
  if (minKsh || !maxKsh) return 'Nothing in this price range. Closest in price:'
  const limit = formatLimit(maxKsh)
  return isJustAbove
    ? `Nothing up to ${limit} with VAT. Just above:`
    : `Nothing up to ${limit} with VAT. The nearest:`
}

/** What follows the list of products, if anything. */
export function MoreProducts({ view }: { view: ShopView }) {
  const { query, corrected, mentions, justAbove, maxKsh, related, left, pages } = view
  return (
    <>
      {mentions && (
        <MoreCards
          heading={`Other mentions of “${corrected ?? query}” (${mentions.length})`}
          products={mentions}
          view={view}
        />
      )}
      {justAbove && (
        <MoreCards heading={`Just above ${formatLimit(maxKsh)} with VAT`} products={justAbove} view={view} />
      )}
      {related && <RelatedProducts products={related} left={left} />}
      {pages > 1 && <Pages view={view} />}
    </>
  )
}

type MoreCardsProps = { heading: string; products: readonly ProductCard[]; view: ShopView }

function MoreCards({ heading, products, view }: MoreCardsProps) {
  return (
    <section className="related">
      <h2 className="related__head spread heading-s">{heading}</h2>
      <ProductGrid view={{ ...view, products }} isBelowOthers />
    </section>
  )
}

function Pages({ view }: { view: ShopView }) {
  const { from, page, pages } = view
  return (
    <nav className="shop__pages" aria-label="Pages of products">
      {from > 1 && (
        <a className="button button--quiet" href={`${shopHref(view, from - 1)}#${PRODUCT_COUNT_ID}`}>
          Previous products
        </a>
      )}
      {page < pages && (
        <a
          className="button button--quiet"
          rel="next"
          href={`${shopHref(view, page + 1)}#${PRODUCT_COUNT_ID}`}
        >
          More products
        </a>
      )}
    </nav>
  )
}

const WITHOUT_FILTER: Readonly<Record<FilterGroup, string>> = {
  audience: 'For everyone',
  size: 'In any size',
  price: 'At any price',
  stock: 'Including sold out',
}

export function NoProducts({ view }: { view: ShopView }) {
  const { category, query, suggestions = [], removableFilters, help } = view
  const [title, advice] = getEmptyTexts(view)
  return (
    <div className="notice notice--lost">
      <h2>{title}</h2>
      <p>{advice}</p>
      {help && (
        <a className="button" href={help.url}>
          {help.label}
        </a>
      )}
      {removableFilters && removableFilters.length > 0 && (
        <ul className="shop__chips">
          {removableFilters.map(({ group, count }) => (
            <li key={group}>
              <a className="chip" href={shopHref(withoutFilterGroup(view, group))}>
                {`${WITHOUT_FILTER[group]}: ${count} ${count === 1 ? 'product' : 'products'}`}
              </a>
            </li>
          ))}
        </ul>
      )}
      {removableFilters && (
        <a className="button" href={shopHref(withoutFilters(view))}>
          Clear filters
        </a>
      )}
      {suggestions.length > 0 && (
        <ul className="shop__chips">
          {suggestions.map((words) => (
            <li key={words}>
              <a className="chip" href={shopHref({ query: words })}>
                {words}
              </a>
            </li>
          ))}
        </ul>
      )}
      {help?.url !== shopHref({}) &&
        !(removableFilters && shopHref(withoutFilters(view)) === shopHref({})) && (
          <NextSteps category={category} query={query} view={view} />
        )}
    </div>
  )
}

function NextSteps({ category, query, view }: { category: Category; query: string; view: ShopView }) {
  const isInCategory = query !== '' && category !== 'All'
  return (
    <>
      <a
        className={view.help ? 'button button--quiet' : 'button'}
        href={shopHref(isInCategory ? { ...view, category: 'All' } : {})}
      >
        {isInCategory ? 'Search all products' : 'See all products'}
      </a>
      {isInCategory && (
        <a className="chip" href={shopHref({ ...view, query: '' })}>
          {`Back to ${category}`}
        </a>
      )}
    </>
  )
}

function getEmptyTexts({ query, removableFilters, help }: ShopView): [title: string, advice: string] {
  if (removableFilters) {
    const action = removableFilters.length > 0 ? 'Remove a filter' : 'Clear the filters'
    return ['No products found', `${action} to see more.`]
  }
  if (help) return [help.title ?? 'This may help', help.text]
  if (query)
    return ['No products found', 'Try other or fewer words, check the spelling, or choose a category above.']
  return [
    'No products in this category yet',
    'New products are on their way. Until then, take a look at the rest of the collection.',
  ]
}
