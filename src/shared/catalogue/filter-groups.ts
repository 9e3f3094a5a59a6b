// Separate from shop-filter.ts, because the Shop loads this file only for an empty list.
import type { ProductFilters, ShopFilter } from './shop-filter.ts'

const FILTER_GROUPS = {
  audience: ['audience'],
  size: ['size'],
  price: ['minKsh', 'maxKsh'],
  stock: ['inStock'],
} as const satisfies Record<string, readonly (keyof ProductFilters)[]>
export type FilterGroup = keyof typeof FILTER_GROUPS

export function listFilterGroups(filter: ShopFilter): FilterGroup[] {
  return (Object.keys(FILTER_GROUPS) as FilterGroup[]).filter((group) =>
    FILTER_GROUPS[group].some((field) => filter[field] !== undefined),
  )
}

export function withoutFilterGroup(filter: ShopFilter, group: FilterGroup): ShopFilter {
  return { ...filter, ...Object.fromEntries(FILTER_GROUPS[group].map((field) => [field, undefined])) }
}
