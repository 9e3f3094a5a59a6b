import { parseRedirects, type Redirects } from '#shared/catalogue/redirects.ts'
import type { Draft, DraftChange, DraftProduct } from './draft.ts'

const CONTENT_NAME = 'redirects'

export function parseDraftRedirects({ content }: Pick<Draft, 'content'>): Redirects {
  const value = content.find(({ name }) => name === CONTENT_NAME)?.value
  return parseRedirects(value === undefined ? undefined : JSON.parse(value))
}

/** Redirects the URLs of the product and its sizes to the product `to`, or removes their redirects if `to` is null. */
export function createRedirectChange(
  draft: Draft,
  { id, sizes }: DraftProduct,
  to: number | null,
): Pick<DraftChange, 'content'> {
  const before = parseDraftRedirects(draft)
  const ids = [...new Set([id, ...sizes.map((size) => size.id)])]
  if (ids.every((item) => (before.get(item) ?? null) === to)) return {}
  const after = new Map(before)
  for (const item of ids) {
    if (to === null) after.delete(item)
    else after.set(item, to)
  }
  const value = after.size > 0 ? JSON.stringify(Object.fromEntries(after)) : null
  return { content: [{ name: CONTENT_NAME, value }] }
}
