import { atom } from 'jotai'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { createStoredAtom, parseStringRecord } from '#client/app/stored-atom.ts'
import { showToastAtom } from '#client/app/toasts.ts'
import { type AddSource, addUnit, type CartProduct, checkAdd, createAddToast } from '#shared/cart/cart.ts'
import type { ProductCard, UnitsLeft } from '#shared/catalogue/catalogue.ts'
import { cartAtom } from './stored-cart.ts'

/** The size label last selected on each scale. Undefined until storage has been read. */
export const selectedSizesAtom = createStoredAtom<Readonly<Record<string, string>>>({
  key: 'sizes',
  empty: {},
  parse: parseStringRecord,
})

export const selectSizeAtom = atom(null, (_get, set, scale: string, label: string) => {
  set(selectedSizesAtom, (now) => ({ ...now, [scale]: label }))
})

/** Adds one unit, unless a limit is reached, and shows a toast, whose text depends on the place of the button (§ 4). */
export const addToCartAtom = atom(null, (get, set, product: CartProduct, place: AddSource = 'elsewhere') => {
  const outcome = checkAdd(get(cartAtom) ?? [], product)
  set(cartAtom, (cart) => addUnit(cart, product))
  const { kind, message } = createAddToast(outcome, product.title, place)
  void set(showToastAtom, kind, message)
})

/**
 * Adds the product of a card, in the size last selected on its scale or else the first size in stock. Completes
 * the line once the catalogue has loaded.
 */
export const addProductCardAtom = atom(
  null,
  async (_get, set, { scale, left: _, ...card }: ProductCard, sizesLeft: UnitsLeft = {}) => {
    const label = scale && set(selectedSizesAtom)[scale]
    const first: CartProduct = scale ? { ...card, isSizeAssumed: true } : card
    const isFirst = !label && sizesLeft[card.id] !== 0
    if (isFirst) set(addToCartAtom, first, 'card')
    const loaded = await Promise.resolve(loadCatalogue()).catch(() => undefined)
    if (!isFirst) set(addToCartAtom, loaded?.findCardItem(card.id, label, sizesLeft) ?? first, 'card')
    else if (loaded) set(cartAtom, (cart) => loaded.completeLine(cart, card.id))
  },
)
