import { atom } from 'jotai'
import {
  type AddSource,
  addOutcome,
  addToast,
  addUnit,
  type Cart,
  type CartProduct,
  completeLine,
} from '#shared/rules/cart.ts'
import { cartProductOf } from '#shared/rules/items.ts'
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
 * The cart's lines, under the specified key (§ 9); undefined until the browser has read its storage. Shoppers change
 * them with the actions here and in `cart-lines.ts`, which show a toast.
 */
export const cartAtom = storedLinesAtom('cart')

/** How many lines the badge counts; 0 while the cart is unread (§ 2). */
export const cartLineCountAtom = atom((get) => get(cartAtom)?.length ?? 0)

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
