import { CART_DESCRIPTION_CHARACTERS } from './format.ts'

/** Units of one product a cart holds at most. */
export const MAX_QTY = 99
/** Different products a cart holds at most. */
export const MAX_CART_LINES = 100
const MAX_TITLE_CHARACTERS = 200
/** Stands in for an image that fails, or that a stored cart does not name (§ 2, § 8). */
export const PLACEHOLDER_IMAGE = '/placeholder-image.jpg'

/** What can be put into the cart: the product's fields, as many as are known where it is added (§ 3). */
export type CartProduct = {
  id: number
  title: string
  description: string
  /** In KSH. */
  price: number
  image: string
  category?: string
  rating?: { rate: number }
}

/** One line of the cart: a product and how many of it (§ 3). */
export type CartLine = CartProduct & { qty: number }

/** The cart: each distinct id is one line, in the order of adding (§ 3). */
export type Cart = readonly CartLine[]

/** How an add ended: one more unit, or one of the cart's limits. */
export type AddOutcome = 'added' | 'line-full' | 'cart-full'

/** A product cut down to what a line keeps; the description is one character longer than shown, so that a cut is seen. */
export function productOf({
  id,
  title,
  description,
  price,
  image,
  category,
  rating,
}: LooseProduct): CartProduct {
  return {
    id,
    title: title.slice(0, MAX_TITLE_CHARACTERS),
    description: description.slice(0, CART_DESCRIPTION_CHARACTERS + 1),
    price,
    image,
    ...(category && { category: category.slice(0, MAX_TITLE_CHARACTERS) }),
    ...(rating && { rating }),
  }
}

type LooseProduct = Omit<CartProduct, 'category' | 'rating'> & {
  category?: string | undefined
  rating?: { rate: number } | undefined
}

/** What adding this product would come to (§ 4). */
export function addOutcome(cart: Cart, { id }: Pick<CartProduct, 'id'>): AddOutcome {
  const line = cart.find((candidate) => candidate.id === id)
  if (line) return line.qty < MAX_QTY ? 'added' : 'line-full'
  return cart.length < MAX_CART_LINES ? 'added' : 'cart-full'
}

/**
 * Adds one unit: a new line with qty 1, or one more on the line with the same id, which takes over the product's
 * newer fields (§ 4). At a limit the cart stays as it is.
 */
export function addUnit(cart: Cart, product: CartProduct): Cart {
  if (addOutcome(cart, product) !== 'added') return cart
  if (!cart.some(({ id }) => id === product.id)) return [...cart, { ...productOf(product), qty: 1 }]
  return completeLine(cart, product).map((line) =>
    line.id === product.id ? { ...line, qty: line.qty + 1 } : line,
  )
}

/** Gives a line the product's fields as the catalogue has them; the same cart when the product has no line. */
export function completeLine(cart: Cart, product: CartProduct): Cart {
  if (!cart.some(({ id }) => id === product.id)) return cart
  return cart.map((line) => (line.id === product.id ? { ...line, ...productOf(product) } : line))
}

/** Takes one unit away; the line goes when it was the last (§ 4). */
export function removeUnit(cart: Cart, id: number): Cart {
  return cart.flatMap((line) => {
    if (line.id !== id) return line
    return line.qty > 1 ? { ...line, qty: line.qty - 1 } : []
  })
}

/** Takes a whole line away: one remove-unit for each of its units (§ 4). */
export function removeLine(cart: Cart, id: number): Cart {
  const units = cart.find((line) => line.id === id)?.qty ?? 0
  let rest = cart
  for (let unit = 0; unit < units; unit++) rest = removeUnit(rest, id)
  return rest
}

/** What of `lines` still fits into `into`: units beyond the limits of a line or of the list are left out. */
export function fittingLines(into: Cart, lines: Cart): Cart {
  let room = MAX_CART_LINES - into.length
  return lines.flatMap((line) => {
    const known = into.find(({ id }) => id === line.id)
    if (!known && room-- <= 0) return []
    const qty = Math.min(line.qty, MAX_QTY - (known?.qty ?? 0))
    return qty > 0 ? { ...line, qty } : []
  })
}

/** Both lists as one: units of the same id on one line, with the fields of `lines`; never beyond the limits. */
export function withLines(into: Cart, lines: Cart): Cart {
  const added = new Map(fittingLines(into, lines).map((line) => [line.id, line]))
  const raised = into.map((line): CartLine => {
    const more = added.get(line.id)
    added.delete(line.id)
    return more ? { ...more, qty: line.qty + more.qty } : line
  })
  return [...raised, ...added.values()]
}

/** The list without those units; what is not in it is not missed. */
export function withoutUnits(cart: Cart, units: readonly Pick<CartLine, 'id' | 'qty'>[]): Cart {
  return cart.flatMap((line) => {
    const taken = units.reduce((sum, { id, qty }) => (id === line.id ? sum + qty : sum), 0)
    return line.qty > taken ? { ...line, qty: line.qty - taken } : []
  })
}

/** What a cart action tells the shopper (§ 4). */
export type CartToast = { kind: 'success' | 'info'; message: string }

/** Where an add button stands: cards of the shop grid and the carousel, or anywhere else. */
export type AddSource = 'card' | 'elsewhere'

/** After an add: "Added to cart" on cards, "Added {title} to cart" elsewhere; at a limit, which one it is. */
export function addToast(outcome: AddOutcome, title: string, place: AddSource): CartToast {
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
