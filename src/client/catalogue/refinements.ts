import { createIdleSection } from '#client/ui/idle-section.tsx'

const loadSections = () => import('./shop-refinements.tsx')
const filters = createIdleSection(async () => (await loadSections()).Filters)
const refinements = createIdleSection(async () => (await loadSections()).Refinements)
const moreProducts = createIdleSection(async () => (await loadSections()).MoreProducts)
const noProducts = createIdleSection(async () => (await loadSections()).NoProducts)

export const Filters = filters.Section
export const Refinements = refinements.Section
export const MoreProducts = moreProducts.Section
export const NoProducts = noProducts.Section

export function fetchRefinements(): Promise<unknown> {
  return Promise.all(
    [filters, refinements, moreProducts, noProducts].map(({ fetchSection }) => fetchSection()),
  )
}

export function fetchSearch() {
  return import('#shared/catalogue/shop-search.ts')
}
