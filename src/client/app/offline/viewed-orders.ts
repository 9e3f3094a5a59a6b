import type { createStore } from 'jotai'
import { userAtom } from '#client/app/session.ts'
import type { ViewedOrder } from '#shared/orders/contract.ts'

const STORAGE_KEY = 'orders'
const MAX_ORDERS = 10

/** Resolves to the orders that this account's shopper has opened on this device, newest first. */
async function readViewedOrders(account: string): Promise<readonly ViewedOrder[]> {
  const { viewedOrdersSchema } = await import('#shared/orders/contract.ts')
  try {
    const stored = viewedOrdersSchema.parse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? ''))
    return stored.account === account ? stored.orders : []
  } catch {
    return []
  }
}

export async function readViewedOrder(number: string, account: string): Promise<ViewedOrder | undefined> {
  const orders = await readViewedOrders(account)
  return orders.find(({ view }) => view.order.number === number)
}

/** Keeps the order for reading it offline, without anything that requires a connection. */
export async function storeViewedOrder({ view, savedAtMs }: ViewedOrder, account: string): Promise<void> {
  const { order, payment, returns } = view
  const stored: ViewedOrder = {
    savedAtMs,
    view: {
      ...view,
      order: { ...order, key: '' },
      payment: { ...payment, phone: null, redirectTo: null, methods: [], pollInMs: null },
      isCancellable: false,
      returnable: null,
      returns: returns.map((orderReturn) => ({ ...orderReturn, cancellableId: null })),
    },
  }
  const others = (await readViewedOrders(account)).filter((other) => other.view.order.number !== order.number)
  try {
    const orders = [stored, ...others].slice(0, MAX_ORDERS)
    localStorage.setItem(STORAGE_KEY, JSON.stringify({ account, orders }))
  } catch {
    // Without storage, the order needs a connection.
  }
}

/** Removes the orders once their account is no longer signed in. */
export function removeOrdersAfterLogout(store: ReturnType<typeof createStore>): void {
  let account = store.get(userAtom)?.email
  const update = () => {
    const email = store.get(userAtom)?.email
    if (email === undefined || email !== account) removeOrders()
    account = email
  }
  store.sub(userAtom, update)
  update()
}

function removeOrders(): void {
  try {
    localStorage.removeItem(STORAGE_KEY)
  } catch {
    // Without storage, there is nothing to remove.
  }
}
