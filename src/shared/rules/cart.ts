import * as z from 'zod/mini'
import { imageAddress, priceSchema } from './catalogue.ts'
import { CART_DESCRIPTION_CHARACTERS } from './previews.ts'

/** Units of one product a cart holds at most. */
export const MAX_QTY = 99
/** Different products a cart holds at most. */
export const MAX_CART_LINES = 100
/** Entries of a stored cart that are looked at; the shop itself never writes so many. */
const MAX_STORED_ENTRIES = 1000
const MAX_TITLE_CHARACTERS = 200
const MAX_ADDRESS_CHARACTERS = 2000
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

const text = z.string().check(z.trim(), z.minLength(1))
const textIfAny = z.catch(z.optional(text), undefined)

/** A stored line. Rejects what has no id, no title or name, or figures the shop cannot have written; mends the rest. */
const storedLineSchema = z.pipe(
  z.object({
    id: z.int().check(z.positive()),
    title: textIfAny,
    name: textIfAny,
    description: z.catch(z.string(), ''),
    price: priceSchema,
    image: z.catch(imageAddress.check(z.maxLength(MAX_ADDRESS_CHARACTERS)), PLACEHOLDER_IMAGE),
    category: textIfAny,
    rating: z.catch(z.optional(z.object({ rate: z.number() })), undefined),
    qty: z.int().check(z.positive(), z.maximum(MAX_QTY)),
  }),
  z.transform(({ name, title = name, qty, ...product }, { issues, value }): CartLine => {
    if (title !== undefined) return { ...productOf({ ...product, title }), qty }
    issues.push({ code: 'custom', message: 'must have a title or a name', path: ['title'], input: value })
    return z.NEVER
  }),
)

/** A product cut down to what a line keeps; the description is one character longer than shown, so that a cut is seen. */
function productOf({ id, title, description, price, image, category, rating }: LooseProduct): CartProduct {
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

/** The cart as browser storage keeps it. */
export function cartToText(cart: Cart): string {
  return JSON.stringify(cart)
}

/**
 * The cart in a stored text: its valid lines, the first of each id, up to the cart's limits. Whatever else stands
 * there (nothing, broken JSON, another program's data) counts for nothing. Never throws.
 */
export function cartFromText(stored: string | null): Cart {
  const entries = parsed(stored)
  if (!Array.isArray(entries)) return []
  const lines = new Map<number, CartLine>()
  for (const entry of entries.slice(0, MAX_STORED_ENTRIES)) {
    const { success, data } = storedLineSchema.safeParse(entry)
    if (success && !lines.has(data.id)) lines.set(data.id, data)
    if (lines.size === MAX_CART_LINES) break
  }
  return [...lines.values()]
}

function parsed(stored: string | null): unknown {
  try {
    return JSON.parse(stored ?? 'null')
  } catch {
    return undefined
  }
}
