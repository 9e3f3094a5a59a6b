import { atom } from 'jotai'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { createStoredAtom, parseStringRecord } from '#client/app/stored-atom.ts'
import { showToastAtom } from '#client/app/toasts.ts'
import { type AddSource, addUnit, type CartProduct, createAddToast, getAddResult } from '#shared/cart/cart.ts'
import type { ProductCard, UnitsLeft } from '#shared/catalogue/catalogue.ts'
import { cartAtom } from './stored-cart.ts'

type SizesByScale = Readonly<Record<string, string>>

const storedSizesAtom = createStoredAtom<SizesByScale>({ key: 'sizes', empty: {}, parse: parseStringRecord })

/** The sizes named by a search or by a link that the shopper opened. They aren't stored until an item is added. */
export const linkedSizesAtom = atom<SizesByScale>({})

/** By product id, the labels of the sizes that cards add because several sizes fit the filter or search. */
export const assumedSizesAtom = atom<Readonly<Record<number, string>>>({})

/** The selected size label of each scale. A linked size overrides the stored one. */
export const selectedSizesAtom = atom(
  (get) => {
    const storedSizes = get(storedSizesAtom)
    return storedSizes && { ...storedSizes, ...get(linkedSizesAtom) }
  },
  (get, set) => ({ ...set(storedSizesAtom), ...get(linkedSizesAtom) }),
)

export const selectSizeAtom = atom(null, (_get, set, scale: string, label: string) => {
  set(linkedSizesAtom, ({ [scale]: _, ...others }) => others)
  set(storedSizesAtom, (now) => ({ ...now, [scale]: label }))
})

/** Adds one unit within the limits, and shows a toast (§ 4). */
export const addToCartAtom = atom(null, (get, set, product: CartProduct, place: AddSource = 'elsewhere') => {
  const outcome = getAddResult(get(cartAtom) ?? [], product)
  set(cartAtom, (cart) => addUnit(cart, product))
  const { kind, message } = createAddToast(outcome, product.title, place)
  void set(showToastAtom, kind, message)
})

/**
 * Adds the card's item or its first one at once and completes the line later. If a size is selected or that item is sold out,
 * waits for the catalogue.
 */
export const addCardToCartAtom = atom(
  null,
  async (_get, set, { scale, left: _, item, ...shown }: ProductCard, sizesLeft: UnitsLeft = {}) => {
    // The cart completes a description only if the full one starts with it.
    const card = { ...shown, description: shown.description.replace(/…$/, ''), ...item }
    const label = scale && set(selectedSizesAtom)[scale]
    const first: CartProduct = scale ? { ...card, isSizeAssumed: true } : card
    const isFirst = !label && sizesLeft[card.id] !== 0
    if (isFirst) set(addToCartAtom, first, 'card')
    const loaded = await Promise.resolve(loadCatalogue()).catch(() => undefined)
    if (!isFirst) set(addToCartAtom, loaded?.findCardItem(card.id, label, sizesLeft) ?? first, 'card')
    else if (loaded) set(cartAtom, (cart) => loaded.completeLine(cart, card.id))
  },
)
