import { atom } from 'jotai'
import { callApi } from '#client/app/api.ts'
import { limitToStock } from '#shared/cart/cart-lines.ts'
import { checkStockCall } from '#shared/stock/contract.ts'
import { dismissToastsAtom } from './cart-actions.ts'
import { cartAtom } from './stored-cart.ts'

type ItemUnitsLeft = { id: number; left: number }

/** The keys are item ids. Items whose stock is unknown or unlimited, such as made-to-order ones, are absent. */
export const unitsLeftAtom = atom<ReadonlyMap<number, number>>(new Map<number, number>())

export const setUnitsLeftAtom = atom(null, (_get, set, left: readonly ItemUnitsLeft[]) => {
  set(unitsLeftAtom, (known) => new Map([...known, ...left.map(({ id, left }) => [id, left] as const)]))
})

export const checkStockAtom = atom(null, async (_get, set, ids: readonly number[]) => {
  const result = await callApi(checkStockCall, { ids: [...ids] })
  if (result.ok) set(setUnitsLeftAtom, result.data.left)
})

export const limitCartToStockAtom = atom(null, (get, set, id?: number) => {
  set(dismissToastsAtom)
  const knownStock = [...get(unitsLeftAtom)].filter(([item]) => id === undefined || item === id)
  set(cartAtom, (cart) => limitToStock(cart, new Map(knownStock)))
})
