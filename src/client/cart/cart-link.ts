import { atom } from 'jotai'
import type { Cart } from '#shared/cart/cart.ts'
import { fillCart } from '#shared/cart/cart-link.ts'
import { cartLinkOutcomeAtom } from './cart-link-outcome.tsx'
import { cartAtom } from './stored-cart.ts'

export const fillCartAtom = atom(null, async (_get, set, lines: Cart, problems: readonly string[]) => {
  let added: readonly string[] = []
  await set(cartAtom, (cart) => {
    const filled = fillCart(cart, lines)
    added = filled.sentences
    return filled.cart
  })
  set(cartLinkOutcomeAtom, () => [...added, ...problems])
})
