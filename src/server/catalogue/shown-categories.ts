import { CATEGORIES, type Catalogue, type Category } from '#shared/catalogue/catalogue.ts'
import { withoutEmptyCategories } from '#shared/catalogue/categories.ts'

type CategorySources = {
  catalogue: { current(): Catalogue | undefined }
  content: { current(): { categories: readonly Category[] } }
}

export function listShownCategories({ catalogue, content }: CategorySources): readonly Category[] {
  const { categories } = content.current()
  return categories === CATEGORIES ? CATEGORIES : withoutEmptyCategories(categories, catalogue.current())
}
