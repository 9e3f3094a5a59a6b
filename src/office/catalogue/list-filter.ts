import type { Context } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import { CATALOGUE_PATH } from '#office/platform/sections.ts'
import type { DraftEntry, DraftProduct } from '#server/catalogue/draft.ts'
import { createItemMatcher } from './item-name.ts'

const FILTER_PARAMETERS = ['q', 'category', 'state', 'page'] as const

export function getFilterQuery(c: Context<OfficeEnv>): string {
  const entries = FILTER_PARAMETERS.flatMap((name) => {
    const value = c.req.query(name)
    return value ? [[name, value]] : []
  })
  return entries.length > 0 ? `?${new URLSearchParams(entries)}` : ''
}

/** `done` names the message that the list shows. */
export function getFilteredListPath(c: Context<OfficeEnv>, done?: string): string {
  const parameters = new URLSearchParams(getFilterQuery(c))
  if (done) parameters.set('done', done)
  return parameters.size > 0 ? `${CATALOGUE_PATH}?${parameters}` : CATALOGUE_PATH
}

export type ProductListFilter = { query: string; category: string; state: string; page: number }

export function parseProductListFilter(c: Context<OfficeEnv>): ProductListFilter {
  const { q = '', category = '', state = '', page = '' } = c.req.query()
  return { query: q.trim().toLowerCase(), category, state, page: Math.max(Math.floor(Number(page)) || 1, 1) }
}

export function filterEntries(entries: readonly DraftEntry[], filter: ProductListFilter): DraftEntry[] {
  const { query, category, state } = filter
  const matches = createItemMatcher(query)
  return entries.filter(
    ({ product, isHidden }) =>
      listDraftItems(product).some(matches) &&
      (!category || product.category === category) &&
      (state === '' || (state === 'hidden') === isHidden),
  )
}

function listDraftItems({ id, title, sizes }: DraftProduct) {
  return sizes.length > 0 ? sizes.map((size) => ({ id: size.id, title, size: size.label })) : [{ id, title }]
}
