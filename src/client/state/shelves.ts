import type { Catalogue } from '#shared/rules/catalogue.ts'
import { catalogueIn } from '#shared/rules/catalogue-schema.ts'
import { dashboardView, productView } from '#shared/rules/catalogue-views.ts'
import { shopView } from '#shared/rules/shop-view.ts'

/** The catalogue, and all that is made of it. A first load, which comes with its view made, does without this code. */
export type Shelves = { catalogue: Catalogue } & typeof views

const views = { dashboardView, productView, shopView }

/** Fills the shelves from the content of `Items.json`; throws when it is malformed. */
export function fillShelves(...file: Parameters<typeof catalogueIn>): Shelves {
  return { catalogue: catalogueIn(...file), ...views }
}
