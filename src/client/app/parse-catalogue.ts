import { type Cart, type CartProduct, itemToCartProduct, updateLineProduct } from '#shared/cart/cart.ts'
import type { Catalogue, UnitsLeft } from '#shared/catalogue/catalogue.ts'
import { parseCatalogueEntries } from '#shared/catalogue/catalogue-schema.ts'
import { withStock } from '#shared/catalogue/catalogue-stock.ts'
import { createDashboardView, createProductView } from '#shared/catalogue/catalogue-views.ts'
import { findItem, getDefaultItem } from '#shared/catalogue/items.ts'
import { createShopView } from '#shared/catalogue/shop-view.ts'
import { listLowStockCall } from '#shared/stock/contract.ts'
import { callApi } from './api.ts'
import { delay } from './wait.ts'

const views = {
  dashboardView: createDashboardView,
  findItem,
  productView: createProductView,
  shopView: createShopView,
}

export type LoadedCatalogue = Awaited<ReturnType<typeof parseCatalogue>>

const STOCK_TIMEOUT_MS = 1000
const STOCK_MAX_AGE_MS = 60_000

/**
 * Waits at most `STOCK_TIMEOUT_MS` for the stock; products with unknown stock count as in stock. Rejects if the file is
 * malformed.
 */
export async function parseCatalogue(file: unknown) {
  const parsed = parseCatalogueEntries(file)
  let lastStock = ''
  let catalogue: Catalogue = parsed
  let requestedAtMs = 0

  async function refresh() {
    requestedAtMs = Date.now()
    const result = await callApi(listLowStockCall)
    const stockJson = result.ok ? JSON.stringify(result.data) : lastStock
    if (!result.ok || stockJson === lastStock) return
    lastStock = stockJson
    catalogue = withStock(parsed, Object.fromEntries(result.data.left.map(({ id, left }) => [id, left])))
  }

  await Promise.race([refresh(), delay(STOCK_TIMEOUT_MS)])
  return {
    get catalogue(): Catalogue {
      if (Date.now() > requestedAtMs + STOCK_MAX_AGE_MS) void refresh()
      return catalogue
    },
    ...views,

    /** Returns the item that a product card's button adds to the cart. */
    findCardItem(id: number, label: string | undefined, left: UnitsLeft): CartProduct | undefined {
      const product = findItem(catalogue, id)?.product
      if (!product) return undefined
      const { item, isSizeAssumed } = getDefaultItem(product, label, { ...left, ...product.left })
      return { ...itemToCartProduct(item), ...(isSizeAssumed && { isSizeAssumed }) }
    },

    completeLine(cart: Cart, id: number): Cart {
      const item = findItem(catalogue, id)
      return item ? updateLineProduct(cart, itemToCartProduct(item)) : cart
    },

    /** Lines added before the catalogue loaded lack a size and the full description. A sale may also have changed. */
    completeLines(cart: Cart): Cart {
      const completed = cart.map((line) => {
        const item = findItem(catalogue, line.id)
        if (!item) return line
        const { description, compareAtPrice } = itemToCartProduct(item)
        const isCut = description !== line.description && description.startsWith(line.description)
        const size = line.size === undefined ? item.size : undefined
        const hasOldSale = item.price === line.price && compareAtPrice !== line.compareAtPrice
        if (!isCut && !size && !hasOldSale) return line
        const { isSizeAssumed } = getDefaultItem(item.product, undefined)
        const { compareAtPrice: lineCompareAtPrice, ...rest } = line
        const regular = hasOldSale ? compareAtPrice : lineCompareAtPrice
        return {
          ...rest,
          ...(regular && { compareAtPrice: regular }),
          ...(isCut && { description }),
          ...(size && { size }),
          ...(size && isSizeAssumed && { isSizeAssumed }),
        }
      })
      return completed.every((line, index) => line === cart[index]) ? cart : completed
    },
  }
}
