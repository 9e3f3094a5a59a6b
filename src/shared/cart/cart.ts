import type { Item } from '#shared/catalogue/items.ts'
import { CART_DESCRIPTION_CHARACTERS, firstCharacters } from '#shared/format.ts'

/** The maximum number of units of one product in a cart. */
export const MAX_QTY = 99
/** The maximum number of different products in a cart. */
export const MAX_CART_LINES = 100
const MAX_TITLE_CHARACTERS = 200
/** Replaces an image that fails to load or is missing in a stored cart (§ 2, § 8). */
export const PLACEHOLDER_IMAGE = '/placeholder-image.jpg'

/** What can be put into the cart: the product's fields, as many as are known where it is added (§ 3). */
export type CartProduct = {
  /** An item's: the size's where the product comes in sizes. */
  id: number
  title: string
  /** The size's label, where the product comes in sizes. */
  size?: string
  /** Nobody chose the size: it is the first one that there was. */
  isSizeAssumed?: true
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

/** The result of adding: one more unit, or one of the cart's limits. */
export type AddOutcome = 'added' | 'line-full' | 'cart-full'

/** The fields of a product that a line stores; the description is one character longer than shown, so that the cut is visible. */
export function productOf({
  id,
  title,
  description,
  price,
  image,
  category,
  rating,
  size,
  isSizeAssumed,
}: LooseProduct): CartProduct {
  return {
    id,
    title: firstCharacters(title, MAX_TITLE_CHARACTERS),
    description: firstCharacters(description, CART_DESCRIPTION_CHARACTERS + 1),
    price,
    image,
    ...(category && { category: firstCharacters(category, MAX_TITLE_CHARACTERS) }),
    ...(rating && { rating }),
    ...(size && { size: size.slice(0, MAX_TITLE_CHARACTERS) }),
    ...(isSizeAssumed && { isSizeAssumed }),
  }
}

type LooseProduct = Omit<CartProduct, 'category' | 'rating' | 'size' | 'isSizeAssumed'> & {
  size?: string | undefined
  isSizeAssumed?: true | undefined
  category?: string | undefined
  rating?: { rate: number } | undefined
}

/** The result that adding this product would have (§ 4). */
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
  return cart.map((line) => (line.id === product.id ? withUnits(line, { ...product, qty: 1 }) : line))
}

/** An item as the cart stores it: the product's fields, with the size's id, label and price (§ 3). */
export function cartProductOf({ id, product, size, price }: Item): CartProduct {
  const { title, description, image, category, rating } = product
  return productOf({ id, title, description, price, image, size, category, rating: { rate: rating } })
}

/** A line with more units of its item, and their fields. Once its size has been chosen, it stays chosen. */
export function withUnits({ isSizeAssumed: wasAssumed, ...line }: CartLine, more: CartLine): CartLine {
  const { isSizeAssumed, ...fields } = productOf(more)
  const qty = line.qty + more.qty
  return { ...line, ...fields, qty, ...(wasAssumed && isSizeAssumed && { isSizeAssumed }) }
}

/** Gives a line the product's fields as the catalogue has them; the same cart when the product has no line. */
export function completeLine(cart: Cart, product: CartProduct): Cart {
  if (!cart.some(({ id }) => id === product.id)) return cart
  return cart.map((line) => (line.id === product.id ? { ...line, ...productOf(product) } : line))
}

/** What a cart action tells the shopper (§ 4). */
export type CartToast = { kind: 'success' | 'info'; message: string }

/** Where an add button is: on cards of the shop grid and the carousel, or elsewhere. */
export type AddSource = 'card' | 'elsewhere'

/** After an add: "Added to cart" on cards, "Added {title} to cart" elsewhere; at a limit, which one it is. */
export function addToast(outcome: AddOutcome, title: string, place: AddSource): CartToast {
  if (outcome === 'line-full')
    return {
      kind: 'info',
      message: `You already have ${MAX_QTY} of ${title} in your cart, which is the maximum.`,
    }
  if (outcome === 'cart-full')
    return { kind: 'info', message: `Your cart is full. It can hold ${MAX_CART_LINES} different products.` }
  return { kind: 'success', message: place === 'card' ? 'Added to cart' : `Added ${title} to cart` }
}
