import { atom } from 'jotai'
import { callApi } from '#client/app/api.ts'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { checkStockAtom, unitsLeftAtom } from '#client/cart/stock.ts'
import { cartAtom } from '#client/cart/stored-cart.ts'
import { reloadIfOutdated } from '#client/checkout/shown-order.ts'
import type { Call } from '#shared/api-call.ts'
import type { OrderView } from '#shared/orders/contract.ts'
import { appendOrderKey, type OrderRef } from '#shared/orders/order-link.ts'
import type { PreviousOrderLine, ReorderResult } from '#shared/orders/reorder.ts'

export function withOrderParams<Definition extends Call>(
  call: Definition,
  { number, key }: OrderRef,
): Definition {
  return { ...call, path: appendOrderKey(call.path.replace(':number', encodeURIComponent(number)), key) }
}

/** Resolves to null if the shopper may not see the order, and to undefined if the request failed. */
export async function fetchOrderView(orderRef: OrderRef): Promise<OrderView | null | undefined> {
  const result = await callApi(async () => {
    const { getOrderCall } = await import('#shared/orders/contract.ts')
    return withOrderParams(getOrderCall, orderRef)
  })
  if (result.ok) return result.data
  reloadIfOutdated(result)
  return result.status === 404 ? null : undefined
}

export const orderAgainAtom = atom(
  null,
  async (get, set, lines: readonly PreviousOrderLine[]): Promise<ReorderResult | undefined> => {
    try {
      const [{ reorder }, { catalogue }] = await Promise.all([
        import('#shared/orders/reorder.ts'),
        loadCatalogue(),
        set(
          checkStockAtom,
          lines.map(({ productId }) => productId),
        ),
      ])
      let outcome: ReorderResult | undefined
      await set(cartAtom, (cart) => {
        const added = reorder(cart, lines, catalogue, get(unitsLeftAtom))
        outcome = added.outcome
        return added.cart
      })
      return outcome
    } catch {
      return undefined
    }
  },
)
