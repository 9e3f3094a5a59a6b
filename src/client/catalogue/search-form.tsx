import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { canFollow, navigate } from '#client/app/router/page.ts'
import { afterPaint, onPageRestored } from '#client/app/wait.ts'
import {
  COUNT_ID,
  FILTERS_ID,
  filtersHref,
  MAX_QUERY_CHARACTERS,
  queryFrom,
  type ShopChoice,
  type ShopFilter,
  SORTS,
  shopChoiceFrom,
  shopHref,
  shopParameters,
  sortFrom,
} from '#shared/catalogue/shop-filter.ts'
import { href } from '#shared/routes.ts'
import { fetchRefinements, fetchSearch } from './refinements.ts'

/** How long after the last key the search runs. */
const DEBOUNCE_MS = 250
const FORM_ID = 'search'

/**
 * Search, sort order and the link to the filters, above and below the categories. All are in the address and work without
 * scripts. Where pages change without loading documents, the results and the address follow the typing, without a history
 * entry for each letter.
 */
export function ShopControls({ chosen, children }: { chosen: ShopChoice; children: ReactNode }) {
  const { query, sort, isFiltering } = chosen
  const field = useRef<HTMLInputElement>(null)
  const order = useRef<HTMLSelectElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** What this form navigated to last: a different query or order came by back, forward or a link. */
  const requested = useRef<Pick<ShopFilter, 'query' | 'sort'>>({ query, sort })

  function show() {
    clearTimeout(timer.current)
    // The address, not the screen: another page or category may be loading already.
    if (!field.current || !order.current || location.pathname !== href('shop')) return
    const now = shopChoiceFrom(new URLSearchParams(location.search))
    const wanted = {
      ...now,
      query: queryFrom(field.current.value),
      sort: sortFrom(order.current.value),
    }
    if (wanted.query === now.query && wanted.sort === now.sort) return
    requested.current = wanted
    // The list before its first letter and each order have an entry of their own, to go back to.
    navigate(shopHref(wanted), { replace: now.query !== '' && wanted.sort === now.sort })
  }

  function type() {
    clearTimeout(timer.current)
    if (canFollow()) timer.current = setTimeout(show, DEBOUNCE_MS)
  }

  function submit(event: FormEvent) {
    if (!canFollow()) return
    event.preventDefault()
    show()
    // The results get the focus, which closes a phone's keyboard.
    document.getElementById(COUNT_ID)?.focus()
  }

  function reorder() {
    // What was typed goes along, in an entry of the order's own.
    clearTimeout(timer.current)
    if (canFollow()) afterPaint(show)
    else order.current?.form?.requestSubmit()
  }

  useEffect(() => {
    const { current: input } = field
    const { current: select } = order
    if (!input || !select) return
    if (query !== requested.current.query) input.value = query
    if (sort !== requested.current.sort) select.value = sort
    requested.current = { query, sort }
    // It may have been left for a document with what was searched for.
    return onPageRestored(() => {
      input.value = query
      select.value = sort
    })
  }, [query, sort])

  // Once, on hydration: something may have been typed or chosen before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: not again for each render
  useEffect(() => {
    type()
    if (!canFollow() && order.current?.value !== sort) reorder()
    return () => clearTimeout(timer.current)
  }, [])

  const fixed = Object.entries(shopParameters(chosen)).filter(([name]) => name !== 'q' && name !== 'sort')
  return (
    <>
      <div className="shop__head">
        <h1>Shop our collection</h1>
        <search>
          {/* A field that the browser filled in as it was left would be searched for: nobody could go back. */}
          <form id={FORM_ID} className="search" action={href('shop')} autoComplete="off" onSubmit={submit}>
            {fixed.map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            <input
              ref={field}
              type="search"
              name="q"
              defaultValue={query}
              placeholder="Search"
              aria-label="Search the shop"
              maxLength={MAX_QUERY_CHARACTERS}
              enterKeyHint="search"
              onFocus={prefetch}
              onInput={type}
            />
            <button type="submit" className="icon-button" aria-label="Search" />
          </form>
        </search>
      </div>
      {children}
      <div className="shop__bar">
        <a className="chip" href={isFiltering ? shopHref(chosen) : `${filtersHref(chosen)}#${FILTERS_ID}`}>
          {isFiltering ? 'Close filters' : filtersLabel(chosen)}
        </a>
        <label>
          Sort by
          <select ref={order} form={FORM_ID} name="sort" defaultValue={sort} onChange={reorder}>
            {Object.entries(SORTS).map(([value, label]) => (
              <option key={value} value={value}>
                {value === '' && query ? 'Best match' : label}
              </option>
            ))}
          </select>
        </label>
        <a className="chip" href={`#${COUNT_ID}`}>
          ↑ Top
        </a>
      </div>
    </>
  )
}

function filtersLabel({ size, minKsh, maxKsh, inStock }: ShopFilter): string {
  const { length: count } = [size, minKsh, maxKsh, inStock].filter(Boolean)
  return count > 0 ? `Filters (${count})` : 'Filters'
}

/** Ahead, so that results follow the typing. */
function prefetch(): void {
  Promise.all([loadCatalogue(), fetchSearch(), fetchRefinements()]).catch(() => {})
}
