import { atom, type Getter } from 'jotai'
import {
  type AddSource,
  addOutcome,
  addToast,
  addUnit,
  type Cart,
  type CartProduct,
  type CartToast,
  cartClearedToast,
  completeLine,
  lastUnitToast,
  lineRemovedToast,
  removeLine,
  removeUnit,
} from '#shared/rules/cart.ts'
import { cartProductOf } from '#shared/rules/catalogue.ts'
import { loadCatalogue } from './catalogue.ts'
import { storedAtom } from './stored-atom.ts'
import { showToastAtom } from './toasts.ts'

/** Lines under a key of browser storage. Their schema is fetched only where there are any. */
export function storedLinesAtom(key: string) {
  return storedAtom<Cart>({
    key,
    empty: [],
    parse: async (text) => (await import('#shared/rules/cart-schema.ts')).cartFromText(text),
  })
}

/**
 * The cart's lines, under the specified key (§ 9); undefined until the browser has read its storage. Set it with a change of the lines (null
 * deletes the stored cart, as after an order); what shoppers do goes through the actions below, which say so.
 */
export const cartAtom = storedLinesAtom('cart')

/** How many lines the badge counts; 0 while the cart is unread (§ 2). */
export const cartLineCountAtom = atom((get) => get(cartAtom)?.length ?? 0)

const lineOf = (get: Getter, id: number) => get(cartAtom)?.find((line) => line.id === id)

const toastAtom = atom(null, (_get, set, { kind, message }: CartToast) => {
  void set(showToastAtom, kind, message)
})

/** Cards know a part of their product; the line gets the rest as soon as the catalogue is here. */
const completeLineAtom = atom(null, async (_get, set, id: number) => {
  const loaded = await Promise.resolve(loadCatalogue()).catch(() => undefined)
  const product = loaded?.catalogue.find((candidate) => candidate.id === id)
  if (product) set(cartAtom, (cart) => completeLine(cart, cartProductOf(product)))
})

/** Adds one unit of a product, with the toast of the place where it was added (§ 4). */
export const addToCartAtom = atom(null, (get, set, product: CartProduct, place: AddSource = 'elsewhere') => {
  const outcome = addOutcome(get(cartAtom) ?? [], product)
  set(cartAtom, (cart) => addUnit(cart, product))
  set(toastAtom, addToast(outcome, product.title, place))
  if (place === 'card') void set(completeLineAtom, product.id)
})

/** Takes one unit of a line away; says so when it was the last (§ 4). */
export const removeUnitAtom = atom(null, (get, set, id: number) => {
  const line = lineOf(get, id)
  set(cartAtom, (cart) => removeUnit(cart, id))
  if (line?.qty === 1) set(toastAtom, lastUnitToast(line.title))
})

/** Takes a whole line away, after the shopper confirmed it (§ 4). */
export const removeLineAtom = atom(null, (get, set, id: number) => {
  const line = lineOf(get, id)
  set(cartAtom, (cart) => removeLine(cart, id))
  if (line) set(toastAtom, lineRemovedToast(line.title))
})

/** CLEAR_CART: empties the cart and deletes the stored one (§ 4). */
export const clearCartAtom = atom(null, (_get, set) => {
  set(cartAtom, () => null)
  set(toastAtom, cartClearedToast)
})
