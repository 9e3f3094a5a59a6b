import { type FormEvent, useEffect, useRef } from 'react'
import { navigate } from '#client/app/router/page.ts'
import { afterPaint, onPageRestored } from '#client/app/wait.ts'
import {
  MAX_QUERY_CHARACTERS,
  queryFrom,
  type ShopFilter,
  SORTS,
  shopChoiceFrom,
  shopHref,
  sortFrom,
} from '#shared/catalogue/shop-filter.ts'
import { href } from '#shared/routes.ts'
import { COUNT_ID } from './product-grid.tsx'

/** How long after the last key the search runs. */
const DEBOUNCE_MS = 250

/**
 * Search and order, in the address like the category. The form works without scripts; where pages change without loading
 * documents, the results and the address follow the typing, without a history entry for each letter.
 */
export function SearchForm({ chosen }: { chosen: ShopFilter }) {
  const { category, query, sort } = chosen
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
      category: now.category,
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

  return (
    <search>
      {/* A field that the browser filled in as it was left would be searched for: nobody could go back. */}
      <form className="search" action={href('shop')} autoComplete="off" onSubmit={submit}>
        {category !== 'All' && <input type="hidden" name="category" value={category} />}
        <div className="search__words">
          <input
            ref={field}
            type="search"
            name="q"
            defaultValue={query}
            placeholder="Search"
            aria-label="Search the shop"
            maxLength={MAX_QUERY_CHARACTERS}
            autoComplete="off"
            enterKeyHint="search"
            onInput={type}
          />
          <button type="submit" className="icon-button" aria-label="Search">
            <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
              <path d="M4 10.5a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0M15.5 15.5 21 21" />
            </svg>
          </button>
        </div>
        <select
          ref={order}
          name="sort"
          defaultValue={sort}
          aria-label="Order"
          autoComplete="off"
          onChange={reorder}
        >
          {Object.entries(SORTS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </form>
    </search>
  )
}

/** Whether the router shows results in the page. A document that loads instead takes the focus from the field. */
function canFollow(): boolean {
  return 'NavigateEvent' in window
}
