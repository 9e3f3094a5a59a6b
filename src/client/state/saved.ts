import { atom } from 'jotai'
import { type CartLine, fittingLines, withLines, withoutUnits } from '#shared/rules/cart.ts'
import { cartAtom, storedLinesAtom } from './cart.ts'
import { showToastAtom } from './toasts.ts'

/** What the shopper saved for later; undefined until the browser has read its storage. */
export const savedAtom = storedLinesAtom('saved')

/** Moves the cart's lines into the saved list, which is stored first: no line is ever in neither. */
export const saveForLaterAtom = atom(null, (get, set) => {
  const moved = fittingLines(get(savedAtom) ?? [], get(cartAtom) ?? [])
  set(savedAtom, (saved) => withLines(saved, moved))
  set(cartAtom, (cart) => withoutUnits(cart, moved))
  void set(showToastAtom, 'info', 'Saved for later')
})

/** Moves a saved line back into the cart; what the cart has no room for stays saved. */
export const moveToCartAtom = atom(null, (get, set, line: CartLine) => {
  const moved = fittingLines(get(cartAtom) ?? [], [line])
  set(cartAtom, (cart) => withLines(cart, moved))
  set(savedAtom, (saved) => withoutUnits(saved, moved))
  if (moved.length > 0) void set(showToastAtom, 'success', `Added ${line.title} to cart`)
  else void set(showToastAtom, 'info', `Your cart has no room for more of ${line.title}.`)
})

/** Takes a line off the saved list. */
export const forgetSavedAtom = atom(null, (_get, set, line: CartLine) => {
  set(savedAtom, (saved) => withoutUnits(saved, [line]))
})
