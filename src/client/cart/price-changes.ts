import { atom } from 'jotai'
import { refreshCatalogue } from '#client/app/fetch-catalogue.ts'
import type { LoadedCatalogue } from '#client/app/parse-catalogue.ts'
import { type Cart, type CartLine, cartProductOf, productOf } from '#shared/cart/cart.ts'
import { formatKsh, nameWithSize } from '#shared/format.ts'
import { cartAtom } from './stored-cart.ts'

/** What the cart is compared with; undefined until the shop has been asked, and once it knows better. */
const comparedWithAtom = atom<LoadedCatalogue | undefined>(undefined)

/** Compares the cart with the catalogue as it is now. Says nothing where that cannot be read. */
export const checkCartChangesAtom = atom(null, async (_get, set) => {
  const loaded = await refreshCatalogue().catch(() => undefined)
  if (loaded) set(comparedWithAtom, loaded)
})

/** The shop has priced the cart itself: an earlier comparison counts no more. */
export const dismissCartChangesAtom = atom(null, (_get, set) => set(comparedWithAtom, undefined))

/** What has changed since the cart's lines were put in, one sentence each. */
export const cartChangesAtom = atom((get) => {
  const loaded = get(comparedWithAtom)
  return loaded ? changesOf(get(cartAtom) ?? [], loaded) : []
})

/** Brings the cart to the shop's prices and products of now. */
export const updateCartAtom = atom(null, (get, set) => {
  const loaded = get(comparedWithAtom)
  if (!loaded) return
  set(cartAtom, (cart) =>
    cart.flatMap((line) => {
      const item = loaded.itemById(loaded.catalogue, line.id)
      return item ? { ...line, ...productOf(cartProductOf(item)) } : []
    }),
  )
})

function changesOf(cart: Cart, { catalogue, itemById }: LoadedCatalogue): string[] {
  return cart.flatMap((line) => {
    const item = itemById(catalogue, line.id)
    if (!item) return unavailableText(line)
    return item.price === line.price ? [] : priceChangeText(line, item.price)
  })
}

/** That a line's product is gone. */
export function unavailableText({ title, size }: CartLine): string {
  return `${nameWithSize(title, size)} is no longer available.`
}

/** A line's new price beside its own. In KSH. */
export function priceChangeText({ title, size, price }: CartLine, newPriceKsh: number): string {
  return `${nameWithSize(title, size)} now costs ${formatKsh(newPriceKsh)} (was ${formatKsh(price)}).`
}
