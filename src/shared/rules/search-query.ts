/** The orders a shopper may choose, by their value in the address; the empty one is the catalogue's own. */
export const SORTS = { '': 'Our order', 'price-asc': 'Lowest price', 'price-desc': 'Highest price' } as const
export type Sort = keyof typeof SORTS

/** Longer queries are cut here, in characters. */
export const MAX_QUERY_CHARACTERS = 60

/** A query as it counts: one space between words, none around them, cut where it is too long. */
export function queryFrom(text: string | null | undefined): string {
  const characters = [...(text ?? '').replace(/\s+/g, ' ').trim()]
  return characters.slice(0, MAX_QUERY_CHARACTERS).join('').trim()
}

/** The order an address names; an unknown or missing one is the catalogue's own. */
export function sortFrom(value: string | null | undefined): Sort {
  return value && Object.hasOwn(SORTS, value) ? (value as Sort) : ''
}
