import { atom } from 'jotai'
import { listOrders, type Order } from '#shared/contract/orders.ts'
import { callApi } from '../api.ts'

/** An order that checkout shows as placed. */
export type Placed = {
  order: Order
  /** It was confirmed on this page, a moment ago. */
  isNew: boolean
  /** It came from an earlier try whose answer was lost. */
  isEarlier: boolean
}

/** The order that was placed or read last; undefined before. */
export const placedAtom = atom<Placed | undefined>(undefined)

/** Reads one of the user's orders into {@link placedAtom}. Resolves to why it could not, or to undefined. */
export const loadPlacedAtom = atom(null, async (get, set, number: string) => {
  if (get(placedAtom)?.order.number === number) return undefined
  const result = await callApi(listOrders)
  if (!result.ok) return 'failed'
  const order = result.data.orders.find((candidate) => candidate.number === number)
  if (!order) return 'unknown'
  set(placedAtom, { order, isNew: false, isEarlier: false })
  return undefined
})
