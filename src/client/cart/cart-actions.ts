import { atom, type Getter } from 'jotai'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import type { LoadedCatalogue } from '#client/app/parse-catalogue.ts'
import { showToastAtom } from '#client/app/toasts.ts'
import { type Cart, type CartLine, cartProductOf, MAX_QTY } from '#shared/cart/cart.ts'
import {
  changeSize,
  fittingLines,
  removeLine,
  removeUnit,
  withLines,
  withoutUnits,
} from '#shared/cart/cart-lines.ts'
import type { Item } from '#shared/catalogue/items.ts'
import { nameWithSize } from '#shared/format.ts'
import { selectedSizesAtom } from './add-to-cart.ts'
import { cartAtom, storedLinesAtom } from './stored-cart.ts'

const lineOf = (get: Getter, id: number) => get(cartAtom)?.find((line) => line.id === id)

const nameOf = ({ title, size }: CartLine) => nameWithSize(title, size)

/** Takes one unit of a line away; with a toast when it was the last (§ 4). */
export const removeUnitAtom = atom(null, (get, set, id: number) => {
  const line = lineOf(get, id)
  if (line?.qty !== 1) return set(cartAtom, (cart) => removeUnit(cart, id))
  void set(removeWithUndoAtom, (cart) => removeUnit(cart, id), nameOf(line))
  void set(showToastAtom, 'info', `Removed ${line.title} from cart`)
})

/** Takes a whole line away, after the shopper confirmed it (§ 4). */
export const removeLineAtom = atom(null, (get, set, id: number) => {
  const line = lineOf(get, id)
  void set(removeWithUndoAtom, (cart) => removeLine(cart, id), line && nameOf(line))
  if (line) void set(showToastAtom, 'success', `Removed ${line.title} from cart`)
})

/** CLEAR_CART: empties the cart and deletes the stored one (§ 4). */
export const clearCartAtom = atom(null, (_get, set) => {
  void set(removeWithUndoAtom, () => null)
  void set(showToastAtom, 'info', 'Cart cleared')
})

/** What the shopper saved for later; undefined until the browser has read its storage. */
export const savedLinesAtom = storedLinesAtom('saved')

/** Moves the cart's lines into the saved list, which is stored first: no line is ever in neither. */
export const saveForLaterAtom = atom(null, (get, set) => {
  const moved = fittingLines(get(savedLinesAtom) ?? [], get(cartAtom) ?? [])
  set(savedLinesAtom, (saved) => withLines(saved, moved))
  set(cartAtom, (cart) => withoutUnits(cart, moved))
  void set(showToastAtom, 'info', 'Saved for later')
})

/** Moves a saved line back into the cart; what the cart has no room for stays saved. */
export const moveToCartAtom = atom(null, (get, set, line: CartLine) => {
  const moved = fittingLines(get(cartAtom) ?? [], [line])
  set(cartAtom, (cart) => withLines(cart, moved))
  set(savedLinesAtom, (saved) => withoutUnits(saved, moved))
  if (moved.length > 0) void set(showToastAtom, 'success', `Added ${line.title} to cart`)
  else void set(showToastAtom, 'info', `Your cart can’t hold any more of ${line.title}.`)
})

/** Takes a line off the saved list. */
export const removeSavedLineAtom = atom(null, (_get, set, line: CartLine) => {
  set(savedLinesAtom, (saved) => withoutUnits(saved, [line]))
})

/** The catalogue for the sizes in the cart and on the saved list; undefined until it has loaded. */
export const cartCatalogueAtom = atom<LoadedCatalogue | undefined>(undefined)

/** Loads the catalogue and completes the lines that were added without it. Without a connection they stay as they are. */
export const loadSizesAtom = atom(null, async (_get, set) => {
  const loaded = await Promise.resolve(loadCatalogue()).catch(() => undefined)
  if (!loaded) return
  set(cartCatalogueAtom, loaded)
  set(cartAtom, loaded.withMissingParts)
})

/** Gives a line the size that the shopper has chosen, which is remembered on its scale; lines of one size become one. */
export const changeSizeAtom = atom(null, (get, set, id: number, item: Item) => {
  const { size, product } = item
  if (!size || !product.sizing) return
  const { scale } = product.sizing
  set(cartAtom, (cart) => changeSize(cart, id, cartProductOf(item)))
  set(selectedSizesAtom, (now) => ({ ...now, [scale]: size }))
  const rest = get(cartAtom)?.find((line) => line.id === id && id !== item.id)?.qty
  void set(
    showToastAtom,
    'info',
    rest === undefined
      ? `${product.title}: size ${size}`
      : `You have ${MAX_QTY} of ${product.title} in ${size} in your cart, which is the maximum.`,
  )
})

type Removal = {
  /** Of the line that was removed; undefined where the whole cart was cleared. */
  name: string | undefined
  before: Cart
  after: Cart
}

const lastRemovalAtom = atom<Removal | undefined>(undefined)

/** The last removal, as long as nothing else has been done to the cart since. */
export const undoableAtom = atom((get) => {
  const removal = get(lastRemovalAtom)
  return removal?.after === get(cartAtom) ? removal : undefined
})

/** Makes a change of the cart that can be undone; `name` is that of the line it removes. */
export const removeWithUndoAtom = atom(
  null,
  async (_get, set, change: (cart: Cart) => Cart | null, name?: string) => {
    let before: Cart = []
    const after = await set(cartAtom, (cart) => {
      before = cart
      return change(cart)
    })
    set(lastRemovalAtom, { name, before, after })
  },
)

/** Puts back what the last removal took away. */
export const undoRemovalAtom = atom(null, (get, set) => {
  const { before, after } = get(lastRemovalAtom) ?? {}
  set(lastRemovalAtom, undefined)
  // Another tab may have changed it meanwhile.
  if (before) set(cartAtom, (cart) => (cart === after ? before : cart))
})

/** The cart was ordered: what was removed before is no longer offered. */
export const dismissUndoAtom = atom(null, (_get, set) => set(lastRemovalAtom, undefined))
