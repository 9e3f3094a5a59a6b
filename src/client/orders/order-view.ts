import { atom } from 'jotai'
import { callApi } from '#client/app/api.ts'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { ORDER_KEY_PARAM } from '#shared/orders/order-link.ts'
import type { PreviousOrderLine, ReorderResult } from '#shared/orders/reorder.ts'

/** The parts of an order page's URL. `key` is the signature of an emailed link, or null without one. */
export type OrderRef = { number: string; key: string | null }

/**
 * Fetches an order's page data. Resolves to null if the visitor may not see the order, and to undefined if the
 * request failed.
 */
export async function fetchOrderView({ number, key }: OrderRef): Promise<OrderView | null | undefined> {
  const result = await callApi(async () => {
    const { getOrderCall } = await import('#shared/orders/contract.ts')
    const path = getOrderCall.path.replace(':number', encodeURIComponent(number))
    return {
      ...getOrderCall,
      path: key ? `${path}?${new URLSearchParams({ [ORDER_KEY_PARAM]: key })}` : path,
    }
  })
  if (result.ok) return result.data
  return result.status === 404 ? null : undefined
}

/**
 * Adds the order's lines to the cart. Resolves to sentences about what was added and what has changed, or to
 * undefined if the catalogue could not be loaded.
 */
export const orderAgainAtom = atom(
  null,
  async (_get, set, lines: readonly PreviousOrderLine[]): Promise<ReorderResult | undefined> => {
    try {
      const [{ reorder }, { catalogue }] = await Promise.all([
        import('#shared/orders/reorder.ts'),
        loadCatalogue(),
      ])
      let outcome: ReorderResult | undefined
      await set(cartAtom, (cart) => {
        const added = reorder(cart, lines, catalogue)
        outcome = added.outcome
        return added.cart
      })
      return outcome
    } catch {
      return undefined
    }
  },
)
