import { atom } from 'jotai'
import type { Cart } from '#shared/rules/cart.ts'
import { cartAtom } from './cart.ts'

type Removal = {
  /** Of the line that was removed; undefined where the whole cart was cleared. */
  name: string | undefined
  before: Cart
  after: Cart
}

const lastRemovalAtom = atom<Removal | undefined>(undefined)

/** The last removal, as long as nothing else has been done to the cart since. */
export const undoableAtom = atom((get) => {
  const removal = get(lastRemovalAtom)
  return removal?.after === get(cartAtom) ? removal : undefined
})

/** Makes a change of the cart that can be undone; `name` is that of the line it removes. */
export const removeUndoablyAtom = atom(
  null,
  async (_get, set, change: (cart: Cart) => Cart | null, name?: string) => {
    let before: Cart = []
    const after = await set(cartAtom, (cart) => {
      before = cart
      return change(cart)
    })
    set(lastRemovalAtom, { name, before, after })
  },
)

/** Puts back what the last removal took away. */
export const undoRemovalAtom = atom(null, (get, set) => {
  const { before, after } = get(lastRemovalAtom) ?? {}
  set(lastRemovalAtom, undefined)
  // Another tab may have changed it meanwhile.
  if (before) set(cartAtom, (cart) => (cart === after ? before : cart))
})

/** The cart was ordered: what was removed before is no longer offered. */
export const forgetRemovalAtom = atom(null, (_get, set) => set(lastRemovalAtom, undefined))
