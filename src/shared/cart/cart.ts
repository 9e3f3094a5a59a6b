import type { Item } from '#shared/catalogue/items.ts'
import { CART_DESCRIPTION_CHARACTERS, takeFirstCharacters } from '#shared/format.ts'

export const MAX_QTY = 99
export const MAX_CART_LINES = 100
const MAX_TITLE_CHARACTERS = 200
/** Replaces an image that is missing, invalid or fails to load (§ 2, § 8). */
export const PLACEHOLDER_IMAGE = '/placeholder-image.jpg'

export type CartProduct = {
  id: number
  title: string
  size?: string
  isSizeAssumed?: true
  description: string
  price: number
  compareAtPrice?: number
  image: string
  category?: string
  rating?: { rate: number }
}

export type CartLine = CartProduct & { qty: number }

export type Cart = readonly CartLine[]

export type AddResult = 'added' | 'line-full' | 'cart-full'

/** Keeps one character more of the description than the cart shows, so that truncation adds the ellipsis. */
export function toCartProduct({
  id,
  title,
  description,
  price,
  compareAtPrice,
  image,
  category,
  rating,
  size,
  isSizeAssumed,
}: CartProductInput): CartProduct {
  return {
    id,
    title: takeFirstCharacters(title, MAX_TITLE_CHARACTERS),
    description: takeFirstCharacters(description, CART_DESCRIPTION_CHARACTERS + 1),
    price,
    ...(compareAtPrice && { compareAtPrice }),
    image,
    ...(category && { category: takeFirstCharacters(category, MAX_TITLE_CHARACTERS) }),
    ...(rating && { rating }),
    ...(size && { size: size.slice(0, MAX_TITLE_CHARACTERS) }),
    ...(isSizeAssumed && { isSizeAssumed }),
  }
}

type CartProductInput = Omit<
  CartProduct,
  'category' | 'compareAtPrice' | 'rating' | 'size' | 'isSizeAssumed'
> & {
  compareAtPrice?: number | undefined
  size?: string | undefined
  isSizeAssumed?: true | undefined
  category?: string | undefined
  rating?: { rate: number } | undefined
}

export function getAddResult(cart: Cart, { id }: Pick<CartProduct, 'id'>): AddResult {
  const line = cart.find((candidate) => candidate.id === id)
  if (line) return line.qty < MAX_QTY ? 'added' : 'line-full'
  return cart.length < MAX_CART_LINES ? 'added' : 'cart-full'
}

/** Adds one unit (§ 4). Returns the same cart if a limit is reached. */
export function addUnit(cart: Cart, product: CartProduct): Cart {
  if (getAddResult(cart, product) !== 'added') return cart
  if (!cart.some(({ id }) => id === product.id)) return [...cart, { ...toCartProduct(product), qty: 1 }]
  return cart.map((line) => (line.id === product.id ? mergeLine(line, { ...product, qty: 1 }) : line))
}

export function itemToCartProduct({ id, product, size, price, compareAtPrice }: Item): CartProduct {
  const { title, description, image, category, rating } = product
  return toCartProduct({
    id,
    title,
    description,
    price,
    compareAtPrice,
    image,
    size,
    category,
    ...(rating !== undefined && { rating: { rate: rating } }),
  })
}

export function mergeLine({ isSizeAssumed: wasAssumed, ...line }: CartLine, more: CartLine): CartLine {
  const { isSizeAssumed, ...fields } = toCartProduct(more)
  const qty = line.qty + more.qty
  return { ...withProductFields(line, fields), qty, ...(wasAssumed && isSizeAssumed && { isSizeAssumed }) }
}

/** Drops the line's regular price, because its sale may have ended. */
export function withProductFields({ compareAtPrice: _, ...line }: CartLine, product: CartProduct): CartLine {
  return { ...line, ...product }
}

export function updateLineProduct(cart: Cart, product: CartProduct): Cart {
  if (!cart.some(({ id }) => id === product.id)) return cart
  return cart.map((line) => (line.id === product.id ? withProductFields(line, toCartProduct(product)) : line))
}

export type CartToast = { kind: 'success' | 'info'; message: string }

export type AddSource = 'card' | 'elsewhere'

export function createAddToast(outcome: AddResult, title: string, place: AddSource): CartToast {
  if (outcome === 'line-full')
    return {
      kind: 'info',
      message: `Your cart can hold up to ${MAX_QTY} of ${title}.`,
    }
  if (outcome === 'cart-full')
    return {
      kind: 'info',
      message: `Your cart is full. It can hold up to ${MAX_CART_LINES} different products.`,
    }
  return { kind: 'success', message: place === 'card' ? 'Added to cart' : `Added ${title} to cart` }
}

export function countUnits(lines: readonly Pick<CartLine, 'qty'>[]): number {
  return lines.reduce((sum, { qty }) => sum + qty, 0)
}
