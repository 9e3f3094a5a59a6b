import { CATEGORIES, type Catalogue, type Category } from './catalogue.ts'
import { listProductsInCategory } from './catalogue-views.ts'

export const MAX_CATEGORY_CHARACTERS = 30

export function parseStoredCategories(stored: unknown): readonly Category[] {
  if (!Array.isArray(stored) || !stored.every(isCategoryName)) return CATEGORIES
  const [all, ...defaults] = CATEGORIES
  return [...new Set<string>([all, ...stored, ...defaults])]
}

export function isCategoryName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name.trim() !== '' &&
    name.length <= MAX_CATEGORY_CHARACTERS &&
    !/\p{Cc}|\p{Surrogate}/u.test(name)
  )
}

export function isCustomCategory(category: string): boolean {
  return !CATEGORIES.some((name) => name === category)
}

/** The categories in the specification stay, even without products. */
export function withoutEmptyCategories(
  categories: readonly Category[],
  catalogue: Catalogue | undefined,
): readonly Category[] {
  const visible = categories.filter(
    (category) =>
      !isCustomCategory(category) || !catalogue || listProductsInCategory(catalogue, category).length > 0,
  )
  return visible.join() === CATEGORIES.join() ? CATEGORIES : visible
}
