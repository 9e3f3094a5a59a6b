import { atom } from 'jotai'
import {
  type AddSource,
  addOutcome,
  addToast,
  addUnit,
  type CartProduct,
  completeLine,
} from '#shared/rules/cart.ts'
import { cartProductOf } from '#shared/rules/items.ts'
import { cartAtom } from './cart.ts'
import { loadCatalogue } from './catalogue.ts'
import { showToastAtom } from './toasts.ts'

/** Cards have a part of their product; the line gets the rest as soon as the catalogue is loaded. */
const completeLineAtom = atom(null, async (_get, set, id: number) => {
  const loaded = await Promise.resolve(loadCatalogue()).catch(() => undefined)
  const item = loaded?.itemById(loaded.catalogue, id)
  if (item) set(cartAtom, (cart) => completeLine(cart, cartProductOf(item)))
})

/** Adds one unit of a product, with the toast of the page it was added on (§ 4). */
export const addToCartAtom = atom(null, (get, set, product: CartProduct, place: AddSource = 'elsewhere') => {
  const outcome = addOutcome(get(cartAtom) ?? [], product)
  set(cartAtom, (cart) => addUnit(cart, product))
  const { kind, message } = addToast(outcome, product.title, place)
  void set(showToastAtom, kind, message)
  if (place === 'card') void set(completeLineAtom, product.id)
})
