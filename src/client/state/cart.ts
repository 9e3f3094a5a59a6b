import { atom } from 'jotai'
import type { ProductCard } from '#shared/page-data.ts'

/** One line of the cart: a product and how many of it (§ 3). */
export type CartLine = ProductCard & { qty: number }

/** The cart's lines; undefined until the browser has read its storage. */
export const cartAtom = atom<readonly CartLine[] | undefined>(undefined)

/** How many lines the badge counts; 0 while the cart is unread (§ 2). */
export const cartLineCountAtom = atom((get) => get(cartAtom)?.length ?? 0)

/** Adds one of a product (§ 4). */
export const addToCartAtom = atom(null, (get, set, product: ProductCard) => {
  set(cartAtom, [...(get(cartAtom) ?? []), { ...product, qty: 1 }])
})
