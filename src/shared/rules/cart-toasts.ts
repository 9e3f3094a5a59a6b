import { type AddOutcome, MAX_CART_LINES, MAX_QTY } from './cart.ts'

/** What a cart action tells the shopper (§ 4). */
export type CartToast = { kind: 'success' | 'info'; message: string }

/** Where an add button stands: cards of the shop grid and the carousel, or anywhere else. */
export type AddPlace = 'card' | 'elsewhere'

/** After an add: "Added to cart" on cards, "Added {title} to cart" elsewhere; at a limit, which one it is. */
export function addToast(outcome: AddOutcome, title: string, place: AddPlace): CartToast {
  if (outcome === 'line-full')
    return { kind: 'info', message: `Your cart already holds ${MAX_QTY} of ${title}, the most it can.` }
  if (outcome === 'cart-full')
    return { kind: 'info', message: `Your cart is full: it holds ${MAX_CART_LINES} different products.` }
  return { kind: 'success', message: place === 'card' ? 'Added to cart' : `Added ${title} to cart` }
}

/** After minus on a line with quantity 1. */
export function lastUnitToast(title: string): CartToast {
  return { kind: 'info', message: `Removed ${title} from cart` }
}

/** After a removal that the shopper confirmed. */
export function lineRemovedToast(title: string): CartToast {
  return { kind: 'success', message: `Removed ${title} from cart` }
}

export const cartClearedToast: CartToast = { kind: 'info', message: 'Cart cleared' }
