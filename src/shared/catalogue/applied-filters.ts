// Separate from shop-filter.ts, because product pages load this file too, together with the catalogue.
import type { ShopFilter } from './shop-filter.ts'

export function countFilters({ audience, size, minKsh, maxKsh, inStock }: ShopFilter): number {
  return [audience, size, minKsh, maxKsh, inStock].filter(Boolean).length
}

export function isFiltered(filter: ShopFilter): boolean {
  return filter.query !== '' || countFilters(filter) > 0
}

/** Categories, audiences and sort orders have few values, so lists that depend on nothing else are cached. */
export function isCacheable({ audience: _, ...filter }: ShopFilter): boolean {
  return !isFiltered(filter)
}

/** `2–3 years` becomes `2-3-years`. */
export function toSizeSlug(size: string): string {
  return size
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
