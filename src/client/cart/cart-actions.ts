import { atom, type Getter } from 'jotai'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import type { LoadedCatalogue } from '#client/app/parse-catalogue.ts'
import { showToastAtom, toastLibraryAtom } from '#client/app/toasts.ts'
import {
  type Cart,
  type CartLine,
  createAddToast,
  getAddResult,
  itemToCartProduct,
  MAX_CART_LINES,
  MAX_QTY,
} from '#shared/cart/cart.ts'
import {
  changeSize,
  confirmSize,
  limitToRoom,
  mergeLines,
  removeLine,
  removeUnit,
  removeUnits,
} from '#shared/cart/cart-lines.ts'
import type { Item } from '#shared/catalogue/items.ts'
import { formatNameWithSize } from '#shared/format.ts'
import { selectSizeAtom } from './add-to-cart.ts'
import { cartAtom, createStoredLinesAtom } from './stored-cart.ts'

const findLine = (get: Getter, id: number) => get(cartAtom)?.find((line) => line.id === id)

const formatLineName = ({ title, size }: CartLine) => formatNameWithSize(title, size)

/** A toast about the cart is no longer true once a later action has changed the cart. */
export const dismissToastsAtom = atom(null, (get) => get(toastLibraryAtom)?.toast.dismiss())

/** Shows a toast only for the last unit of a line (§ 4). */
export const removeUnitAtom = atom(null, (get, set, id: number) => {
  set(dismissToastsAtom)
  const line = findLine(get, id)
  if (line?.qty !== 1) return set(cartAtom, (cart) => removeUnit(cart, id))
  void set(removeWithUndoAtom, (cart) => removeUnit(cart, id), formatLineName(line))
  void set(showToastAtom, 'info', `Removed ${line.title} from cart`)
})

export const removeLineAtom = atom(null, (get, set, id: number) => {
  set(dismissToastsAtom)
  const line = findLine(get, id)
  // Another tab may have removed the line while the dialog was open.
  if (!line) return
  void set(removeWithUndoAtom, (cart) => removeLine(cart, id), formatLineName(line))
  void set(showToastAtom, 'success', `Removed ${line.title} from cart`)
})

export const clearCartAtom = atom(null, (_get, set) => {
  set(dismissToastsAtom)
  void set(removeWithUndoAtom, () => null)
  void set(showToastAtom, 'info', 'Cart cleared')
})

export const savedLinesAtom = createStoredLinesAtom('saved')

/** Saves the lines before removing them, so that a failure in between loses none. */
export const saveForLaterAtom = atom(null, (get, set, lines: Cart) => {
  set(dismissToastsAtom)
  const movedLines = limitToRoom(get(savedLinesAtom) ?? [], lines)
  set(savedLinesAtom, (saved) => mergeLines(saved, movedLines))
  set(cartAtom, (cart) => removeUnits(cart, movedLines))
  const rest = removeUnits(lines, movedLines)[0]
  void set(showToastAtom, 'info', rest ? formatSaveLimit(get(savedLinesAtom) ?? [], rest) : 'Saved for later')
})

function formatSaveLimit(saved: Cart, line: CartLine): string {
  return getAddResult(saved, line) === 'line-full'
    ? `You can save up to ${MAX_QTY} of ${formatLineName(line)}.`
    : `You can save up to ${MAX_CART_LINES} different products.`
}

export const moveToCartAtom = atom(null, (get, set, line: CartLine) => {
  set(dismissToastsAtom)
  const movedLines = limitToRoom(get(cartAtom) ?? [], [line])
  set(cartAtom, (cart) => mergeLines(cart, movedLines))
  set(savedLinesAtom, (saved) => removeUnits(saved, movedLines))
  const isMoved = removeUnits([line], movedLines).length === 0
  const result = isMoved ? 'added' : getAddResult(get(cartAtom) ?? [], line)
  const { kind, message } = createAddToast(result, isMoved ? line.title : formatLineName(line), 'elsewhere')
  void set(showToastAtom, kind, message)
})

export const removeSavedLineAtom = atom(null, (_get, set, line: CartLine) => {
  set(savedLinesAtom, (saved) => removeUnits(saved, [line]))
})

export const cartCatalogueAtom = atom<LoadedCatalogue | undefined>(undefined)

export const loadCartCatalogueAtom = atom(null, async (_get, set) => {
  const loaded = await Promise.resolve(loadCatalogue()).catch(() => undefined)
  if (!loaded) return
  set(cartCatalogueAtom, loaded)
  set(cartAtom, loaded.completeLines)
})

export const changeSizeAtom = atom(null, (get, set, id: number, item: Item) => {
  const { size, product } = item
  if (!size || !product.sizing) return
  const { scale } = product.sizing
  set(dismissToastsAtom)
  set(cartAtom, (cart) => changeSize(cart, id, itemToCartProduct(item)))
  set(selectSizeAtom, scale, size)
  const rest = get(cartAtom)?.find((line) => line.id === id && id !== item.id)?.qty
  void set(
    showToastAtom,
    'info',
    rest === undefined
      ? `Selected size ${size} of ${product.title}`
      : `Your cart can hold up to ${MAX_QTY} of ${product.title} (size ${size}).`,
  )
})

export const confirmSizeAtom = atom(null, (_get, set, id: number) => {
  set(dismissToastsAtom)
  set(cartAtom, (cart) => confirmSize(cart, id))
})

export type Removal = {
  name: string | undefined
  before: Cart
  after: Cart
}

const lastRemovalAtom = atom<Removal | undefined>(undefined)

export const undoableRemovalAtom = atom((get) => {
  const removal = get(lastRemovalAtom)
  return removal?.after === get(cartAtom) ? removal : undefined
})

export const removeWithUndoAtom = atom(
  null,
  async (_get, set, change: (cart: Cart) => Cart | null, name?: string) => {
    let before: Cart = []
    const after = set(cartAtom, (cart) => {
      before = cart
      return change(cart)
    })
    // Without a wait, the cart and the button that undoes its change render together.
    set(lastRemovalAtom, { name, before, after: after instanceof Promise ? await after : after })
  },
)

export const undoRemovalAtom = atom(null, (get, set) => {
  set(dismissToastsAtom)
  const { before, after } = get(lastRemovalAtom) ?? {}
  set(lastRemovalAtom, undefined)
  if (before) set(cartAtom, (cart) => (cart === after ? before : cart))
})

export const dismissUndoAtom = atom(null, (_get, set) => set(lastRemovalAtom, undefined))
