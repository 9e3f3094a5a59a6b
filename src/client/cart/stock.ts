import { atom } from 'jotai'
import { callApi } from '#client/app/api.ts'
import type { Cart } from '#shared/cart/cart.ts'
import { atMost } from '#shared/cart/cart-lines.ts'
import { checkStock } from '#shared/stock/contract.ts'
import { cartAtom } from './stored-cart.ts'

type Left = { id: number; left: number }

/** What is left of the cart's items, by id; an item that is missing is made to order, or not known yet. */
export const unitsLeftAtom = atom<ReadonlyMap<number, number>>(new Map<number, number>())

/** What the shop has said is left of some items. */
export const setUnitsLeftAtom = atom(null, (_get, set, left: readonly Left[]) => {
  set(unitsLeftAtom, (known) => new Map([...known, ...left.map(({ id, left }) => [id, left] as const)]))
})

/** Asks what is left of a cart's items. Without an answer, what was known stays. */
export const checkStockAtom = atom(null, async (_get, set, cart: Cart) => {
  const result = await callApi(checkStock, { ids: cart.map(({ id }) => id) })
  if (result.ok) set(setUnitsLeftAtom, result.data.left)
})

/** Cuts the cart's lines down to what is left of their items; with an id, that line alone. */
export const reduceToStockAtom = atom(null, (get, set, id?: number) => {
  const known = [...get(unitsLeftAtom)].filter(([item]) => id === undefined || item === id)
  set(cartAtom, (cart) => atMost(cart, new Map(known)))
})
