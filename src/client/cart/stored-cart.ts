import { atom, useAtomValue } from 'jotai'
import { createStoredAtom } from '#client/app/stored-atom.ts'
import { useHydrated } from '#client/app/use-user.ts'
import { type Cart, countUnits } from '#shared/cart/cart.ts'

export function createStoredLinesAtom(key: string) {
  return createStoredAtom<Cart>({
    key,
    empty: [],
    parse: (text) => import('#shared/cart/cart-schema.ts').then((module) => module.parseStoredCart(text)),
  })
}

/** Undefined until storage has been read (§ 9). */
export const cartAtom = createStoredLinesAtom('cart')

/** Also undefined until hydration: sections inside Suspense hydrate after storage has been read. */
export function useCart(): Cart | undefined {
  const cart = useAtomValue(cartAtom)
  return useHydrated() ? cart : undefined
}

/** The number on the cart's badge (§ 2). */
export const cartLineCountAtom = atom((get) => get(cartAtom)?.length ?? 0)

export const cartItemCountAtom = atom((get) => countUnits(get(cartAtom) ?? []))
