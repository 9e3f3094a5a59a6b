import { createIdleSection } from '#client/ui/idle-section.tsx'

const loadSections = () => import('./shop-refinements.tsx')
const filters = createIdleSection(async () => (await loadSections()).Filters)
const refinements = createIdleSection(async () => (await loadSections()).Refinements)
const noProducts = createIdleSection(async () => (await loadSections()).NoProducts)

export const Filters = filters.Section
export const Refinements = refinements.Section
export const NoProducts = noProducts.Section
export const { Section: RelatedProducts } = createIdleSection(
  async () => (await import('./related-products.tsx')).RelatedProducts,
)

export function fetchRefinements(): Promise<unknown> {
  return Promise.all([filters.fetchSection(), refinements.fetchSection(), noProducts.fetchSection()])
}

export function fetchSearch() {
  return import('#shared/catalogue/shop-search.ts')
}
