import { atom } from 'jotai'
import { storedAtom } from '#client/app/stored-atom.ts'
import type { Cart } from '#shared/cart/cart.ts'

/** Lines under a key of browser storage. Their schema is fetched only where there are any. */
export function storedLinesAtom(key: string) {
  return storedAtom<Cart>({
    key,
    empty: [],
    parse: async (text) => (await import('#shared/cart/cart-schema.ts')).cartFromText(text),
  })
}

/**
 * The cart's lines, under the specified key (§ 9); undefined until the browser has read its storage. Shoppers change
 * them with the actions in `add-to-cart.ts` and `cart-actions.ts`, which show a toast.
 */
export const cartAtom = storedLinesAtom('cart')

/** How many lines the badge counts; 0 while the cart is unread (§ 2). */
export const cartLineCountAtom = atom((get) => get(cartAtom)?.length ?? 0)
