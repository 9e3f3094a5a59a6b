import { atom } from 'jotai'
import { refreshCatalogue } from '#client/app/fetch-catalogue.ts'
import type { LoadedCatalogue } from '#client/app/parse-catalogue.ts'
import { type Cart, type CartLine, itemToCartProduct, withProductFields } from '#shared/cart/cart.ts'
import { formatKsh, formatNameWithSize } from '#shared/format.ts'
import { cartAtom } from './stored-cart.ts'

const comparedCatalogueAtom = atom<LoadedCatalogue | undefined>(undefined)

export const checkCartChangesAtom = atom(null, async (_get, set) => {
  const loaded = await refreshCatalogue().catch(() => undefined)
  if (loaded) set(comparedCatalogueAtom, loaded)
})

export const dismissCartChangesAtom = atom(null, (_get, set) => set(comparedCatalogueAtom, undefined))

export const cartChangesAtom = atom((get) => {
  const loaded = get(comparedCatalogueAtom)
  return loaded ? listCartChanges(get(cartAtom) ?? [], loaded) : []
})

export const applyCartChangesAtom = atom(null, (get, set) => {
  const loaded = get(comparedCatalogueAtom)
  if (!loaded) return
  set(cartAtom, (cart) =>
    cart.flatMap((line) => {
      const item = loaded.findItem(loaded.catalogue, line.id)
      return item ? withProductFields(line, itemToCartProduct(item)) : []
    }),
  )
})

function listCartChanges(cart: Cart, { catalogue, findItem }: LoadedCatalogue): string[] {
  return cart.flatMap((line) => {
    const item = findItem(catalogue, line.id)
    if (!item) return formatUnavailable(line)
    return item.price === line.price ? [] : formatPriceChange(line, item.price)
  })
}

export function formatUnavailable({ title, size }: CartLine): string {
  return `${formatNameWithSize(title, size)} is no longer available.`
}

export function formatPriceChange({ title, size, price }: CartLine, newPriceKsh: number): string {
  return `${formatNameWithSize(title, size)} now costs ${formatKsh(newPriceKsh)} (was ${formatKsh(price)}).`
}
