// Separate from shop-filter.ts, because product pages load this file too, together with the catalogue.
import type { ShopFilter } from './shop-filter.ts'

export function countFilters({ audience, size, minKsh, maxKsh, inStock }: ShopFilter): number {
  return [audience, size, minKsh, maxKsh, inStock].filter(Boolean).length
}

/** Ignores the category and audience: they have few values, so their lists and pages are cached. */
export function isFiltered({ audience: _, ...filter }: ShopFilter): boolean {
  return filter.query !== '' || countFilters(filter) > 0
}

/** `2–3 years` becomes `2-3-years`. */
export function toSizeSlug(size: string): string {
  return size
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
