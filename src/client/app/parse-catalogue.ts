import { type Cart, type CartProduct, cartProductOf, completeLine } from '#shared/cart/cart.ts'
import type { Catalogue, UnitsLeft } from '#shared/catalogue/catalogue.ts'
import { catalogueIn } from '#shared/catalogue/catalogue-schema.ts'
import { withStock } from '#shared/catalogue/catalogue-stock.ts'
import { dashboardView, productView } from '#shared/catalogue/catalogue-views.ts'
import { defaultItem, itemById } from '#shared/catalogue/items.ts'
import { shopView } from '#shared/catalogue/shop-view.ts'
import { listLowStock } from '#shared/stock/contract.ts'
import { callApi } from './api.ts'
import { delay } from './wait.ts'

const views = { dashboardView, itemById, productView, shopView }

/** The catalogue and the code that makes pages' data and cart lines from it: on a first load the server has done that. */
export type LoadedCatalogue = Awaited<ReturnType<typeof parseCatalogue>>

/** How long the shop is given to say what is sold out, and how old its answer gets before it is asked again; milliseconds. */
const STOCK_TIMEOUT_MS = 1000
const STOCK_MAX_AGE_MS = 60_000

/**
 * Parses the content of `Items.json`; rejects when it is malformed. What is left of the products comes from the shop's
 * API, in time or later: a product of which nothing is known counts as there.
 */
export async function parseCatalogue(file: unknown) {
  const parsed = catalogueIn(file)
  let known = ''
  let catalogue: Catalogue = parsed
  let askedAtMs = 0

  async function refresh() {
    askedAtMs = Date.now()
    const result = await callApi(listLowStock)
    const answer = result.ok ? JSON.stringify(result.data) : known
    if (!result.ok || answer === known) return
    known = answer
    catalogue = withStock(parsed, Object.fromEntries(result.data.left.map(({ id, left }) => [id, left])))
  }

  await Promise.race([refresh(), delay(STOCK_TIMEOUT_MS)])
  return {
    get catalogue(): Catalogue {
      if (Date.now() > askedAtMs + STOCK_MAX_AGE_MS) void refresh()
      return catalogue
    },
    ...views,

    /** What the card of a product adds to the cart; undefined for an unknown product. */
    itemOfCard(id: number, label: string | undefined, left: UnitsLeft): CartProduct | undefined {
      const product = itemById(catalogue, id)?.product
      if (!product) return undefined
      const { item, isSizeAssumed } = defaultItem(product, label, { ...left, ...product.left })
      return { ...cartProductOf(item), ...(isSizeAssumed && { isSizeAssumed }) }
    },

    /** The cart with all fields of an item's line; as it is for an unknown item. */
    completeLine(cart: Cart, id: number): Cart {
      const item = itemById(catalogue, id)
      return item ? completeLine(cart, cartProductOf(item)) : cart
    },

    /**
     * The cart with what lines lack that were added before the catalogue had loaded, or before there were sizes: their size,
     * and the end of a description that a card had cut.
     */
    withMissingParts(cart: Cart): Cart {
      const completed = cart.map((line) => {
        const item = itemById(catalogue, line.id)
        if (!item) return line
        const { description } = cartProductOf(item)
        const isCut = description !== line.description && description.startsWith(line.description)
        const size = line.size === undefined ? item.size : undefined
        if (!isCut && !size) return line
        const { isSizeAssumed } = defaultItem(item.product, undefined)
        return {
          ...line,
          ...(isCut && { description }),
          ...(size && { size }),
          ...(size && isSizeAssumed && { isSizeAssumed }),
        }
      })
      return completed.every((line, index) => line === cart[index]) ? cart : completed
    },
  }
}
