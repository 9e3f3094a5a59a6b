import type { Catalogue } from '#shared/rules/catalogue.ts'
import { catalogueIn } from '#shared/rules/catalogue-schema.ts'
import { dashboardView, productView } from '#shared/rules/catalogue-views.ts'
import { itemById } from '#shared/rules/items.ts'
import { shopView } from '#shared/rules/shop-view.ts'

const views = { dashboardView, itemById, productView, shopView }

/** The catalogue and the code that makes pages' data from it: on a first load the server has done that. */
export type LoadedCatalogue = { catalogue: Catalogue } & typeof views

/** Parses the content of `Items.json`; throws when it is malformed. */
export function parseCatalogue(...file: Parameters<typeof catalogueIn>): LoadedCatalogue {
  return { catalogue: catalogueIn(...file), ...views }
}
