import { useStore } from 'jotai'
import { type FormEvent, type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { isRouterSupported, navigate } from '#client/app/router/page.ts'
import { MAIN_ID } from '#client/app/router/scroll-and-focus.ts'
import { onPageRestored, runAfterPaint } from '#client/app/wait.ts'
import { countFilters } from '#shared/catalogue/applied-filters.ts'
import {
  FILTERS_ID,
  filtersHref,
  MAX_QUERY_CHARACTERS,
  PRODUCT_COUNT_ID,
  parseQueryText,
  parseShopQuery,
  parseSort,
  type ShopFilter,
  type ShopQuery,
  SORT_LABELS,
  shopHref,
  toShopParameters,
} from '#shared/catalogue/shop-filter.ts'
import { href, SEARCH_FIELD_ID } from '#shared/routes.ts'
import { enteredFilterAtom, listCategories } from './categories.ts'
import { fetchRefinements, fetchSearch } from './refinements.ts'

const DEBOUNCE_MS = 250
const FORM_ID = 'search'

/** With the router, results update while typing, without a history entry per letter. */
export function ShopControls({ choice, children }: { choice: ShopQuery; children: ReactNode }) {
  const { query, sort, isFilterOpen } = choice
  const store = useStore()
  const fieldRef = useRef<HTMLInputElement>(null)
  const sortSelectRef = useRef<HTMLSelectElement>(null)
  const timerRef = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The values that this form last navigated to. Other values in the URL come from history or a link. */
  const requestedRef = useRef<Pick<ShopFilter, 'query' | 'sort'>>({ query, sort })

  function applySearch() {
    clearTimeout(timerRef.current)
    // The URL is more recent than `choice` while another page or category is loading.
    if (!fieldRef.current || !sortSelectRef.current || location.pathname !== href('shop')) return
    const current = parseShopQuery(new URLSearchParams(location.search), listCategories())
    const next = {
      ...(store.get(enteredFilterAtom) ?? current),
      category: current.category,
      query: parseQueryText(fieldRef.current.value),
      sort: parseSort(sortSelectRef.current.value),
    }
    if (next.query === current.query && next.sort === current.sort) return
    requestedRef.current = next
    // The unsearched list and each sort order get a history entry of their own.
    navigate(shopHref(next), { replace: current.query !== '' && next.sort === current.sort })
    // A new sort order starts at the first product.
    const status = document.getElementById(PRODUCT_COUNT_ID)
    if (status && status.getBoundingClientRect().top < 0) status.scrollIntoView()
  }

  function scheduleSearch() {
    clearTimeout(timerRef.current)
    if (isRouterSupported()) timerRef.current = setTimeout(applySearch, DEBOUNCE_MS)
  }

  function submit(event: FormEvent) {
    if (!isRouterSupported()) return
    event.preventDefault()
    applySearch()
    document.getElementById(PRODUCT_COUNT_ID)?.focus()
  }

  function changeSort() {
    clearTimeout(timerRef.current)
    if (isRouterSupported()) runAfterPaint(applySearch)
    else sortSelectRef.current?.form?.requestSubmit()
  }

  useEffect(() => {
    const { current: input } = fieldRef
    const { current: select } = sortSelectRef
    if (!input || !select) return
    if (query !== requestedRef.current.query) input.value = query
    if (sort !== requestedRef.current.sort) select.value = sort
    requestedRef.current = { query, sort }
    // When the back/forward cache restores a page, the fields still contain what the shopper entered before leaving.
    return onPageRestored(() => {
      input.value = query
      select.value = sort
    })
  }, [query, sort])

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on hydration
  useEffect(() => {
    scheduleSearch()
    if (!isRouterSupported() && sortSelectRef.current?.value !== sort) changeSort()
    return () => clearTimeout(timerRef.current)
  }, [])

  const hiddenFields = Object.entries(toShopParameters({ ...choice, query: '', sort: '' }))
  const filterCount = countFilters(choice)
  const filtersLabel = `Filters${filterCount > 0 ? ` (${filterCount})` : ''}`
  return (
    <>
      <div className="shop__head spread">
        <h1>Shop our collection</h1>
        <search>
          {/* Without autocomplete="off", Back would restore the query and search for it again. */}
          <form id={FORM_ID} className="search" action={href('shop')} autoComplete="off" onSubmit={submit}>
            {hiddenFields.map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            <input
              ref={fieldRef}
              id={SEARCH_FIELD_ID}
              type="search"
              name="q"
              // With `''`, React would set `value` during hydration, which forces a style recalculation.
              defaultValue={query || undefined}
              placeholder="Search"
              aria-label="Search the shop"
              maxLength={MAX_QUERY_CHARACTERS}
              enterKeyHint="search"
              onFocus={prefetch}
              onInput={scheduleSearch}
            />
            <button type="submit" className="icon-button magnifier" aria-label="Search" />
          </form>
        </search>
      </div>
      {children}
      <div className="shop__bar spread">
        <a
          className={filterCount > 0 && !isFilterOpen ? 'chip chip--applied' : 'chip'}
          href={isFilterOpen ? shopHref(choice) : `${filtersHref(choice)}#${FILTERS_ID}`}
          onClick={isFilterOpen ? closeFilters : undefined}
        >
          {isFilterOpen ? 'Close filters' : filtersLabel}
        </a>
        <label>
          Sort by
          <select ref={sortSelectRef} form={FORM_ID} name="sort" defaultValue={sort} onChange={changeSort}>
            {Object.entries(SORT_LABELS).map(([value, label]) => (
              <option key={value} value={value}>
                {!value && query ? 'Best match' : label}
              </option>
            ))}
          </select>
        </label>
        <a className="chip" href={`#${MAIN_ID}`}>
          ↑<span>Top</span>
        </a>
      </div>
    </>
  )
}

function prefetch(): void {
  Promise.all([loadCatalogue(), fetchSearch(), fetchRefinements()]).catch(() => {})
}

/** Goes back to where the filters were opened, so that the list stays where it was. */
function closeFilters(event: MouseEvent<HTMLAnchorElement>): void {
  const { href } = event.currentTarget
  const { navigation } = window
  const opener = navigation?.entries()[(navigation.currentEntry?.index ?? 0) - 1]
  if (event.ctrlKey || event.metaKey || event.shiftKey || opener?.url !== href) return
  event.preventDefault()
  history.back()
}
