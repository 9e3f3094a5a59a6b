import type { OrderView } from '#shared/contract/orders.ts'
import { notFoundPage } from '#shared/routes.ts'
import type { PageLocation } from '../../router/page.ts'
import { fetchOrderView } from '../../state/order-page.ts'
import { addressOf, OrderPage } from './order.tsx'

export { OrderPage as Page }

/** The order as it is now. Rejects when it cannot be asked for. */
export async function load(location: PageLocation): Promise<OrderView | null> {
  const view = await fetchOrderView(addressOf(location))
  if (view === undefined) throw new TypeError('The order cannot be read.')
  return view
}

export function title(view: OrderView | null): string {
  return view ? `Order ${view.order.number}` : notFoundPage.title
}
