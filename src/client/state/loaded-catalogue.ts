import { listShort } from '#shared/contract/stock.ts'
import type { Catalogue } from '#shared/rules/catalogue.ts'
import { catalogueIn } from '#shared/rules/catalogue-schema.ts'
import { withStock } from '#shared/rules/catalogue-stock.ts'
import { dashboardView, productView } from '#shared/rules/catalogue-views.ts'
import { itemById } from '#shared/rules/items.ts'
import { shopView } from '#shared/rules/shop-view.ts'
import { callApi } from '../api.ts'

const views = { dashboardView, itemById, productView, shopView }

/** The catalogue and the code that makes pages' data from it: on a first load the server has done that. */
export type LoadedCatalogue = { catalogue: Catalogue } & typeof views

/** How long the shop is given to say what is sold out, and how old its answer gets before it is asked again; milliseconds. */
const STOCK_TIMEOUT_MS = 1000
const STOCK_MAX_AGE_MS = 60_000

/**
 * Parses the content of `Items.json`; rejects when it is malformed. What is left of the products comes from the shop's
 * API, in time or later: a product of which nothing is known counts as there.
 */
export async function parseCatalogue(...file: Parameters<typeof catalogueIn>): Promise<LoadedCatalogue> {
  const parsed = catalogueIn(...file)
  let known = ''
  let catalogue = parsed
  let askedAtMs = 0

  async function refresh() {
    askedAtMs = Date.now()
    const result = await callApi(listShort)
    const answer = result.ok ? JSON.stringify(result.data) : known
    if (!result.ok || answer === known) return
    known = answer
    catalogue = withStock(parsed, Object.fromEntries(result.data.left.map(({ id, left }) => [id, left])))
  }

  await Promise.race([refresh(), new Promise((resolve) => setTimeout(resolve, STOCK_TIMEOUT_MS))])
  return {
    get catalogue() {
      if (Date.now() > askedAtMs + STOCK_MAX_AGE_MS) void refresh()
      return catalogue
    },
    ...views,
  }
}
